// SPDX-License-Identifier: Apache-2.0
// Chakra traces of one collective: chunks from sends, receives and computations alone.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "refusal.h"
#include "support/schedule_texts.h"
#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload_files/chakra_writer.h"

namespace fredsim::test {
namespace {

using testing::HasSubstr;

constexpr int kTraceRanks = 3;

std::string text_attribute(const std::string& name, const std::string& text) {
  return bytes_field(2, bytes_field(1, name) + bytes_field(29, text));
}

std::string trace_text(const std::string& attributes, const std::vector<TraceNode>& nodes) {
  ChakraWriter writer;
  const std::size_t metadata = writer.text().size();
  for (const TraceNode& node : nodes) writer.add(node);
  return delimited(bytes_field(1, "1") + attributes) + writer.text().substr(metadata);
}

TraceNode message_node(std::uint64_t id, TraceNodeType type, int peer) {
  TraceNode node;
  node.id = id;
  node.name = fmt::format("node{}", id);
  node.type = type;
  if (id > 0) node.after = {id - 1};
  node.peer = peer;
  node.bytes = 1024;
  return node;
}

// Each node after the one before it, as converters write a thread block.
std::vector<TraceNode> ring_nodes(int rank) {
  const int next = (rank + 1) % kTraceRanks;
  const int before = (rank + kTraceRanks - 1) % kTraceRanks;
  std::vector<TraceNode> nodes;
  const auto add = [&](TraceNodeType type, int peer) {
    nodes.push_back(message_node(nodes.size(), type, peer));
  };
  for (int k = 0; k < 2 * kTraceRanks - 2; ++k) {
    add(TraceNodeType::kSend, next);
    add(TraceNodeType::kReceive, before);
    if (k < kTraceRanks - 1) nodes.push_back(compute_node(nodes.size(), {nodes.size() - 1}));
  }
  return nodes;
}

class ChakraSchedules : public testing::Test {
 protected:
  std::string write(const std::string& attributes, int without_last = 0) {
    for (int rank = 0; rank < kTraceRanks; ++rank) {
      std::vector<TraceNode> nodes = ring_nodes(rank);
      for (int k = 0; k < without_last && rank == 1; ++k) nodes.pop_back();
      write_file(folder_.file(fmt::format("ring.{}.et", rank)), trace_text(attributes, nodes));
    }
    return folder_.file("ring.0.et");
  }

  TemporaryFolder folder_;
};

TEST_F(ChakraSchedules, RingIsThatOfItsMessages) {
  const CollectiveSchedule ring = read_schedule(write(text_attribute("collective", "allreduce")));
  EXPECT_EQ(ring.format, "chakra_traces");
  EXPECT_EQ(ring.ranks, kTraceRanks);
  EXPECT_EQ(ring.collective, Collective::kAllReduce);
  ASSERT_EQ(ring.flows.size(), kTraceRanks);
  for (const ScheduleFlow& flow : ring.flows) {
    EXPECT_EQ(flow.sums.size(), kTraceRanks - 1);
    EXPECT_EQ(flow.results.size(), kTraceRanks - 1);
  }
}

TEST_F(ChakraSchedules, NamesMessagesThatAreMissing) {
  const std::string path = write(text_attribute("collective", "allreduce"), 1);
  EXPECT_THAT(fredsim::refusal_of([&] { read_schedule(path); }),
              HasSubstr("rank 0 sends 4 messages of tag 0 to rank 1, which receives 3"));
}

TEST_F(ChakraSchedules, NeedTheirCollective) {
  const std::string path = write("");
  EXPECT_THAT(fredsim::refusal_of([&] { read_schedule(path); }),
              HasSubstr("found no text 'collective' in its metadata; allowed: all_reduce"));
}

TEST_F(ChakraSchedules, AreReadFromTheirAlgorithmWhereMessagesDoNotSay) {
  const std::string path = write(text_attribute("collective", "allreduce") +
                                     text_attribute("input_file", msccl_ring(kTraceRanks)),
                                 1);
  const CollectiveSchedule ring = read_schedule(path);
  EXPECT_EQ(ring.flows.size(), kTraceRanks);
  ASSERT_EQ(ring.notes.size(), 1U);
  EXPECT_THAT(ring.notes.front(), HasSubstr("read from the algorithm in its metadata"));
}

}  // namespace
}  // namespace fredsim::test
