// SPDX-License-Identifier: Apache-2.0
// Tasks that a run holds: read-ahead, release of tasks and their operations, and the events that
// start tasks.
#include "workload/detail/held_tasks.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "workload/graphs.h"

namespace fredsim::test {
namespace {

// A graph as a source that records dropped tasks.
class WatchedTasks : public GraphTasks {
 public:
  using GraphTasks::GraphTasks;
  void forget(int rank, std::uint64_t end) override { forgotten[rank] = end; }
  void forget_operation(int number) override { operations.push_back(number); }

  std::map<int, std::uint64_t> forgotten;
  std::vector<int> operations;
};

void end_at(HeldTask& task, std::uint64_t cycle, std::uint64_t order = 1) {
  task.done = true;
  task.order = order;
  task.record.end = cycle;
}

TEST(HeldTasks, ReadsTheLookAheadAndDropsWhatIsOver) {
  GraphByHand hand;
  for (int i = 0; i < 100; ++i) hand.compute(0, 10);
  WatchedTasks source(hand.graph());
  HeldTasks tasks(source, false);
  EXPECT_EQ(tasks.end(0), 1) << "each comes after the one before";
  tasks.read_until(0, 5);
  EXPECT_EQ(tasks.end(0), 5);
  EXPECT_EQ(tasks.max(), 5U);

  for (int t = 0; t < 3; ++t) end_at(tasks.task(0, t), 10 * (t + 1));
  tasks.retire(0, 20);
  EXPECT_EQ(source.forgotten.at(0), 2U) << "task 2 ends at 30";
  EXPECT_FALSE(tasks.all_done());
  tasks.read_until(0, 1000);
  EXPECT_EQ(tasks.end(0), 100);
  EXPECT_EQ(tasks.max(), 98U);
  for (int t = 3; t < 100; ++t) end_at(tasks.task(0, t), 40);
  EXPECT_TRUE(tasks.all_done());
  tasks.retire(0, 40);
  EXPECT_EQ(source.forgotten.at(0), 100U);
}

TEST(HeldTasks, GivesComputationsInOrder) {
  GraphByHand hand;
  const int first = hand.compute(0, 10);
  hand.compute(0, 10, {first});
  GraphTasks source(hand.graph());
  HeldTasks tasks(source, false);
  tasks.read_until(0, 2);
  EXPECT_EQ(tasks.take_computation(0), 0);
  EXPECT_EQ(tasks.take_computation(0), -1) << "the second waits for the first";
  tasks.task(0, 1).waits = 0;
  EXPECT_EQ(tasks.take_computation(0), 1);
  EXPECT_EQ(tasks.take_computation(0), -1);
}

TEST(HeldTasks, OperationsAreThereUntilForgotten) {
  GraphByHand hand;
  const int operation = hand.operation({1, 0}, 1'000);
  for (int npu = 0; npu < 2; ++npu) hand.join(npu, operation);
  WatchedTasks source(hand.graph());
  HeldTasks tasks(source, false);
  const HeldOperation& held = tasks.operation(operation);
  EXPECT_EQ(held.tasks_left, 2);
  EXPECT_EQ(held.places[0][0].rank, 1);
  EXPECT_EQ(held.places[0][1].rank, 0);
  EXPECT_FALSE(tasks.kind_of(held).is_message);
  tasks.forget_operation(operation);
  EXPECT_EQ(tasks.find_operation(operation), nullptr);
  EXPECT_EQ(source.operations, std::vector<int>{operation});
}

// The cause is the dependency that ends last; among simultaneous ones, the one completed last.
TEST(HeldTasks, TheLastOneIsTheCause) {
  HeldTask early, late, later_done, waiting;
  end_at(early, 10, 3);
  end_at(late, 20, 1);
  end_at(later_done, 20, 2);
  waiting.take_cause(late, 5);
  waiting.take_cause(early, 4);
  EXPECT_EQ(waiting.cause, 5);
  EXPECT_EQ(waiting.ready, 20U);
  waiting.take_cause(later_done, 6);
  EXPECT_EQ(waiting.cause, 6);
  waiting.take_cause(late, 5);
  EXPECT_EQ(waiting.cause, 6);
}

TEST(HeldTasks, RecordsOfWhatIsNotOverHaveNoEnd) {
  GraphByHand hand;
  for (int i = 0; i < 3; ++i) hand.compute(0, 10);
  GraphTasks source(hand.graph());
  HeldTasks tasks(source, true);
  tasks.read_until(0, 3);
  for (int t = 0; t < 2; ++t) {
    end_at(tasks.task(0, t), 10 * (t + 1));
    tasks.keep_record(0, t);
  }
  tasks.mark_not_ended(15);
  const TaskRecords records = tasks.take_records();
  ASSERT_EQ(records[0].size(), 3U);
  EXPECT_EQ(records[0][0].end, 10U);
  EXPECT_EQ(records[0][1].end, kNotEnded) << "known before it has come";
  EXPECT_EQ(records[0][2].end, kNotEnded);
}

}  // namespace
}  // namespace fredsim::test
