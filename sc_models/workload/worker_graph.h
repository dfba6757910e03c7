// SPDX-License-Identifier: Apache-2.0
// Common part of the task graphs of training and of inference while they are built: workers MP x DP x PP on NPUs, their
// computations, and operations of groups of them.
//
// Workers: worker w is rank w of the graph, on NPU npus[w], or where the paper places it (plan/parallelism.h).
// Errors: check_workers(): BadInput for more workers than NPUs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plan/parallelism.h"
#include "topology/topology.h"
#include "workload/compute_time.h"
#include "workload/operation_shapes.h"
#include "workload/task_graph.h"

namespace fredsim {

void check_workers(const Strategy& strategy, const Topology& topology,
                   const SequenceSplit& split = {});

class WorkerGraph {
 public:
  WorkerGraph(const WorkerGraph&) = delete;
  WorkerGraph& operator=(const WorkerGraph&) = delete;

 protected:
  using Members = std::vector<int>;  // workers
  struct Worker {
    int last = -1;                // its latest computation
    std::vector<int> pending;     // further dependencies of the next task
    std::map<int, int> received;  // by where from: its latest task of what comes from another stage
  };

  // `npus`: by worker, at least as many; empty: the paper's placement.
  WorkerGraph(const Strategy& strategy, std::vector<int> npus, const Topology& topology,
              const std::string& algorithm);
  ~WorkerGraph() = default;

  int worker(int mp, int dp, int pp) const { return mp + strategy_.mp * (dp + strategy_.dp * pp); }
  template <class Visit>
  void for_all(int stage, const Visit& visit) const {
    for (int w = worker(0, 0, stage); w < worker(0, 0, stage + 1); ++w) visit(w);
  }
  std::vector<int> all_replicas() const;

  // ---- tasks, of the iteration at work; their numbers

  int add(int w, Task task);
  void compute(int w, const std::string& name, double picoseconds);
  // A load or a store, in its turn among the computations; `expanded`: bytes of it in expanded memory.
  void access_memory(int w, const std::string& name, const ComputeSpeed& speed, std::uint64_t bytes,
                     double expanded, bool stores);
  std::vector<int> so_far(int w) const;  // tasks that a worker has done
  // All-to-all of these groups of a stage, -v unless all blocks are as large, beside `others`, those of the other stages; bytes by group, from member to member. By
  // worker of `own`: its task; groups that send nothing are left out.
  using Matrix = std::vector<std::uint64_t>;
  std::map<int, int> exchange(const std::vector<Members>& own, const std::vector<Members>& others,
                              const std::function<const Matrix&(const Members&)>& bytes,
                              TimeCategory category, const std::string& name);
  Task part_of(int operation, int part, int rank, TimeCategory category,
               std::vector<int> after) const;

  // ---- groups and operations

  // Groups of a stage, or of all but it.
  std::vector<Members> groups(Dimension dimension, int stage, bool of_others) const;
  // From MP worker 0 of each of these replicas' `from` to all workers of the stage before or after.
  std::vector<Members> transfers(int from, int to, const std::vector<int>& replicas) const;
  CollectiveSpec spec_of(Collective collective, const Members& members, std::uint64_t bytes,
                         Dimension dimension) const;
  // One operation of groups of workers, of a stage; `others`: the groups of the other stages. Bytes by group. Whichever stage's
  // operation it is, the groups are planned in the order of the stages: all of them have the same phases.
  template <class Bytes>
  int add_operation(Collective collective, const std::vector<Members>& own,
                    const std::vector<Members>& others, const Bytes& bytes, Dimension dimension,
                    const std::string& name) {
    OperationShape shape;
    for (const Members& group : own)
      shape.work.push_back(spec_of(collective, group, bytes(group), dimension));
    for (const Members& group : others)
      (group.front() < own.front().front() ? shape.before : shape.beside)
          .push_back(spec_of(collective, group, bytes(group), dimension));
    return shapes_.add(std::move(shape), name);
  }

  const Topology& topology_;
  const Strategy strategy_;
  const std::string& algorithm_;  // algorithm of all collectives
  const std::vector<int> npus_;   // by worker
  TaskGraph graph_;
  OperationShapes shapes_{graph_};
  std::vector<Worker> workers_;
  int iteration_ = 0;
};

}  // namespace fredsim
