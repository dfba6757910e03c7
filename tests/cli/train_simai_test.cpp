// SPDX-License-Identifier: Apache-2.0
// `fredsim train` with text workloads of SimAI: groups against the same collectives by `run`,
// stages against the time of an interleaved pipeline, words in the results, refusals.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const std::string kSmallMesh = "configs/mesh_2x2.yaml";

class TrainSimai : public testing::Test {
 protected:
  Outcome train(const std::string& words, const Words& lines, const Words& more = {"--json", "-"}) {
    std::ofstream file(path_, std::ios::binary);
    file << "HYBRID_TRANSFORMER_FWD_IN_BCKWD " << words << "\n" << lines.size() << "\n";
    for (const std::string& line : lines) file << line << "\n";
    file.close();
    Words all{"train", kSmallMesh, "--workload", path_, "--iterations", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return run_fredsim(all);
  }
  TemporaryFolder folder_;
  std::string path_ = folder_.file("simai.txt");
};

TEST_F(TrainSimai, ACollectiveTakesWhatItTakesOnItsGroupsAlone) {
  const Words near{"0,1", "2,3"}, far{"0,2", "1,3"};
  struct Case {
    std::string words, forward, weights;
    Words groups;
    std::string collective;
  };
  const std::vector<Case> cases{
      {"model_parallel_NPU_group: 2 ep: 1", "ALLGATHER", "NONE", near, "all_gather"},
      {"model_parallel_NPU_group: 2 ep: 2", "ALLTOALL_EP", "NONE", far, "all_to_all"},
      {"model_parallel_NPU_group: 1 ep: 2", "ALLTOALL_EP", "NONE", near, "all_to_all"},
      {"model_parallel_NPU_group: 1 ep: 2", "REDUCESCATTER_DP_EP", "NONE", far, "reduce_scatter"},
      {"model_parallel_NPU_group: 1 ep: 2", "NONE", "ALLREDUCE_DP_EP", far, "all_reduce"},
      {"model_parallel_NPU_group: 2 ep: 1", "NONE", "ALLREDUCE", far, "all_reduce"},
      {"model_parallel_NPU_group: 1 ep: 1", "NONE", "ALLREDUCE_DP_EP", {"all"}, "all_reduce"},
      // Stages have groups of their own.
      {"model_parallel_NPU_group: 1 ep: 1 pp: 2 pp_comm 0", "NONE", "ALLREDUCE", near, ""},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.words + " " + one.forward + " " + one.weights);
    const Outcome trained =
        train(one.words,
              {"a -1 1000 " + one.forward + (one.forward == "NONE" ? " 0" : " 65536") +
               " 0 NONE 0 1000 " + one.weights + (one.weights == "NONE" ? " 0" : " 65536") + " 0"});
    if (one.collective.empty()) {
      EXPECT_EQ(trained.exit_code, 2) << trained.err;
      EXPECT_NE(trained.err.find("pp_comm: found 0; allowed with pp: 2"), std::string::npos)
          << trained.err;
      continue;
    }
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    Words words{"run",    kSmallMesh, "--collective", one.collective,
                "--size", "64KiB",    "--json",       "-"};
    for (const std::string& group : one.groups) words.insert(words.end(), {"--group", group});
    const Outcome alone = run_fredsim(words);
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    const json of_train = trained.json()["runs"][0], of_run = alone.json()["runs"][0];
    EXPECT_EQ(of_train["traffic"]["injected_bytes"], of_run["traffic"]["injected_bytes"]);
    ASSERT_EQ(of_train["links"].size(), of_run["links"].size());
    for (std::size_t l = 0; l < of_run["links"].size(); ++l)
      EXPECT_EQ(of_train["links"][l]["bytes"], of_run["links"][l]["bytes"]) << of_run["links"][l];
    EXPECT_NEAR(of_train["time_ns"], 2000 + of_run["time_ns"].get<double>(), 3);
  }
}

// (microbatches x parts + stages - 1) steps of a part, forward and backward.
TEST_F(TrainSimai, StagesTakeTheTimeOfAnInterleavedPipeline) {
  constexpr int kMicrobatches = 4;
  for (const int parts : {1, 2}) {
    SCOPED_TRACE(parts);
    Words lines{"head -1 0 NONE 0 0 NONE 0 0 NONE 0 0"};
    for (int m = 0; m < kMicrobatches; ++m)
      for (const char* name : {"a", "b"})
        lines.push_back(std::string(name) + " -1 50000 NONE 0 60000 NONE 0 40000 NONE 0 0");
    const Outcome outcome =
        train("model_parallel_NPU_group: 1 ep: 1 pp: 2 vpp: " + std::to_string(parts) +
                  " ga: 4 all_gpus: 4 pp_comm: 1024.0",
              lines);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json run = outcome.json()["runs"][0];
    const double part = 300'000.0 / parts, bubble = part;  // of one stage beside the first
    EXPECT_NEAR(run["iteration_ns"], kMicrobatches * 300'000 + bubble, 3000);
    EXPECT_NEAR(run["breakdown_ns"]["bubble"], bubble, 3000);
    // Both NPUs of a stage pass each microbatch on at every place but the last, and back.
    EXPECT_EQ(run["traffic"]["injected_bytes"], 2 * 2 * kMicrobatches * (2 * parts - 1) * 1024);
  }
}

TEST_F(TrainSimai, ResultsSayWhatTheWordsDo) {
  const std::string words =
      "model_parallel_NPU_group: 2 ep: 2 pp: 3 vpp: 8 ga: 1 all_gpus: 24 mode: 1 pp_comm 8";
  const Words line{"a -1 1000 ALLTOALL_EP 64 1000 NONE 0 1000 NONE 0 0"};
  const Outcome outcome = train(words, line);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json run = outcome.json()["runs"][0];
  EXPECT_EQ(run["workload_words"].size(), 8U) << run["workload_words"];
  EXPECT_EQ(run["workload_words"][1],
            "ep: 2: _EP on groups of 2 NPUs, 2 apart; _DP_EP on single NPUs, which send nothing");
  EXPECT_NE(run["idealised"].dump().find("one of the 3 stages of the pipeline runs"),
            std::string::npos)
      << run["idealised"];
  EXPECT_LT(run["iteration_ns"], 1900) << "a forward pass alone";
  const Outcome text = train(words, line, {});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("mode: 1: inference, forward passes only"), std::string::npos)
      << text.out;
}

TEST_F(TrainSimai, RefusalsNameLineAndColumn) {
  const auto refusal = [&](const std::string& words, const std::string& forward) {
    const Outcome outcome = train(words, {"a -1 1 " + forward + " 64 1 NONE 0 1 NONE 0 0"});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    return outcome.err;
  };
  EXPECT_NE(refusal("ep: 2 zp: 3", "ALLTOALL").find(path_ + ":1:39: word of HYBRID_TRANSFORMER"),
            std::string::npos);
  EXPECT_NE(refusal("model_parallel_NPU_group: 2 ep: 2", "ALLTOALL_EE")
                .find(path_ + ":3:8: forward collective: found ALLTOALL_EE"),
            std::string::npos);
  EXPECT_NE(refusal("model_parallel_NPU_group: 2 ep: 3", "ALLTOALL_EP")
                .find("ep: found 3; allowed: a divisor of 2"),
            std::string::npos);
}

}  // namespace
}  // namespace fredsim
