// SPDX-License-Identifier: Apache-2.0
// Execution plans of MSCCL++: puts and signals, packets, sums from remote buffers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "refusal.h"

namespace fredsim::test {
namespace {

using testing::HasSubstr;

// Two ranks, one thread block each; `%r` is the rank, `%p` the other one.
std::string gpu_plan(const std::string& collective, int input, int output, int scratch,
                     const std::string& remote, const std::string& operations) {
  std::string text = fmt::format(
      R"({{"name": "t", "collective": "{}", "protocol": "Simple", "inplace": true, "gpus": [)",
      collective);
  for (int rank = 0; rank < 2; ++rank) {
    std::string gpu = fmt::format(
        R"({{"id": %r, "input_chunks": {}, "output_chunks": {}, "scratch_chunks": {},
        "threadblocks": [{{"id": 0, "ops": [{}],
          "channels": [{{"channel_type": "memory", "channel_ids": [0]}}],
          "remote_buffer_refs": [{{"access_channel_type": "memory", "remote_buffer_ids": [0]}}]}}],
        "channels": [{{"channel_type": "memory", "connected_to": [%p]}}],
        "remote_buffers": [{{"rank": %p, "type": "{}", "access_channel_types": ["memory"]}}]}})",
        input, output, scratch, operations, remote);
    for (std::size_t at = gpu.find('%'); at != std::string::npos; at = gpu.find('%'))
      gpu.replace(at, 2, std::to_string(gpu[at + 1] == 'r' ? rank : 1 - rank));
    text += (rank == 0 ? "" : ",") + gpu;
  }
  return text + "]}";
}

constexpr const char* kSignal =
    R"({"name": "signal", "channel_ids": [0], "channel_type": "memory"})";
constexpr const char* kWait = R"({"name": "wait", "channel_ids": [0], "channel_type": "memory"})";

std::string gather() {
  return gpu_plan("allgather", 1, 2, 0, "o",
                  std::string(R"({"name": "put", "src_buff": [{"type": "o", "index": %r,
                     "size": 1}], "dst_buff": [{"buffer_id": 0, "index": %r, "size": 1}],
                     "channel_ids": [0], "channel_type": "memory"},)") +
                      kSignal + "," + kWait);
}

// Reads the other's chunk, adds, and writes the sum back.
std::string reduce() {
  return gpu_plan("allreduce", 2, 2, 0, "i",
                  std::string(kSignal) + "," + kWait +
                      R"(,{"name": "rres", "src_buff": [{"type": "i", "index": %r, "size": 1},
             {"buffer_id": 0, "index": %r, "size": 1}],
             "dst_buff": [{"type": "i", "index": %r, "size": 1},
             {"buffer_id": 0, "index": %r, "size": 1}],
             "channel_type": "memory", "reduce_op": "sum"},)" +
                      kSignal + "," + kWait);
}

// Packets: both write their chunks to the other's scratch, and add what comes.
std::string packets() {
  return gpu_plan("allreduce", 2, 2, 2, "s",
                  R"({"name": "ppkt", "src_buff": [{"type": "i", "index": 0, "size": 2}],
                      "dst_buff": [{"buffer_id": 0, "index": 0, "size": 2}],
                      "channel_type": "memory"},
                      {"name": "repkt", "src_buff": [{"type": "i", "index": 0, "size": 2},
                      {"type": "s", "index": 0, "size": 2}],
                      "dst_buff": [{"type": "i", "index": 0, "size": 2}]})");
}

TEST(Mscclpp, PutsMoveBlocks) {
  const CollectiveSchedule schedule = schedule_of("x.json", gather());
  EXPECT_EQ(schedule.format, "mscclpp_json");
  ASSERT_EQ(schedule.flows.size(), 2U);
  EXPECT_EQ(schedule.flows[0].results, (std::vector<ScheduleHop>{{0, 1}}));
  EXPECT_EQ(schedule.flows[1].results, (std::vector<ScheduleHop>{{1, 0}}));
}

TEST(Mscclpp, SumsAreReadAndWrittenBack) {
  const CollectiveSchedule schedule = schedule_of("x.json", reduce());
  ASSERT_EQ(schedule.flows.size(), 2U);
  EXPECT_EQ(schedule.flows[0].sums, (std::vector<ScheduleHop>{{1, 0}}));
  EXPECT_EQ(schedule.flows[0].results, (std::vector<ScheduleHop>{{0, 1}}));
}

TEST(Mscclpp, PacketsWaitForTheirData) {
  const CollectiveSchedule schedule = schedule_of("x.json", packets());
  ASSERT_EQ(schedule.flows.size(), 1U);
  EXPECT_EQ(schedule.flows[0].operands.size(), 2U);
  EXPECT_EQ(schedule.flows[0].end, 2U);
}

TEST(Mscclpp, NamesFaults) {
  EXPECT_THAT(refusal_of("x.json", replaced(gather(), "\"type\": \"o\", \"index\": 0",
                                            "\"type\": \"o\", \"index\": 1")),
              HasSubstr("rank 0 has nothing yet at chunk 1, which it reads"));
  EXPECT_THAT(refusal_of("x.json", replaced(gather(), "\"put\"", "\"nop\"")),
              HasSubstr("at the end, chunk 0 of the output of rank 1: it lacks chunk 0 of rank 0"));
  EXPECT_THAT(refusal_of("x.json", replaced(gather(), "\"signal\"", "\"nop\"")),
              HasSubstr("waits for a signal of rank 0 on channel 0, which sends no more"));
  EXPECT_THAT(refusal_of("x.json", replaced(gather(), "\"put\"", "\"glres\"")),
              HasSubstr("gpus[0].threadblocks[0].ops[0].name: found \"glres\"; allowed: nop"));
  EXPECT_THAT(refusal_of("x.json", replaced(gather(), "\"wait\", \"channel_ids\": [0]",
                                            "\"wait\", \"channel_ids\": [7]")),
              HasSubstr("found 7"));
  EXPECT_THAT(refusal_of("x.json", replaced(gather(), "input_chunks", "inputChunks")),
              HasSubstr("gpus[0].input_chunks: found none; allowed: a value"));
}

}  // namespace
}  // namespace fredsim::test
