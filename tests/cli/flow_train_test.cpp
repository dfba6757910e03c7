// SPDX-License-Identifier: Apache-2.0
// --engine flow for sequences, training and works with order, compared with --engine exact on small
// machines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr double kMaxPercent = 4;      // times of runs
constexpr double kMaxPartPercent = 1;  // breakdown parts, in percent of the iteration

json runs_with(Words words, const std::string& engine) {
  words.insert(words.end(), {"--engine", engine, "--quiet", "--json", "-"});
  const Outcome outcome = run_fredsim(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"] : json::array();
}

double percent(const json& flow, const json& exact) {
  return 100 * std::abs(flow.get<double>() / exact.get<double>() - 1);
}

void expect_same_traffic(const json& flow, const json& exact) {
  EXPECT_EQ(flow["traffic"], exact["traffic"]);
  ASSERT_EQ(flow["links"].size(), exact["links"].size());
  for (std::size_t l = 0; l < flow["links"].size(); ++l) {
    EXPECT_EQ(flow["links"][l]["flits"], exact["links"][l]["flits"]);
    EXPECT_EQ(flow["links"][l]["bytes"], exact["links"][l]["bytes"]);
  }
  EXPECT_EQ(flow["operations"]["complete"], exact["operations"]["complete"]);
  EXPECT_EQ(flow["engine"], "flow");
  EXPECT_EQ(flow["payload"], "not carried");
  EXPECT_FALSE(exact.contains("engine"));
}

class FlowTraining : public testing::TestWithParam<Words> {};

TEST_P(FlowTraining, HasTheTrafficOfExactRunsAndNearlyTheirTimes) {
  Words words{"train",      "configs/mesh_2x2.yaml", "configs/fred_small.yaml",
              "--workload", "transformer_17b",       "--minibatch",
              "8",          "--iterations",          "1"};
  words.insert(words.end(), GetParam().begin(), GetParam().end());
  const json exact = runs_with(words, "exact");
  const json flow = runs_with(words, "flow");
  ASSERT_EQ(exact.size(), 2U);
  ASSERT_EQ(flow.size(), 2U);
  for (std::size_t r = 0; r < exact.size(); ++r) {
    const json& e = exact[r];
    const json& f = flow[r];
    SCOPED_TRACE(e["fabric"]);
    expect_same_traffic(f, e);
    EXPECT_LE(percent(f["iteration_ns"], e["iteration_ns"]), kMaxPercent);
    EXPECT_LE(f["error"]["mean_percent"], f["error"]["worst_percent"]);
    EXPECT_LE(percent(f["iteration_ns"], e["iteration_ns"]), f["error"]["mean_percent"]);
    for (const auto& [name, error] : f["breakdown_error_percent"].items()) {
      const double ns = f["breakdown_ns"][name];
      EXPECT_EQ(error.is_null(), ns == 0) << name;
      if (error.is_null()) continue;
      EXPECT_LE(100 * std::abs(e["breakdown_ns"][name].get<double>() - ns),
                error.get<double>() * ns)
          << name;
    }
    EXPECT_NE(f["error"]["measured_on"].get<std::string>().find("each operation alone"),
              std::string::npos);
    std::vector<std::string> names, names_of_exact;
    for (const auto& [name, ns] : f["breakdown_ns"].items()) {
      names.push_back(name);
      EXPECT_NEAR(ns.get<double>(), e["breakdown_ns"][name].get<double>(),
                  e["iteration_ns"].get<double>() * kMaxPartPercent / 100)
          << name;
    }
    for (const auto& [name, ns] : e["breakdown_ns"].items()) names_of_exact.push_back(name);
    EXPECT_EQ(names, names_of_exact);
    ASSERT_EQ(f["ranks"].size(), e["ranks"].size());
    for (std::size_t k = 0; k < f["ranks"].size(); ++k)
      EXPECT_EQ(f["ranks"][k]["member"], e["ranks"][k]["member"]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, FlowTraining,
    testing::Values(Words{"--dp", "4", "--gradients", "layer"},
                    Words{"--mp", "2", "--pp", "2", "--compute-rate", "1PFLOP/s"},
                    Words{"--mp", "2", "--dp", "2", "--gradients", "zero2=64MiB"},
                    Words{"--dp", "2", "--pp", "2", "--accounting", "overlap"}));

class ShortFlowTraining : public FolderTest {};

// Exact runs, since nothing that is measured of single operations says how small ones overlap:
// random models of a few kilobytes were up to 37 % off as flows. With one worker there is no
// operation at all.
TEST_F(ShortFlowTraining, IsTheExactRun) {
  constexpr int kRuns = 12;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    Random random(seed);
    const std::uint64_t mp = std::uint64_t{1} << random.below(3);
    const std::uint64_t pp = mp == 4 ? 1 : 1 + random.below(2);
    const std::uint64_t dp = seed == kRuns ? 1 : 4 / mp / pp;
    const std::string model =
        write("model.yaml",
              fmt::format("name: tiny\nsample: 512 B\nlayers:\n  - {{name: block, repeat: {}, "
                          "parameters: {}, flops: 1e6, output: {} B, reduces: true}}\n",
                          2 + random.below(2), 600 + random.below(60000), 512 << random.below(6)));
    Words words{"train", "configs/mesh_2x2.yaml", "configs/fred_small.yaml"};
    const auto add = [&](const std::string& option, const std::string& value) {
      words.insert(words.end(), {option, value});
    };
    add("--workload", model);
    add("--mp", std::to_string(seed == kRuns ? 1 : mp));
    add("--pp", std::to_string(seed == kRuns ? 1 : pp));
    add("--dp", std::to_string(dp));
    add("--minibatch", std::to_string(4 * dp));
    add("--iterations", std::to_string(1 + random.below(3)));
    if (random.below(2) == 1) add("--accounting", "overlap");
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, fmt::join(words, " ")));
    const json exact = runs_with(words, "exact"), flow = runs_with(words, "flow");
    ASSERT_EQ(exact.size(), 2U);
    ASSERT_EQ(flow.size(), 2U);
    for (std::size_t r = 0; r < exact.size(); ++r) {
      expect_same_traffic(flow[r], exact[r]);
      EXPECT_EQ(flow[r]["iterations_ns"], exact[r]["iterations_ns"]);
      EXPECT_EQ(flow[r]["breakdown_ns"], exact[r]["breakdown_ns"]);
      EXPECT_EQ(flow[r]["ranks"], exact[r]["ranks"]);
      EXPECT_EQ(flow[r]["error"]["worst_percent"], 0);
    }
  }
}

TEST(FlowTrain, TakesModelsThatAreStreamedAndInference) {
  for (const Words& words :
       std::vector<Words>{{"train", "configs/mesh.yaml", "--workload", "configs/models/small.yaml",
                           "--dp", "20", "--execution", "streaming", "--minibatch", "20"},
                          {"train", "configs/fred_d.yaml", "--workload", "transformer_17b", "--mp",
                           "20", "--phase", "decode", "--iterations", "2"},
                          {"train", "configs/fred_d.yaml", "--workload", "transformer_17b", "--mp",
                           "20", "--phase", "prefill", "--iterations", "1"},
                          {"train", "configs/mesh.yaml", "--workload", "transformer_17b", "--mp",
                           "4", "--dp", "5", "--phase", "prefill", "--batch", "10", "--context",
                           "512", "--overlap", "microbatches=2"}}) {
    const json exact = runs_with(words, "exact");
    const json flow = runs_with(words, "flow");
    ASSERT_EQ(flow.size(), 1U);
    ASSERT_EQ(exact.size(), 1U);
    expect_same_traffic(flow[0], exact[0]);
    EXPECT_LE(percent(flow[0]["iteration_ns"], exact[0]["iteration_ns"]), kMaxPercent);
  }
}

class FlowDetours : public FolderTest {};

// NPUs that only send on end last: no rank's task is left of the operation then. Placements drawn
// at random.
TEST_F(FlowDetours, MayEndAfterTheirRanks) {
  const std::string model =
      write("model.yaml",
            "name: block\nsample: 512 B\nlayers:\n  - {name: block, repeat: 8, parameters: "
            "1000000, flops: 1e9, output: 50 MB, reduces: true}\n");
  for (const auto& [mp, dp, npus] :
       {std::tuple{"4", "2", "[7, 6, 17, 8, 19, 15, 13, 0, 3, 9, 14, 4, 10, 12, 16, 5]"},
        std::tuple{"5", "1", "[8, 3, 6, 5, 15, 16, 2, 12, 0, 1]"}}) {
    SCOPED_TRACE(npus);
    const json runs = runs_with({"train",          "configs/mesh.yaml",
                                 "--workload",     model,
                                 "--mp",           mp,
                                 "--dp",           dp,
                                 "--pp",           "2",
                                 "--samples",      "2",
                                 "--microbatches", "2",
                                 "--iterations",   "1",
                                 "--algorithm",    "auto",
                                 "--placement",    write("placement", npus)},
                                "flow");
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_GT(runs[0]["breakdown_ns"]["mp"], 0);
    EXPECT_GT(runs[0]["error"]["mean_percent"], 0);  // flows, not an exact run
  }
}

TEST(FlowTrain, RefusesWhatOnlyFlitsHave) {
  for (const Words& words : std::vector<Words>{{"--model", "rtl"},
                                               {"--rtl-instances", "*"},
                                               {"--lanes", "2"},
                                               {"--packet-order", "recurring"},
                                               {"--no-skip"},
                                               {"--threads", "2"},
                                               {"--timeout-cycles", "9"}}) {
    Words all{"train",      "configs/fred_small.yaml",
              "--workload", "configs/models/small.yaml",
              "--dp",       "4",
              "--engine",   "flow"};
    all.insert(all.end(), words.begin(), words.end());
    expect_refused(run_fredsim(all),
                   {words.front() + ": found with --engine flow; allowed: --engine exact, since"});
  }
  expect_refused(run_fredsim({"train", "configs/fred_small.yaml", "--engine", "fluid"}),
                 {"--engine: found 'fluid'; did you mean 'flow'?"});
}

class FlowWork : public FolderTest {};

// The order, the names and the starts of a work with order.
TEST_F(FlowWork, KeepsTheOrderOfItsSteps) {
  const std::string file = write("work.yaml", R"(
- {name: forward, collective: all_reduce, groups: [[0, 1], [2, 3]], size: 8KiB, priority: mp, repeat: 30, delay: 20}
- {name: data, collective: all_reduce, groups: [[0, 2], [1, 3]], size: 64KiB, priority: dp, after: forward}
- {collective: all_gather, size: 4KiB, priority: mp, after: [{name: data, rank: all}, forward], delay: 10 ns}
)");
  for (const std::string machine : {"mesh_2x2", "fred_small"}) {
    SCOPED_TRACE(machine);
    const Words words{"run", "configs/" + machine + ".yaml", "--work", file};
    const json exact = runs_with(words, "exact").at(0);
    const json flow = runs_with(words, "flow").at(0);
    expect_same_traffic(flow, exact);
    EXPECT_LE(percent(flow["cycles"], exact["cycles"]), kMaxPercent);
    ASSERT_EQ(flow["parts"].size(), 5U);
    const auto start = [&](int part) { return flow["parts"][part]["start_cycle"].get<int>(); };
    const auto end = [&](int part) {
      return start(part) + flow["parts"][part]["cycles"].get<int>();
    };
    EXPECT_EQ(flow["parts"][0]["name"], "forward");
    EXPECT_EQ(flow["parts"][0]["operations"], 30);
    EXPECT_EQ(start(0), 20);
    EXPECT_GE(start(2), std::min(end(0), end(1)));
    const double ghz = flow["clock_ghz"].get<double>();
    EXPECT_EQ(start(4), std::max(end(2), end(3)) + 1 + static_cast<int>(std::ceil(10 * ghz)));
    EXPECT_EQ(end(4), flow["cycles"].get<int>());
  }
}

TEST_F(FlowWork, IsAnAxisOfStudies) {
  write("study.yaml",
        "machines: configs/mesh_2x2.yaml\n"
        "train: {workload: configs/models/small.yaml, dp: 4, engine: [exact, flow]}\n");
  const Outcome outcome = run_fredsim({"sweep", path("study.yaml"), "--results", path("r")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("2 points: 2 done, 0 failed"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace fredsim
