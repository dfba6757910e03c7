// SPDX-License-Identifier: Apache-2.0
// Task graph of a training run: computations and collectives of each rank, an NPU or an I/O
// controller.
//
// Tasks of a rank are listed so that each comes after its dependencies, which are tasks of the same
//   rank. Computations of a rank, and its loads and stores of memory, run one at a time in the
//   order of the list. A communication is the part of this rank in an operation: collectives on
//   several groups that run side by side and share the phases of the switches
//   (engine/communicator.h). Ranks synchronise by operations alone.
// Shapes: operations of equal collectives, groups and sizes share one shape and a plan. Collectives
//   `before` and `beside` a shape's own are planned with it, in this order, but not run: operations
//   that run apart, such as the stages of a pipeline, or weights and gradients, then have the same
//   phases in the switches. Shapes without them share phases where they can (engine/joint_plans.h).
// Repetition: an operation of several `times` is issued repeatedly, two issues at a time, so that
//   one follows the other without a gap; a task of a rank is complete when the rank has done its
//   part in all of them.
// Queues: operations of a queue run one at a time. When one is over, the next is the operation of
//   the lowest `need` among those that all of their ranks have reached; ties go to the first in the
//   graph. An operation that has begun is not preempted.
// Units: cycles, bytes. Categories divide the time of a rank (rank_time.h, critical_path.h).
// Errors: check() throws std::logic_error where a task waits for a later one, or where a member of
//   an operation has no task or several for it: a fault of a builder.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/joint_plans.h"

namespace fredsim {

// Memory and the categories after it appear only for graphs that have such tasks.
enum class TimeCategory : std::uint8_t {
  kCompute,
  kInputLoad,
  kMp,
  kPp,
  kDp,
  kStreaming,
  kMemory,
  kEp,
  kCp
};
inline constexpr auto kTimeCategories = std::to_array<std::string_view>(
    {"compute", "input_load", "mp", "pp", "dp", "streaming", "memory", "ep", "cp"});
constexpr bool is_always_shown(TimeCategory category) { return category < TimeCategory::kMemory; }

using CategoriesUsed = std::bitset<kTimeCategories.size()>;
using TimeBreakdown = std::array<std::uint64_t, kTimeCategories.size()>;  // cycles, by TimeCategory

struct Task {
  static constexpr std::uint64_t kNoNode = ~std::uint64_t{0};
  TimeCategory category = TimeCategory::kCompute;
  bool stores = false;  // store to memory; else a load
  int label = 0;        // TaskGraph::labels
  int iteration = 0;
  int lane = 0;                                    // computations of a lane run one at a time
  bool on_cpu = false;                             // of a CPU beside the NPU
  std::uint64_t cycles = 0;                        // duration of a computation
  std::uint64_t bytes = 0;                         // bytes to or from memory
  std::uint64_t node = kNoNode;                    // trace: id of its node
  int operation = -1;                              // communication: its operation
  int part = 0, rank = 0;                          // communication: its place in the operation
  std::vector<int> after{};                        // tasks of the same rank
  bool computes() const { return operation < 0; }  // on the NPU alone: memory accesses, too
};

struct TaskRank {
  int member = 0;  // base/member.h
  std::vector<Task> tasks;
};

using OperationShape = ApartWork;

struct GraphOperation {
  int shape = 0;
  int label = 0;
  std::uint64_t times = 1;
  int queue = -1, need = 0;  // -1: in none
  int group = -1;            // trace: index in TaskGraph::groups
  std::uint64_t number = 0;  // trace: operations of that group before it
};

struct TaskGraph {
  // Computations of a rank run in the order of its list. Otherwise the one that has been ready for
  // longest comes next, so that none waits behind one that is not ready.
  bool in_order = true;
  bool has_lanes = false;  // Task::lane counts
  std::vector<OperationShape> shapes;
  std::vector<GraphOperation> operations;
  std::vector<TaskRank> ranks;
  std::vector<std::string> labels;
  std::vector<std::string>
      groups{};  // trace: groups in which its operations meet, as messages name them

  bool has(TimeCategory category) const;  // true if any task has the category
  void check() const;
};

}  // namespace fredsim
