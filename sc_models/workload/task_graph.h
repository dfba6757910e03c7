// SPDX-License-Identifier: Apache-2.0
// A training run as data: for each rank, an NPU or an I/O controller, what it computes and which
// collectives it takes part in.
//
// Tasks of a rank are listed so that each comes after those that it waits for, which are of the
//   same rank. Computations of a rank, and its loads and stores of memory, run one at a time in the
//   order of the list. A communication is this rank's part in an operation: collectives on several
//   groups that run side by side and share the phases of the switches (engine/communicator.h).
//   Ranks wait for each other by operations alone.
// Shapes: operations of equal collectives, groups and sizes have one and share a plan. What is
//   `before` and `beside` a shape's work is planned with it, in this order, but not run: operations
//   that run apart, those of the stages of a pipeline, or weights and gradients, then have the same
//   phases in the switches. Shapes that say nothing of the kind share phases where they can
//   (engine/joint_plans.h).
// Repetition: an operation of several `times` is issued again and again, two of it at a time, so
//   that one follows the other without a gap; a rank's task is complete when it has done its part
//   in all of them.
// Queues: operations of a queue run one at a time. When one is over, of those to which all of their
//   ranks have come the one of the lowest `need` begins, of several the first in the graph. One
//   that has begun is not interrupted by one that is needed earlier.
// Units: cycles, bytes. Categories are what the time of a rank is divided into (rank_time.h,
//   critical_path.h).
// Errors: check() throws std::logic_error where a task waits for a later one, or where not every
//   member of an operation has exactly one task for it: of a builder of ours, a fault.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/joint_plans.h"

namespace fredsim {

// Memory and those after it are shown of graphs that have some.
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
  bool stores = false;  // to memory; else it loads
  int label = 0;        // TaskGraph::labels
  int iteration = 0;
  std::uint64_t cycles = 0;                        // duration of a computation
  std::uint64_t bytes = 0;                         // to or from memory
  std::uint64_t node = kNoNode;                    // trace: id of its node
  int operation = -1;                              // communication: its operation
  int part = 0, rank = 0;                          // the same: its place there
  std::vector<int> after{};                        // tasks of the same rank
  bool computes() const { return operation < 0; }  // on the NPU by itself: memory, too
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
  std::uint64_t number = 0;  // the same: operations of that group before it
};

struct TaskGraph {
  // Computations of a rank run in the order of its list. Else the one that is known to be ready for
  // longest comes next, so that none waits behind one that is not ready.
  bool in_order = true;
  std::vector<OperationShape> shapes;
  std::vector<GraphOperation> operations;
  std::vector<TaskRank> ranks;
  std::vector<std::string> labels;
  std::vector<std::string>
      groups{};  // trace: groups in which its operations meet, as messages name them

  bool has(TimeCategory category) const;  // any task of it
  void check() const;
};

}  // namespace fredsim
