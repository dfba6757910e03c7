// SPDX-License-Identifier: Apache-2.0
// Task source of execution traces, read on demand (trace_graph.h has the rules for nodes).
//
// The constructor reads all files once, side by side, and refuses the same errors as trace_graph();
//   it keeps the shapes and the look-ahead of each file. The run reads the files again.
// Memory: of each file its incomplete nodes, and as much of it as its dependencies reach back;
//   shapes; ranks of operations that other ranks have not reached. A whole file may be in memory
//   where nodes depend on nodes far earlier in the file.
// Order of shapes: as in trace_graph().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topology/topology.h"
#include "workload/compute_time.h"
#include "workload/task_source.h"
#include "workload/trace_rules.h"
#include "workload_files/comm_groups.h"
#include "workload_files/trace_check.h"

namespace fredsim {

class TraceNodes;

class TraceTasks : public TaskSource {
 public:
  // Files, groups and topology must outlive it.
  TraceTasks(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
             const Topology& topology, const TraceRules& rules = {});
  ~TraceTasks() override;

  bool in_order() const override { return false; }
  bool has_lanes() const override;
  const std::vector<int>& members() const override;
  const std::vector<OperationShape>& shapes() const override { return shapes_; }
  const std::vector<std::uint64_t>& repeats() const override { return repeats_; }
  std::uint64_t look_ahead(int rank) const override {
    return look_ahead_[static_cast<std::size_t>(rank)];
  }
  bool next(int rank, Task& task) override;
  GraphOperation operation(int number) const override;
  void forget(int rank, std::uint64_t end) override;
  void forget_operation(int number) override;
  void name(TaskGraph& graph) const override;

 private:
  void note(const Task& task, std::size_t rank, std::uint64_t place,
            std::vector<std::pair<std::size_t, std::uint64_t>>& first);
  void order_shapes(const std::vector<std::pair<std::size_t, std::uint64_t>>& first);

  const TraceFiles& files_;
  std::unique_ptr<TraceNodes> nodes_;
  std::vector<OperationShape> shapes_;
  std::vector<int> place_of_;  // place of a shape, by shape of the nodes
  std::vector<std::uint64_t> repeats_, look_ahead_;
  std::unordered_map<int, std::uint64_t> ranks_left_;  // ranks left of operations, in the first
                                                       // reading
};

}  // namespace fredsim
