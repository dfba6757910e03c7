// SPDX-License-Identifier: Apache-2.0
// Conversion of nodes of execution traces into tasks, rank by rank (trace_graph.h has the rules for
// each type of node).
//
// Use: call next() for each rank, with the ranks in any order; check_all_matched() after the last
//   node of every rank. begin() starts a second reading, with the same numbers for labels, shapes
//   and groups, and new numbers for operations. Tasks of a rank are numbered in the order of
//   reading.
// Order: an order that the dependencies allow, as if each node took no time.
// Memory: ids of nodes, until they are forgotten; operations, until no rank needs them or
//   forget_operation().
// Errors: BadInput, naming file, node and field: more ranks than members; errors of
//   trace_matching.h, trace_joint.h and trace_schedules.h; loads and stores without a memory.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topology/topology.h"
#include "workload/compute_time.h"
#include "workload/detail/trace_groups.h"
#include "workload/detail/trace_joint.h"
#include "workload/detail/trace_matching.h"
#include "workload/detail/trace_schedules.h"
#include "workload/operation_shapes.h"
#include "workload/task_graph.h"
#include "workload/trace_rules.h"
#include "workload_files/comm_groups.h"
#include "workload_files/trace_check.h"
#include "workload_files/trace_feeder.h"

namespace fredsim {

class TraceNodes {
 public:
  // Files, groups and topology must outlive it.
  TraceNodes(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
             const Topology& topology, const TraceRules& rules);
  TraceNodes(const TraceNodes&) = delete;
  TraceNodes& operator=(const TraceNodes&) = delete;

  void begin();  // restarts at the first node of every rank
  bool next(int rank, Task& task);
  void forget(int rank, std::uint64_t end);  // ids of nodes that became tasks before this one
  void check_all_matched() const;

  // Recorded communications run beside computations.
  bool has_lanes() const { return files_.has_lanes || rules_.replays_communication; }
  const std::vector<int>& members() const { return members_; }  // by rank
  const TaskGraph& graph() const { return graph_; }             // labels, shapes and groups
  const std::map<int, GraphOperation>& operations() const { return live_; }  // by number
  void forget_operation(int number) { live_.erase(number); }
  void keep_names() { keeps_names_ = true; }  // names of nodes are labels of the graph from here on
  TaskGraph take_graph();

 private:
  struct Reading {
    int rank = 0;
    std::unique_ptr<TraceFeeder> feeder;
    std::unordered_map<std::uint64_t, std::vector<int>>
        tasks{};  // by id: tasks that a dependent node waits for
    std::deque<std::pair<std::uint64_t, std::int64_t>>
        known{};              // ids in `tasks`, the last task there
    int count = 0;            // number of tasks
    std::deque<Task> more{};  // of a schedule, not given yet
  };

  void note_splits();
  bool add(Reading& reading, const TraceNode& node, Task& task);
  int lane_of(const TraceNode& node) const;
  bool fill(Reading& reading, const TraceNode& node, Task& task);
  bool communicate(Reading& reading, const TraceNode& node, Task& task);
  void follow_schedule(Reading& reading, const TraceNode& node, const std::vector<int>& after,
                       std::vector<int>& own);
  std::uint64_t cycles_of_node(const Reading& reading, const TraceNode& node) const;
  int operation_of(OperationShape shape, const TraceNode& node, std::uint64_t times, int group,
                   std::uint64_t number);

  const TraceFiles& files_;
  const CommGroups& groups_;
  const ComputeSpeed speed_;
  const Topology& topology_;
  const TraceRules rules_;
  std::vector<int> members_;
  TraceSchedules schedules_;
  TraceGroups process_groups_;
  bool keeps_names_ = false;
  TaskGraph graph_;
  OperationShapes shapes_{graph_};
  std::unique_ptr<TraceJoint> joint_;
  TraceMatching matching_;
  std::vector<Reading> readings_;
  std::map<int, GraphOperation> live_;
  int made_ = 0;
};

}  // namespace fredsim
