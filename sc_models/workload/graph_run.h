// SPDX-License-Identifier: Apache-2.0
// Runs a task graph on a machine: all ranks at once, their communications on its engine, so that
// everything competes for the real links and switches.
//
// Computations: one begins when what it waits for is complete and the one before it on its rank is
//   over.
// Messages (unicasts): sent as soon as the sender comes, whether or not the receiver has; that is
//   done with it when it has come and the message is there.
// Other communications: a rank comes to an operation when what its task there waits for is
//   complete. When the last rank has come, the operation is issued and all ranks begin, and each is
//   done with it when the engine says so (on_rank_complete()). That all begin together is an
//   idealisation: how they learn that the others are there costs nothing. It is what keeps
//   operations that share ports of the switches from waiting for ranks that wait for others of
//   them: switches that add hold a virtual channel until all members of a group have sent, and
//   ranks may come to operations in different orders, with which ranks that were released one by
//   one (Communicator::release()) could come to a standstill. Each NPU comes to each operation by
//   its lag later (RunEngine::arrivals()), to messages too, at either end. What it waits for that
//   is exposed communication. An operation of a queue (task_graph.h) is issued when it is its turn,
//   too; what it then waited for is the operation before it.
// Time: in which ranks only compute is not simulated.
// Records: of each task, when it began to take time, when it was complete, and the task whose end
//   let it begin. Of a communication these are the begin of the operation and what the rank that
//   came last had waited for.
// Times: of each rank, where its time went (rank_time.h).
// Result: counters of the whole run, as those of a work (engine/work_run.h), without parts.
// Errors: RoutingConflict and BadInput of plans (plan_shapes()); RunFailed as Communicator::wait(),
//   and where tasks are left when nothing goes on any more, with what waits for what, or where the
//   parts of a rank's time do not add up.
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

// By shape of the graph.
using ShapePlans = std::vector<std::shared_ptr<const PreparedPlan>>;
ShapePlans plan_shapes(const Topology& topology, const std::vector<OperationShape>& shapes,
                       OnConflict on_conflict, SystemForm form = SystemForm::kExpanded);
ShapePlans plan_shapes(const Topology& topology, const TaskGraph& graph, OnConflict on_conflict);

struct GraphOutcome {
  RunResult result;     // cycles: until the last task was complete
  TaskRecords records;  // records of run_graph(); interrupted: some with kNotEnded
  // Interrupted: none of these.
  std::vector<RankTime> times{};                // by rank
  TimeBreakdown critical_path{};                // critical_path.h
  std::vector<std::uint64_t> iteration_ends{};  // input that is loaded for the next one left out
  CategoriesUsed used{};                        // categories of its tasks
  std::size_t max_tasks = 0;                    // max tasks of a rank held at a time
};

// By an engine that has these plans.
GraphOutcome run_graph(RunEngine& engine, const TaskGraph& graph,
                       const std::function<void(const Progress&)>& on_progress = {});
GraphOutcome run_graph(Machine& machine, const TaskGraph& graph, const ShapePlans& plans,
                       const std::function<void(const Progress&)>& on_progress = {});

// The same of tasks that come as they are needed, without records. What is held of them are those
// that are under way, ready or within the look-ahead of such a one (TaskSource), and, not in order,
// up to 1024 computations of a rank that have begun ahead of the time.
GraphOutcome run_tasks(RunEngine& engine, TaskSource& source,
                       const std::function<void(const Progress&)>& on_progress = {});
GraphOutcome run_tasks(Machine& machine, TaskSource& source, const ShapePlans& plans,
                       const std::function<void(const Progress&)>& on_progress = {});

}  // namespace fredsim
