// SPDX-License-Identifier: Apache-2.0
// Run of a task graph on a machine: all ranks at once, their communications on its engine, so that
// all traffic competes for the real links and switches.
//
// Computations: a computation begins when its dependencies are complete and the previous
//   computation of its rank is over; of a recorded trace, that of its lane: a thread of the CPU, a
//   stream of the accelerator.
// Messages (unicasts): sent as soon as the sender reaches them, whether or not the receiver has;
//   complete at the receiver when it has reached the message and the message has arrived.
// Other communications: a rank reaches an operation when the dependencies of its task are complete.
//   When the last rank has reached it, the operation is issued and all ranks begin; a rank
//   completes when the engine reports it (on_rank_complete()). The common begin is an idealisation:
//   the synchronisation of the ranks costs nothing. It prevents a deadlock of operations that share
//   ports of the switches: switches that add hold a virtual channel until all members of a group
//   have sent, and ranks may reach operations in different orders, so that ranks released one by
//   one (Communicator::release()) could wait in a circle. Each NPU reaches each operation by its
//   lag later (RunEngine::arrivals()), at either end of a message, too. The wait of an NPU is
//   exposed communication. An operation of a queue (task_graph.h) is also issued no earlier than
//   its turn; the cause of that wait is the operation before it.
// Time: cycles in which ranks only compute are not simulated.
// Records: of each task, the begin of its duration, its completion, and the task whose end let it
//   begin. For a communication these are the begin of the operation and the dependency of the last
//   rank to reach it.
// Times: time of each rank by cause (rank_time.h).
// Result: counters of the whole run, like the result of a work (engine/work_run.h), without parts.
// Errors: RoutingConflict and BadInput of plans (plan_shapes()); RunFailed as Communicator::wait(),
//   where tasks are left without any progress, with the waiting tasks and their dependencies, or
//   where the parts of a rank's time do not add up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/machine.h"
#include "engine/run_engine.h"
#include "operations/prepared_plan.h"
#include "results/results.h"
#include "workload/rank_time.h"
#include "workload/task_graph.h"
#include "workload/task_record.h"
#include "workload/task_source.h"

namespace fredsim {

// Plans by shape of the graph.
using ShapePlans = std::vector<std::shared_ptr<const PreparedPlan>>;
ShapePlans plan_shapes(const Topology& topology, const std::vector<OperationShape>& shapes,
                       OnConflict on_conflict, SystemForm form = SystemForm::kExpanded);
ShapePlans plan_shapes(const Topology& topology, const TaskGraph& graph, OnConflict on_conflict);

struct GraphOutcome {
  RunResult result;     // cycles: until the last task was complete
  TaskRecords records;  // records of run_graph(); interrupted: some with kNotEnded
  // Fields below are empty in an interrupted run.
  std::vector<RankTime> times{};                // by rank
  TimeBreakdown critical_path{};                // critical_path.h
  std::vector<std::uint64_t> iteration_ends{};  // without input loads of the next iteration
  CategoriesUsed used{};                        // categories of its tasks
  std::size_t max_tasks = 0;                    // max tasks of a rank held at a time
};

// Runs a graph on an engine that has these plans.
GraphOutcome run_graph(RunEngine& engine, const TaskGraph& graph,
                       const std::function<void(const Progress&)>& on_progress = {});
GraphOutcome run_graph(Machine& machine, const TaskGraph& graph, const ShapePlans& plans,
                       const std::function<void(const Progress&)>& on_progress = {});

// Runs tasks that are read on demand, without records. Tasks held in memory: in flight, ready, or
// within the look-ahead of such a task (TaskSource); not in order, also up to 1024 computations of
// a rank that have begun ahead of time.
GraphOutcome run_tasks(RunEngine& engine, TaskSource& source,
                       const std::function<void(const Progress&)>& on_progress = {});
GraphOutcome run_tasks(Machine& machine, TaskSource& source, const ShapePlans& plans,
                       const std::function<void(const Progress&)>& on_progress = {});

}  // namespace fredsim
