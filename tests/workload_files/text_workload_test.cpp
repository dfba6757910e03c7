// SPDX-License-Identifier: Apache-2.0
// ASTRA-sim's text workloads: parsed contents, and refusals with file, line and column.
#include "workload_files/text_workload.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.h"
#include "support/traces.h"

namespace fredsim {
namespace {

class TextWorkloadFile : public testing::Test {
 protected:
  TextWorkload read(const std::string& text) {
    write_file(path_, text);
    return read_text_workload(path_);
  }
  TemporaryFolder folder_;
  std::string path_ = folder_.file("w.txt");
};

TEST_F(TextWorkloadFile, FieldsAreSeparatedByAnyWhiteSpace) {
  const TextWorkload workload = read(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 4 checkpoints: 2 1 0 "
      "checkpoint_initiates: 1 1\t\t\r\n2\t\t\t\r\n\r\n"
      "Q1\t-1\t\t3 NONE\t\t0\t4  ALLREDUCE 8388608\t5 ALLGATHER 7\t10\r\n"
      "K1 -1 1 ALLTOALL 2 3 REDUCESCATTER 4 5 BROADCAST 6 7");
  EXPECT_EQ(workload.type, TextWorkloadType::kHybridTransformerFwdInBckwd);
  EXPECT_EQ(workload.model_group, 4);
  EXPECT_EQ(workload.checkpoints, (std::vector<int>{0, 1}));
  EXPECT_EQ(workload.recomputations, std::vector<int>{1});
  ASSERT_EQ(workload.layers.size(), 2U);
  const TextLayer& first = workload.layers[0];
  EXPECT_EQ(first.name, "Q1");
  EXPECT_EQ(first.forward.compute_ns, 3U);
  EXPECT_FALSE(first.forward.collective);
  EXPECT_EQ(first.input_gradient.collective, TraceCollective::kAllReduce);
  EXPECT_EQ(first.input_gradient.bytes, 8388608U);
  EXPECT_EQ(first.weight_gradient.collective, TraceCollective::kAllGather);
  EXPECT_EQ(first.update_ns, 10U);
  const TextLayer& second = workload.layers[1];
  EXPECT_EQ(second.forward.collective, TraceCollective::kAllToAll);
  EXPECT_EQ(second.input_gradient.collective, TraceCollective::kReduceScatter);
  EXPECT_EQ(second.weight_gradient.collective, TraceCollective::kBroadcast);
}

TEST_F(TextWorkloadFile, DlrmAndCustomizedTypes) {
  EXPECT_EQ(read("HYBRID_DLRM 0\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1").last_bottom_layer, 0);
  const TextWorkload custom = read(
      "HYBRID_CUSTOMIZED\n2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 DATA\n"
      "b -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MODEL");
  EXPECT_EQ(custom.layers[0].type, TextWorkloadType::kData);
  EXPECT_EQ(custom.layers[1].type, TextWorkloadType::kModel);
}

TEST_F(TextWorkloadFile, RefusalsNameFileLineAndColumn) {
  const std::string layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", ": an empty file"},
      {"DATTA\n1\n" + layer, ":1: type: found DATTA; did you mean 'DATA'?"},
      {"DATA 4\n1\n" + layer, ":1: option: found 4"},
      {"HYBRID_TRANSFORMER model_parallel_NPU_group:\n1\n" + layer,
       ":1: model_parallel_NPU_group:"},
      {"DATA\n", ": ends before the number of layers"},
      {"DATA\n0\n", ":2: layers: found 0"},
      {"DATA\n2\n" + layer, ": has 1 lines of layers; line 2 says 2"},
      {"DATA\n1\n" + layer + layer, ": has 2 lines of layers; line 2 says 1"},
      {"DATA\n1\na -1 1 NONE 0\n", ":3: layer a: found 5 fields; allowed: 12"},
      {"DATA\n1\na -1 -1 NONE 0 1 NONE 0 1 NONE 0 1\n", ":3: forward compute: found -1"},
      {"DATA\n1\na -1 1 NONE 0 1 ALLREDUSE 0 1 NONE 0 1\n",
       ":3: input gradient collective: found ALLREDUSE"},
      {"DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 1e5 1\n", ":3: weight gradient bytes: found 1e5"},
      {"HYBRID_DLRM 1\n1\n" + layer, ":1: last bottom layer: found layer 1; allowed: 0 to 0"},
  };
  for (const auto& [text, want] : cases) {
    const std::string message = refusal_of([&] { read(text); });
    EXPECT_EQ(message.rfind(path_ + want, 0), 0U) << "'" << message << "', wanted " << want;
  }
}

}  // namespace
}  // namespace fredsim
