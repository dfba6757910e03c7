// SPDX-License-Identifier: Apache-2.0
// Random flow sets: disjoint sides, sizes as the kind says, the distribution as documented.
#include "routing/random_flows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace fredsim {
namespace {

void expect_kind(FlowKind kind, const Flow& flow) {
  const int inputs = std::popcount(flow.inputs);
  const int outputs = std::popcount(flow.outputs);
  switch (kind) {
    case FlowKind::kUnicast:
      EXPECT_EQ(inputs, 1);
      EXPECT_EQ(outputs, 1);
      break;
    case FlowKind::kMulticast:
      EXPECT_EQ(inputs, 1);
      EXPECT_GE(outputs, 2);
      break;
    case FlowKind::kReduce:
      EXPECT_GE(inputs, 2);
      EXPECT_EQ(outputs, 1);
      break;
    case FlowKind::kAllReduce:
      EXPECT_GE(inputs, 2);
      EXPECT_EQ(flow.inputs, flow.outputs);
      break;
    case FlowKind::kAny:
      EXPECT_GE(inputs, 1);
      EXPECT_GE(outputs, 1);
      break;
  }
}

TEST(RandomFlows, SidesAreDisjointAndOfTheirKind) {
  for (const FlowKind kind : all_flow_kinds()) {
    for (int ports = 2; ports <= 32; ++ports) {
      for (int count = 1; count <= max_flows(kind, ports); ++count) {
        SCOPED_TRACE(fmt::format("{} {} of {} ports", count, to_string(kind), ports));
        Random random(count);
        const std::vector<Flow> flows = random_flows(random, kind, ports, count);
        ASSERT_EQ(std::ssize(flows), count);
        std::uint32_t inputs = 0;
        std::uint32_t outputs = 0;
        for (const Flow& flow : flows) {
          expect_kind(kind, flow);
          EXPECT_EQ(flow.inputs & inputs, 0U);
          EXPECT_EQ(flow.outputs & outputs, 0U);
          inputs |= flow.inputs;
          outputs |= flow.outputs;
        }
        EXPECT_EQ((inputs | outputs) & ~(~0U >> (32 - ports)), 0U);
      }
    }
  }
}

TEST(RandomFlows, MostFlowsThatFit) {
  EXPECT_EQ(max_flows(FlowKind::kUnicast, 7), 7);
  EXPECT_EQ(max_flows(FlowKind::kAny, 7), 7);
  EXPECT_EQ(max_flows(FlowKind::kMulticast, 7), 3);
  EXPECT_EQ(max_flows(FlowKind::kReduce, 7), 3);
  EXPECT_EQ(max_flows(FlowKind::kAllReduce, 7), 3);
}

// Frequency of each of `keys`, with the quantity that must be equal for all of them.
void expect_equally_often(const std::map<std::string, int>& counts, std::size_t keys, int draws) {
  EXPECT_EQ(counts.size(), keys);
  const double mean = static_cast<double>(draws) / static_cast<double>(keys);
  for (const auto& [key, count] : counts)
    EXPECT_NEAR(count, mean, 5 * std::sqrt(mean)) << key << ": five standard deviations";
}

// Two all-reduces on 7 ports: sizes (2,2) (2,3) (3,2) (2,4) (4,2) (3,3) (2,5) (5,2) (3,4) (4,3).
TEST(RandomFlows, SizesAreEquallyLikely) {
  std::map<std::string, int> counts;
  Random random(1);
  for (int n = 0; n < 20'000; ++n) {
    const std::vector<Flow> flows = random_flows(random, FlowKind::kAllReduce, 7, 2);
    ++counts[fmt::format("{},{}", std::popcount(flows[0].inputs), std::popcount(flows[1].inputs))];
  }
  expect_equally_often(counts, 10, 20'000);
}

// Unicasts: every ordered pick of 2 of 4 inputs with every ordered pick of 2 of 4 outputs.
TEST(RandomFlows, PortsAreEquallyLikely) {
  std::map<std::string, int> counts;
  Random random(2);
  for (int n = 0; n < 144 * 200; ++n) {
    const std::vector<Flow> flows = random_flows(random, FlowKind::kUnicast, 4, 2);
    ++counts[fmt::format("{}:{} {}:{}", flows[0].inputs, flows[0].outputs, flows[1].inputs,
                         flows[1].outputs)];
  }
  expect_equally_often(counts, 144, 144 * 200);
}

// Kind any: the sizes of the two sides know nothing of one another. One flow on 3 ports, 3 x 3
// sizes.
TEST(RandomFlows, SidesAreIndependent) {
  std::map<std::string, int> counts;
  Random random(3);
  for (int n = 0; n < 9 * 400; ++n) {
    const Flow flow = random_flows(random, FlowKind::kAny, 3, 1).front();
    ++counts[fmt::format("{}:{}", std::popcount(flow.inputs), std::popcount(flow.outputs))];
  }
  expect_equally_often(counts, 9, 9 * 400);
}

}  // namespace
}  // namespace fredsim
