// SPDX-License-Identifier: Apache-2.0
// Experts in complete runs: their JSON, placements written and read back, copies and capacity, bad
// input.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class ExpertRuns : public testing::Test {
 protected:
  void SetUp() override {
    model_ = file("model.yaml", model("experts: 8\n  top_k: 2\n  expert_mlp: 64\n"));
  }
  static std::string model(const std::string& more) {
    return "name: sparse\ntransformer:\n  layers: 3\n  hidden: 128\n  heads: 4\n  mlp: 256\n"
           "  vocabulary: 1000\n  sequence: 64\n  " +
           more;
  }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }
  Words words(const Words& options, const std::string& model) const {
    Words all{"train",      "configs/fred_small.yaml",
              "--workload", model,
              "--phase",    "decode",
              "--dp",       "4",
              "--batch",    "40",
              "--quiet"};
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }
  json run(const Words& options) const {
    Words all = words(options, model_);
    all.insert(all.end(), {"--json", "-"});
    const Outcome outcome = run_fredsim(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? json::parse(outcome.out).at("runs").at(0) : json();
  }
  TemporaryFolder folder_;
  std::string model_;
};

TEST_F(ExpertRuns, SayWhatTheirRoutersDid) {
  const json found = run({"--ep", "4", "--router", "zipf:1.5", "--capacity", "1", "--seed", "3"});
  const json& experts = found.at("experts");
  EXPECT_EQ(experts.at("ep"), 4);
  EXPECT_EQ(experts.at("router"), "zipf:1.5");
  EXPECT_EQ(experts.at("placement"), "contiguous");
  EXPECT_TRUE(experts.at("slots").is_null());
  EXPECT_EQ(experts.at("capacity"), 1);
  const auto routed = experts.at("routed").get<std::uint64_t>();
  const auto dropped = experts.at("dropped").get<std::uint64_t>();
  EXPECT_EQ(routed + dropped, 2U * 3 * 40 * 2);  // steps × layers × tokens × experts
  EXPECT_GT(dropped, 0U);
  EXPECT_GT(experts.at("imbalance").get<double>(), 1);
  EXPECT_GT(found.at("breakdown_ns").at("ep").get<double>(), 0);
  EXPECT_NE(found.at("idealised").dump().find("how many tokens come to their experts"),
            std::string::npos);
  EXPECT_EQ(found, [&] {
    json again = run({"--ep", "4", "--router", "zipf:1.5", "--capacity", "1", "--seed", "3"});
    again["wall_s"] = found.at("wall_s");
    again["sim_cycles_per_s"] = found.at("sim_cycles_per_s");
    return again;
  }());
  const json other = run({"--ep", "4", "--router", "zipf:1.5", "--capacity", "1", "--seed", "4"});
  EXPECT_NE(other.at("time_ns"), found.at("time_ns"));
}

// Two microbatches on an NPU: named in the JSON and above the table, at most as long, the same
// bytes of tokens.
TEST_F(ExpertRuns, HideDispatchAndCombineBehindAnotherMicrobatch) {
  const Words apart{"--ep", "4", "--microbatches", "2"};
  const Words both{"--ep", "4", "--overlap", "microbatches=2"};
  const json alone = run(apart), hidden = run(both);
  EXPECT_FALSE(alone.at("inference").contains("overlap"));
  EXPECT_EQ(hidden.at("inference").at("overlap"), "microbatches=2");
  EXPECT_EQ(hidden.at("microbatches"), 2);
  EXPECT_EQ(hidden.at("traffic").at("injected_bytes"), alone.at("traffic").at("injected_bytes"));
  EXPECT_EQ(hidden.at("breakdown_ns").at("compute"), alone.at("breakdown_ns").at("compute"));
  EXPECT_LT(hidden.at("breakdown_ns").at("ep"), alone.at("breakdown_ns").at("ep"));
  EXPECT_LT(hidden.at("time_ns"), alone.at("time_ns"));
  EXPECT_NE(hidden.at("idealised").dump().find("nothing of the computing and the memory"),
            std::string::npos);
  EXPECT_EQ(run({"--ep", "4", "--overlap", "none"}).at("time_ns"),
            run({"--ep", "4"}).at("time_ns"));
  const Outcome table = run_fredsim(words(both, model_));
  EXPECT_NE(table.out.find("2 microbatches, of which two overlap"), std::string::npos) << table.out;
}

TEST_F(ExpertRuns, AreShorterWhereRanksHaveAsMuchToDo) {
  const auto time = [&](const Words& options) {
    Words all{"--ep", "4", "--router", "zipf:1.2"};
    all.insert(all.end(), options.begin(), options.end());
    const json found = run(all);
    return std::pair(found.at("experts").at("imbalance").get<double>(),
                     found.at("breakdown_ns").at("ep").get<double>());
  };
  const auto contiguous = time({});
  const std::string placement = folder_.file("placement.yaml");
  const auto balanced = time({"--expert-placement", "balanced", "--expert-slots", "3",
                              "--write-expert-placement", placement});
  EXPECT_LT(balanced.first, contiguous.first);
  EXPECT_LT(balanced.second, contiguous.second);
  EXPECT_EQ(time({"--expert-placement", placement}), balanced);
}

TEST_F(ExpertRuns, BadInputIsNamed) {
  const std::string short_rows = file("rows.yaml", "shares: [[0.5, 0.4]]\n");
  const std::string uneven = file("uneven.yaml", "shares: [[0.5, 0.4, 0, 0, 0, 0, 0, 0]]\n");
  const std::string lost = file("lost.yaml", "layers: [[[0, 1], [2, 3], [4, 5], [6, 6]]]\n");
  const std::vector<std::pair<Words, Words>> cases{
      {{"--ep", "3"}, {"--ep: found 3", "1, 2 or 4"}},
      {{"--ep", "0"}, {"--ep", "'0'"}},
      {{"--ep", "4", "--pp", "2"}, {"--dp, --pp: found mp1-dp4-pp2"}},
      {{"--ep", "4", "--router", "zipf"}, {"--router", "'zipf'", "uniform, zipf:S or a file"}},
      {{"--ep", "4", "--router", "zipf:x"}, {"--router", "'zipf:x'", "zipf:S"}},
      {{"--ep", "4", "--router", uneven}, {"uneven.yaml:1", "add up to 0.9", "1, within 0.001"}},
      {{"--ep", "4", "--router", short_rows}, {"found 2 shares", "8"}},
      {{"--ep", "4", "--expert-placement", lost}, {"lost.yaml:1", "expert 6 twice on rank 3"}},
      {{"--ep", "4", "--expert-slots", "1"}, {"--expert-slots", "2 or more"}},
      {{"--ep", "4", "--expert-slots", "3", "--expert-placement", lost},
       {"--expert-slots", "one of them"}},
      {{"--ep", "4", "--expert-placement", "even"},
       {"--expert-placement", "'even'", "contiguous, balanced or a file"}},
      {{"--ep", "4", "--capacity", "0"}, {"--capacity", "'0'", "above 0"}}};
  for (const auto& [options, found] : cases) {
    SCOPED_TRACE(testing::PrintToString(options));
    const Outcome outcome = run_fredsim(words(options, model_));
    EXPECT_EQ(outcome.exit_code, 2);
    for (const std::string& word : found)
      EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " in " << outcome.err;
  }
}

TEST_F(ExpertRuns, SayWhichWayTheyWouldGo) {
  const Outcome outcome = run_fredsim({"train", "configs/fred_small.yaml", "--workload", model_,
                                       "--phase", "decode", "--dp", "3", "--ep", "3"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(
      outcome.err.find("--ep: found 3, over which 8 experts do not divide: 2 ranks would have "
                       "3, 1 ranks 2; allowed: 1 or 2, or --expert-slots 3 or more"),
      std::string::npos)
      << outcome.err;
}

TEST_F(ExpertRuns, OptionsOfExpertsNeedSome) {
  const std::string dense = file("dense.yaml", model(""));
  for (const Words& options : std::vector<Words>{{"--ep", "4"},
                                                 {"--router", "uniform"},
                                                 {"--capacity", "2"},
                                                 {"--write-expert-placement", folder_.file("p")}}) {
    const Outcome outcome = run_fredsim(words(options, dense));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(
                  "which has no experts; allowed: with a model whose file has the key experts"),
              std::string::npos)
        << outcome.err;
  }
  for (const auto& [more, says] : std::vector<std::pair<std::string, std::string>>{
           {"experts: 4\n  top_k: 5\n", "top_k: found 5; allowed: at most 4, the experts"},
           {"top_k: 2\n", "top_k: found without experts"},
           {"experts: 4\n", "the key 'top_k' is missing"},
           {"experts: 4\n  top_k: 1\n  dense_layers: 3\n", "dense_layers"},
           {"kv_rank: 4\n  kv_heads: 2\n", "kv_heads: not together with kv_rank"},
           {"rope_size: 4\n", "rope_size: found without kv_rank"}}) {
    const Outcome outcome = run_fredsim(words({}, file("bad.yaml", model(more))));
    EXPECT_EQ(outcome.exit_code, 2) << more;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << says << " in " << outcome.err;
  }
}

}  // namespace
}  // namespace fredsim
