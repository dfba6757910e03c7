// SPDX-License-Identifier: Apache-2.0
// Chakra files: written files are read back, foreign files are understood, damaged files are
// refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload_files/chakra_reader.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {
namespace {

std::string attribute(const std::string& name, const std::string& value) {
  return bytes_field(10, bytes_field(1, name) + value);
}

std::string fixed(int number, std::uint64_t value, int bytes) {
  std::string text = varint(static_cast<std::uint64_t>(number) << 3 | (bytes == 8 ? 1U : 5U));
  for (int k = 0; k < bytes; ++k) text.push_back(static_cast<char>(value >> (8 * k)));
  return text;
}

const std::string kMetadataMessage = delimited(bytes_field(1, "0.0.4"));

class Chakra : public testing::Test {
 protected:
  // A file of one node with the given fields.
  TraceNode only(const std::string& fields) {
    write_file(path_, kMetadataMessage + delimited(fields));
    const std::vector<TraceNode> nodes = read_trace(path_);
    EXPECT_EQ(nodes.size(), 1U);
    return nodes.at(0);
  }
  std::string refusal(const std::string& bytes) {
    write_file(path_, bytes);
    return refusal_of([&] { read_trace(path_); });
  }
  TemporaryFolder folder_;
  std::string path_ = folder_.file("t.0.et");
};

TraceNode random_node(std::uint64_t id, Random& random) {
  TraceNode node{.id = id, .name = fmt::format("node {}", random.below(1000))};
  node.type = static_cast<TraceNodeType>(1 + random.below(7));
  for (std::uint64_t at = 0; at < id; at += 1 + random.below(5)) node.after.push_back(at);
  node.duration_ps = random.below(3) == 0 ? 0 : random.below(1'000'000'000);
  node.on_cpu = random.below(2) != 0;
  if (!node.on_cpu && random.below(3) == 0) node.device = static_cast<int>(random.below(8));
  node.operations = random.next() >> random.below(64);
  node.tensor_bytes = random.next() >> random.below(64);
  if (node.type < TraceNodeType::kSend) return node;
  node.bytes = random.below(std::uint64_t{1} << 40);
  node.priority = static_cast<std::int64_t>(random.below(7)) - 3;
  if (random.below(2) != 0) node.group = fmt::format("{}", random.below(9));
  if (random.below(2) != 0) {
    node.shape = static_cast<int>(random.below(100));
    node.part = static_cast<int>(random.below(20));
    node.times = 1 + random.below(3);
  }
  if (random.below(4) == 0) node.category = "input_load";
  for (std::uint64_t k = random.below(4); k > 0; --k)
    node.dimensions.push_back(random.below(2) != 0);
  if (node.type == TraceNodeType::kCollective) {
    node.collective = static_cast<TraceCollective>(random.below(10));
    if (node.collective == TraceCollective::kBroadcast)
      node.peer = static_cast<int>(random.below(20));
    if (node.collective == TraceCollective::kAllToAll && random.below(2) != 0)
      node.splits = {node.bytes / 3, 0, node.bytes - node.bytes / 3};
  } else {
    node.peer = static_cast<int>(random.below(20));
    node.tag = static_cast<std::uint32_t>(random.below(100));
  }
  return node;
}

TEST_F(Chakra, WhatIsWrittenIsReadBack) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<TraceNode> nodes;
    for (std::uint64_t id = 0; id < random.below(60); ++id)
      nodes.push_back(random_node(id, random));
    write_trace(path_, nodes);
    EXPECT_EQ(read_trace(path_), nodes);
  }
}

TEST_F(Chakra, IntegersOfAnyKindAreTheSame) {
  const std::string head = varint_field(3, 7) + attribute("comm_type", varint_field(9, 2));
  const std::uint64_t size = 300;
  const std::vector<std::string> kinds{
      varint_field(7, size),
      varint_field(9, size),
      varint_field(11, size),
      varint_field(13, size),
      varint_field(15, 2 * size),
      varint_field(17, 2 * size),
      fixed(19, size, 4),
      fixed(21, size, 8),
      fixed(23, size, 4),
      fixed(25, size, 8),
      fixed(3, 0x4072C00000000000, 8),  // 300.0
  };
  for (const std::string& kind : kinds) {
    const TraceNode node = only(head + attribute("comm_size", kind));
    EXPECT_EQ(node.bytes, size);
    EXPECT_EQ(node.collective, TraceCollective::kAllGather);
    EXPECT_EQ(node.id, 0U);
  }
}

TEST_F(Chakra, AnAttributeWithoutValueIsZero) {
  const TraceNode node = only(varint_field(3, 7) + attribute("comm_type", "") +
                              attribute("comm_size", varint_field(9, 8)));
  EXPECT_EQ(node.collective, TraceCollective::kAllReduce);
}

TEST_F(Chakra, DependenciesPackedOrNotAndOfBothKindsAreOneSet) {
  const TraceNode node =
      only(varint_field(1, 9) + varint_field(3, 4) + varint_field(4, 7) +
           bytes_field(5, varint(300) + varint(7)) + varint_field(5, 2) + varint_field(7, 12));
  EXPECT_EQ(node.after, (std::vector<std::uint64_t>{2, 7, 300}));
  EXPECT_EQ(node.duration_ps, 12'000'000U);
}

TEST_F(Chakra, WhatIsNotKnownIsSkipped) {
  const TraceNode node = only(varint_field(3, 4) + bytes_field(98, "inputs") + varint_field(99, 5) +
                              attribute("colour", bytes_field(29, "red")) +
                              attribute("sizes", bytes_field(10, bytes_field(1, varint(5)))) +
                              attribute("num_ops", varint_field(13, 77)));
  EXPECT_EQ(node.operations, 77U);
}

// Nodes as Chakra's converter writes them from PyTorch's records.
TEST_F(Chakra, RecordedNodesAreReadAsTheyAre) {
  const std::string launcher =
      bytes_field(2, "c10d::allreduce_") + varint_field(3, 7) + varint_field(7, 85);
  const std::string cpu = attribute("is_cpu_op", varint_field(27, 1));
  EXPECT_EQ(only(launcher + cpu).type, TraceNodeType::kCompute);
  EXPECT_EQ(only(launcher + cpu).duration_ps, 85'000'000U);
  EXPECT_NE(refusal(kMetadataMessage + delimited(launcher)).find("comm_type: missing"),
            std::string::npos)
      << "not on the CPU";
  const TraceNode broadcast = only(varint_field(3, 7) + attribute("comm_type", varint_field(9, 5)) +
                                   attribute("comm_size", varint_field(9, 8)) +
                                   attribute("involved_dim", varint_field(27, 0)));
  EXPECT_TRUE(broadcast.dimensions.empty());
  write_file(path_, kMetadataMessage +
                        delimited(varint_field(1, 1) + varint_field(3, 0) + varint_field(7, 5)) +
                        delimited(varint_field(1, 2) + varint_field(3, 4)));
  ChakraReader reader(path_);
  TraceNode node;
  ASSERT_TRUE(reader.next(node));
  EXPECT_EQ(node.id, 2U);
  EXPECT_EQ(node.duration_ps, 0U) << "nothing of the node before it";
  EXPECT_FALSE(reader.next(node));
  EXPECT_EQ(reader.invalid(), 1U);
}

TEST_F(Chakra, RefusalsNameFileNodeAndField) {
  const std::string head = varint_field(1, 4) + bytes_field(2, "grad");
  const std::vector<std::pair<std::string, std::string>> cases{
      {varint_field(3, 8), "type: found 8"},
      {varint_field(3, 7) + attribute("comm_type", varint_field(9, 1)), "comm_size: missing"},
      {varint_field(3, 7) + attribute("comm_size", varint_field(9, 1)), "comm_type: missing"},
      {varint_field(3, 7) + attribute("comm_type", varint_field(9, 10)) +
           attribute("comm_size", varint_field(9, 1)),
       "comm_type: found 10"},
      {varint_field(3, 5) + attribute("comm_size", varint_field(9, 1)), "comm_dst: missing"},
      {varint_field(3, 6) + attribute("comm_size", varint_field(9, 1)) +
           attribute("comm_src", varint_field(7, ~std::uint64_t{0})),
       "comm_src: found -1"},
      {varint_field(3, 5) + attribute("comm_size", bytes_field(29, "big")),
       "comm_size: found no whole number"},
      {varint_field(3, 5) + attribute("comm_size", fixed(3, 0x3FF8000000000000, 8)),
       "comm_size: found no whole number"},
  };
  for (const auto& [fields, want] : cases) {
    const std::string message = refusal(kMetadataMessage + delimited(head + fields));
    EXPECT_NE(message.find(path_ + ": node 4 (grad): " + want), std::string::npos) << message;
  }
}

TEST_F(Chakra, NoFileAndAnEmptyOneAreRefused) {
  EXPECT_NE(refusal_of([&] { read_trace(folder_.file("none.et")); }).find("No such file"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { read_trace(folder_.path().string()); }).find("Is a directory"),
            std::string::npos);
  EXPECT_NE(refusal("").find("an empty file"), std::string::npos);
}

// Cut at every byte: at the end of a message it is a shorter trace, elsewhere it is refused.
TEST_F(Chakra, ACutFileIsRefused) {
  std::vector<TraceNode> nodes;
  Random random(3);
  ChakraWriter writer;
  std::vector<std::size_t> ends{writer.text().size()};
  for (std::uint64_t id = 0; id < 5; ++id) {
    nodes.push_back(random_node(id, random));
    writer.add(nodes.back());
    ends.push_back(writer.text().size());
  }
  for (std::size_t size = 1; size < writer.text().size(); ++size) {
    const auto end = std::ranges::find(ends, size);
    const std::string message = refusal(writer.text().substr(0, size));
    if (end != ends.end()) {
      EXPECT_EQ(message, "");
      const auto whole = end - ends.begin();
      EXPECT_EQ(read_trace(path_), std::vector<TraceNode>(nodes.begin(), nodes.begin() + whole));
    } else {
      EXPECT_NE(message.find("is damaged or cut off"), std::string::npos)
          << size << ": " << message;
    }
  }
}

// Any contents are read or refused.
TEST_F(Chakra, DamagedFilesAreReadOrRefused) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    ChakraWriter writer;
    for (std::uint64_t id = 0; id < 8; ++id) writer.add(random_node(id, random));
    std::string bytes = writer.text();
    for (int k = 0; k < 3; ++k)
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    write_file(path_, bytes);
    try {
      read_trace(path_);
    } catch (const std::exception& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.rfind(path_ + ": ", 0), 0U) << "seed " << seed << ": " << message;
    }
  }
}

}  // namespace
}  // namespace fredsim
