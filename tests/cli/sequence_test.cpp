// SPDX-License-Identifier: Apache-2.0
// --sp and --cp on the command line: statements of the results, both engines, traces written and
// read back, bad options.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using SequenceWords = std::vector<std::string>;

class SequenceOptions : public testing::Test {
 protected:
  SequenceOptions() {
    std::ofstream(model_)
        << "name: tiny\n"
           "transformer: {layers: 4, hidden: 64, heads: 4, kv_heads: 2, mlp: 128, "
           "vocabulary: 1000, sequence: 512}\n";
  }
  Outcome train(const std::string& machine, const SequenceWords& options) const {
    SequenceWords words{"train", machine, "--workload", model_, "--json", "-", "--quiet"};
    words.insert(words.end(), options.begin(), options.end());
    return run_fredsim(words);
  }
  nlohmann::json run(const std::string& machine, const SequenceWords& options) const {
    const Outcome outcome = train(machine, options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["runs"][0];
  }
  const TemporaryFolder folder_;
  const std::string model_ = folder_.file("model.yaml");
};

TEST_F(SequenceOptions, AreNamedInResults) {
  const nlohmann::json both =
      run("configs/mesh_2x2.yaml", {"--mp", "2", "--cp", "2", "--sp", "--minibatch", "3"});
  EXPECT_EQ(both["strategy"], "mp2-cp2-dp1-pp1");
  EXPECT_EQ(both["sequence_parallel"], true);
  EXPECT_EQ(both["minibatch"], 3);
  EXPECT_EQ(both["placement_npus"].size(), 4U);
  EXPECT_TRUE(both["breakdown_ns"].contains("cp"));
  const nlohmann::json none = run("configs/mesh_2x2.yaml", {"--mp", "2", "--dp", "2"});
  EXPECT_EQ(none["strategy"], "mp2-dp2-pp1");
  EXPECT_FALSE(none.contains("sequence_parallel"));
  const auto idealised = [](const nlohmann::json& of, const std::string& text) {
    return std::ranges::any_of(of["idealised"], [&](const nlohmann::json& one) {
      return one.get<std::string>().starts_with(text);
    });
  };
  for (const char* text : {"workers of a context merge", "gradients of norms are not reduced"}) {
    EXPECT_TRUE(idealised(both, text)) << text;
    EXPECT_FALSE(idealised(none, text)) << text;
  }
  EXPECT_FALSE(none["breakdown_ns"].contains("cp"));
  // Samples of a replica that is one context; activations of half of its tokens, all of them shared
  // by two.
  EXPECT_EQ(run("configs/mesh_2x2.yaml", {"--cp", "4"})["minibatch"], 16);
  const nlohmann::json alone = run("configs/mesh_2x2.yaml", {"--minibatch", "3"});
  const auto activations = [](const nlohmann::json& of) {
    return of["npu_memory"]["activations_bytes"].get<double>();
  };
  constexpr double kInput = 3 * 512 * 4;  // not shared by MP workers
  EXPECT_EQ(activations(both), (activations(alone) - kInput) / 4 + kInput / 2);
  const Outcome table = run_fredsim({"train", "configs/mesh_2x2.yaml", "--workload", model_, "--mp",
                                     "2", "--cp", "2", "--sp", "--quiet"});
  EXPECT_NE(table.out.find("mp2-cp2-dp1-pp1 with sequence parallelism"), std::string::npos)
      << table.out;
}

// The flow engine against every flit; its error on collectives of this size alone is as large.
TEST_F(SequenceOptions, BothEnginesAgree) {
  for (const char* machine : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"})
    for (const SequenceWords& options :
         {SequenceWords{"--mp", "2", "--sp", "--pp", "2"}, SequenceWords{"--cp", "4"},
          SequenceWords{"--mp", "2", "--cp", "2", "--sp"},
          SequenceWords{"--phase", "prefill", "--context", "512", "--mp", "2", "--cp", "2"}}) {
      SCOPED_TRACE(testing::PrintToString(options));
      SequenceWords flow = options;
      flow.insert(flow.end(), {"--engine", "flow"});
      const double exact = run(machine, options)["time_ns"];
      EXPECT_NEAR(run(machine, flow)["time_ns"].get<double>() / exact, 1, 0.05) << machine;
    }
}

TEST_F(SequenceOptions, ReadBackFromTracesTakeTheSameCycles) {
  for (const char* machine : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"})
    for (const SequenceWords& options :
         {SequenceWords{"--mp", "2", "--cp", "2", "--sp"}, SequenceWords{"--cp", "2", "--pp", "2"},
          SequenceWords{"--phase", "decode", "--mp", "2", "--sp", "--batch", "4"}}) {
      SCOPED_TRACE(testing::PrintToString(options));
      const TemporaryFolder traces;
      SequenceWords exported = options;
      exported.insert(exported.end(), {"--export-et", traces.file("t")});
      const nlohmann::json first = run(machine, exported);
      const Outcome second =
          run_fredsim({"train", machine, "--trace", traces.file("t"), "--comm-groups",
                       traces.file("t.groups.json"), "--json", "-", "--quiet"});
      ASSERT_EQ(second.exit_code, 0) << second.err;
      EXPECT_EQ(second.json()["runs"][0]["cycles"], first["cycles"]) << machine;
    }
}

TEST_F(SequenceOptions, BadOnesAreNamed) {
  const std::string mesh = "configs/mesh_2x2.yaml", small = "configs/models/small.yaml";
  const std::vector<std::pair<SequenceWords, SequenceWords>> cases{
      {{"--sp"}, {"--sp", "--mp 1", "2 or more"}},
      {{"--cp", "3"}, {"--cp", "found 3", "512 tokens"}},
      {{"--cp", "0"}, {"--cp", "'0'", "1 to 65536"}},
      {{"--cp", "two"}, {"--cp", "'two'"}},
      {{"--cp", "8"}, {"--cp", "mp1-cp8-dp1-pp1, 8 workers", "allowed: 4"}},
      {{"--cp", "65536", "--dp", "65536"}, {"--mp, --dp, --pp", "more than 1048576 workers"}},
      {{"--cp", "2", "--gradients", "every=2"}, {"--cp", "every=2", "without every="}},
      {{"--phase", "decode", "--cp", "2"}, {"--cp", "decode", "with prefill"}},
      {{"--phase", "decode", "--mp", "2", "--sp"}, {"--sp", "--mp 2", "the 1 tokens"}},
      {{"--phase", "prefill", "--cp", "2", "--context", "6"}, {"--cp", "found 2", "6 tokens"}}};
  for (const auto& [options, found] : cases) expect_refused(train(mesh, options), found);
  const auto refused = [&](const SequenceWords& options, const SequenceWords& found) {
    SequenceWords words{"train", mesh};
    words.insert(words.end(), options.begin(), options.end());
    expect_refused(run_fredsim(words), found);
  };
  refused({"--workload", small, "--mp", "2", "--sp"}, {"--sp", "model_small", "no transformer"});
  refused({"--cp", "2"}, {"--cp", "resnet152", "'transformer'"});
  std::ofstream(folder_.file("t.txt")) << "DATA\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 64 1\n";
  refused({"--workload", folder_.file("t.txt"), "--cp", "2"}, {"--cp", "text workloads say"});
  refused({"--workload", folder_.file("t.txt"), "--sp"}, {"--sp", "a text workload"});
}

}  // namespace
}  // namespace fredsim
