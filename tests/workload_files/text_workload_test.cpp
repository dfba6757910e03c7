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

TEST_F(TextWorkloadFile, DlrmMayNameItsWord) {
  const std::string text =
      "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n2\na -1 1 NONE 0 1 NONE 0 1 NONE "
      "0 1\nb -1 1 NONE 0 1 NONE 0 1 NONE 0 1";
  EXPECT_EQ(read(text).last_bottom_layer, 1);
}

TEST_F(TextWorkloadFile, WordsOfSimai) {
  const TextWorkload workload = read(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 16 pp: 12\tvpp: 8 ga: 24 "
      "all_gpus: 9216 mode: 0 checkpoints: 0 checkpoint_initiates: 0 pp_comm 50331648\r\n2\r\n"
      "norm\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLGATHER_DP_EP\t19327352832\t100\r\n"
      "moe -1 1 ALLTOALL_EP 100663296 1 REDUCESCATTER 4 1 ALLREDUCE 6 100\r\n");
  EXPECT_EQ(workload.model_group, 2);
  EXPECT_EQ(workload.ep, 16);
  EXPECT_EQ(workload.pp, 12);
  EXPECT_EQ(workload.vpp, 8);
  EXPECT_EQ(workload.ga, 24);
  EXPECT_EQ(workload.npus, 9216);
  EXPECT_EQ(workload.mode, 0);
  EXPECT_EQ(workload.pp_bytes, 50331648U);
  EXPECT_TRUE(workload.checkpoints.empty());
  ASSERT_EQ(workload.layers.size(), 2U);
  const TextPass& replicas = workload.layers[0].weight_gradient;
  EXPECT_EQ(replicas.collective, TraceCollective::kAllGather);
  EXPECT_EQ(replicas.group, TextGroup::kExpertReplicas);
  EXPECT_EQ(replicas.bytes, 19327352832U);
  const TextLayer& moe = workload.layers[1];
  EXPECT_EQ(moe.forward.collective, TraceCollective::kAllToAll);
  EXPECT_EQ(moe.forward.group, TextGroup::kExperts);
  EXPECT_EQ(moe.input_gradient.group, TextGroup::kUsual);
  EXPECT_EQ(moe.weight_gradient.group, TextGroup::kUsual);
}

TEST_F(TextWorkloadFile, EveryCollectiveHasEveryGroup) {
  const std::vector<std::pair<std::string, TraceCollective>> collectives{
      {"ALLREDUCE", TraceCollective::kAllReduce},
      {"ALLGATHER", TraceCollective::kAllGather},
      {"REDUCESCATTER", TraceCollective::kReduceScatter},
      {"ALLTOALL", TraceCollective::kAllToAll},
      {"BROADCAST", TraceCollective::kBroadcast}};
  const std::vector<std::pair<std::string, TextGroup>> groups{
      {"", TextGroup::kUsual},
      {"_EP", TextGroup::kExperts},
      {"_DP_EP", TextGroup::kExpertReplicas}};
  for (const auto& [word, collective] : collectives) {
    for (const auto& [ending, group] : groups) {
      SCOPED_TRACE(word + ending);
      const TextPass pass =
          read("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2\n1\na -1 1 " + word + ending +
               " 8 1 NONE 0 1 NONE 0 1")
              .layers[0]
              .forward;
      EXPECT_EQ(pass.collective, collective);
      EXPECT_EQ(pass.group, group);
    }
  }
}

// AICB divides sizes as floating-point numbers.
TEST_F(TextWorkloadFile, NumbersOfWordsMayEndInAPointAndZeros) {
  const auto bytes = [&](const std::string& number) {
    return read("HYBRID_TRANSFORMER pp_comm: " + number + "\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1")
        .pp_bytes;
  };
  EXPECT_EQ(bytes("25165824.0"), 25165824U);
  EXPECT_EQ(bytes("7.00"), 7U);
  for (const char* wrong : {"7.5", "7.", ".0", "7e3", "-7"})
    EXPECT_NE(refusal_of([&] { bytes(wrong); }), "") << wrong;
}

TEST_F(TextWorkloadFile, RefusalsNameFileLineAndColumn) {
  const std::string layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
  const std::string experts = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", ": an empty file"},
      {"DATTA\n1\n" + layer, ":1:1: type: found DATTA; did you mean 'DATA'? allowed: DATA, MODEL"},
      {"DATA 4\n1\n" + layer, ":1:6: word of DATA: found 4; allowed: model_parallel_NPU_group:"},
      {"HYBRID_TRANSFORMER model_parallel_NPU_group:\n1\n" + layer,
       ":1:45: model_parallel_NPU_group:: ends before its number"},
      {"DATA\n", ": ends before the number of layers"},
      {"DATA\n0\n", ":2:1: layers: found 0"},
      {"DATA\n1 2\n" + layer, ":2:3: layers: found 2 behind 1"},
      {"DATA\n2\n" + layer, ": has 1 lines of layers; line 2 says 2"},
      {"DATA\n1\n" + layer + layer, ": has 2 lines of layers; line 2 says 1"},
      {"DATA\n1\na -1 1 NONE 0\n", ":3:14: layer a: found 5 fields; allowed: 12"},
      {"DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 b\n", ":3:35: layer a: found 13 fields"},
      {"DATA\n1\na -1 -1 NONE 0 1 NONE 0 1 NONE 0 1\n", ":3:6: forward compute: found -1"},
      {"DATA\n1\na -1 1 NONE 0 1 ALLREDUSE 0 1 NONE 0 1\n",
       ":3:17: input gradient collective: found ALLREDUSE; did you mean 'ALLREDUCE'? allowed: "
       "NONE, "
       "ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL or BROADCAST"},
      {"DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 1e5 1\n", ":3:31: weight gradient bytes: found 1e5"},
      {"HYBRID_DLRM 1\n1\n" + layer, ":1:13: last bottom layer: found 1; allowed: 0 to 0"},
      {experts + "ep: 2 tp: 4\n1\n" + layer,
       ":1:54: word of HYBRID_TRANSFORMER: found tp:; did you mean 'ep:'? allowed: "
       "model_parallel_NPU_group:, ep:, pp:, vpp:, ga:, all_gpus:, mode:, pp_comm:, checkpoints: "
       "or "
       "checkpoint_initiates:"},
      {experts + "ep: 2 pp: 1 ep: 2\n1\n" + layer, ":1:60: ep: found twice; allowed: once"},
      {experts + "pp_comm 2 pp_comm: 2\n1\n" + layer, ":1:58: pp_comm: found twice"},
      {experts + "ep: 0\n1\n" + layer, ":1:52: ep:: found 0; allowed: 1 to 1048576"},
      {experts + "ep: pp: 2\n1\n" + layer, ":1:52: ep:: found pp:; allowed: 1 to 1048576"},
      {"DATA ep: 2\n1\n" + layer, ":1:6: word of DATA: found ep:"},
      {experts + "checkpoints: 2 0\n1\n" + layer, ":1:64: checkpoints:: ends before its number"},
      {experts + "checkpoints: 1 3\n1\n" + layer, ":1:63: checkpoints:: found 3; allowed: 0 to 0"},
      {experts + "\n1\na\t-1\t1\tALLTOALL_EP\t8\t1\tNONE\t0\t1\tNONE\t0\t1\n",
       ":3:8: forward collective: found ALLTOALL_EP, and line 1 without ep:; allowed: ALLTOALL_EP "
       "with ep: N there, or ALLTOALL"},
      {experts + "ep: 2\n1\na -1 1 NONE_EP 8 1 NONE 0 1 NONE 0 1\n",
       ":3:8: forward collective: found NONE_EP; did you mean 'NONE'? allowed: NONE"},
      {experts + "ep: 2\n1\na -1 1 ALLTOALL_TP 8 1 NONE 0 1 NONE 0 1\n",
       ":3:8: forward collective: found ALLTOALL_TP; did you mean 'ALLTOALL_EP'? allowed: NONE"},
  };
  for (const auto& [text, want] : cases) {
    const std::string message = refusal_of([&] { read(text); });
    EXPECT_EQ(message.rfind(path_ + want, 0), 0U) << "'" << message << "', wanted " << want;
  }
}

}  // namespace
}  // namespace fredsim
