// SPDX-License-Identifier: Apache-2.0
// Order of operations in a stream, where dependencies lack it.
#include "workload_files/stream_order.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload_files/trace_check.h"
#include "workload_files/trace_feeder.h"

namespace fredsim {
namespace {

TraceNode operation(std::uint64_t id, std::uint64_t begin, int stream,
                    std::vector<std::uint64_t> after = {}) {
  TraceNode node = compute_node(id, std::move(after));
  node.start_ps = begin;
  node.duration_ps = 1;
  node.stream = stream;
  return node;
}

StreamOrder order_of(const std::vector<TraceNode>& nodes) {
  const TemporaryFolder folder;
  write_trace(folder.file("t.0.et"), nodes);
  return restored_stream_order(folder.file("t.0.et"), TraceDependencies::kAll);
}

TEST(StreamOrderTest, FollowsTheBeginsWhateverThePlaceInTheFile) {
  EXPECT_EQ(order_of({operation(1, 30, 7), operation(2, 10, 7), operation(3, 20, 7),
                      operation(4, 15, 8)}),
            (StreamOrder{{3, 2}, {1, 3}}));
}

TEST(StreamOrderTest, IsRestoredOnlyWhereNoChainOfDependenciesHasIt) {
  EXPECT_EQ(order_of({operation(1, 10, 7), operation(2, 20, 7, {1}), operation(3, 25, 8, {2}),
                      operation(4, 30, 7, {3}), operation(5, 40, 7)}),
            (StreamOrder{{5, 4}}));
}

TEST(StreamOrderTest, CpuOtherDevicesAndOperationsWithoutBeginHaveNone) {
  TraceNode cpu = operation(1, 10, 7), other = operation(2, 20, 7), untold = operation(3, 0, 7);
  cpu.on_cpu = true;
  other.device = 1;
  EXPECT_TRUE(order_of({cpu, other, untold, operation(4, 30, 7), operation(5, 40, -1)}).empty());
}

// Begins that contradict dependencies do not make a circle.
TEST(StreamOrderTest, DependenciesPrevailOverBegins) {
  EXPECT_EQ(order_of({operation(1, 10, 7, {2}), operation(2, 20, 7), operation(3, 30, 7)}),
            (StreamOrder{{3, 1}}));
  EXPECT_EQ(order_of({operation(1, 10, 7, {3}), operation(2, 20, 7), operation(3, 30, 8, {4}),
                      operation(4, 40, 8)}),
            (StreamOrder{{1, 2}}));
}

TEST(StreamOrderTest, IsCountedAndFed) {
  const TemporaryFolder folder;
  write_trace(folder.file("t.0.et"), {operation(1, 30, 7), operation(2, 10, 7)});
  const TraceFiles files = check_traces(folder.file("t"));
  EXPECT_EQ(files.restored, 1U);
  TraceFeeder feeder(files.paths[0], 9, files.dependencies, files.order_of(0));
  const auto first = feeder.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->id, 2U);
  EXPECT_FALSE(feeder.next()) << "waits for the one before it in its stream";
  feeder.complete(2);
  const auto second = feeder.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->after, std::vector<std::uint64_t>{2});
}

}  // namespace
}  // namespace fredsim
