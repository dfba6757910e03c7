// SPDX-License-Identifier: Apache-2.0
#include "workload/training_run.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/member.h"
#include "engine/communicator_run.h"

namespace fredsim {
namespace {

// Ends of the iterations that an interrupted run has completed, the first ones.
std::vector<std::uint64_t> complete_iterations(const TaskGraph& graph, const TaskRecords& records) {
  std::vector<std::uint64_t> ends;
  for (std::size_t r = 0; r < graph.ranks.size(); ++r) {
    const std::vector<Task>& tasks = graph.ranks[r].tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      if (tasks[t].category == TimeCategory::kInputLoad) continue;  // input of the next iteration
      const auto iteration = static_cast<std::size_t>(tasks[t].iteration);
      if (ends.size() <= iteration) ends.resize(iteration + 1);
      const std::uint64_t end = t < records[r].size() ? records[r][t].end : kNotEnded;
      ends[iteration] = std::max(ends[iteration], end);
    }
  }
  ends.erase(std::ranges::find(ends, kNotEnded), ends.end());
  return ends;
}

// Iteration times, each from the end of the one before.
std::vector<double> iteration_times(const std::vector<std::uint64_t>& ends, double ns_per_cycle) {
  std::vector<double> times;
  std::uint64_t before = 0;
  for (const std::uint64_t end : ends) {
    times.push_back(static_cast<double>(end - before) * ns_per_cycle);
    before = end;
  }
  return times;
}

std::vector<TrainedRank> ranks_of(const std::vector<int>& members, const GraphOutcome& outcome,
                                  double ns_per_cycle) {
  std::vector<TrainedRank> ranks;
  for (std::size_t r = 0; r < members.size(); ++r) {
    const RankTime& time = outcome.times[r];
    const auto ns = [ns_per_cycle](std::uint64_t cycles) {
      return static_cast<double>(cycles) * ns_per_cycle;
    };
    ranks.push_back({.member = member_name(members[r]),
                     .end_ns = ns(time.end),
                     .compute_ns = ns(time.of(TimeCategory::kCompute)),
                     .memory_ns = ns(time.of(TimeCategory::kMemory)),
                     .exposed_ns = ns(time.exposed()),
                     .bubble_ns = ns(time.bubble)});
  }
  return ranks;
}

// Sums over NPUs with tasks; where there are none of these, over all ranks.
struct NpuTimes {
  RankTime sum{};
  std::uint64_t npus = 0;
};

NpuTimes npu_times(const std::vector<int>& members, const GraphOutcome& outcome) {
  bool of_all = true;
  const auto is_npu = [&](std::size_t r) {
    return !is_io_member(members[r]) && outcome.times[r].tasks > 0;
  };
  for (std::size_t r = 0; r < members.size(); ++r) of_all = of_all && !is_npu(r);
  NpuTimes times;
  for (std::size_t r = 0; r < members.size(); ++r) {
    if (!of_all && !is_npu(r)) continue;
    const RankTime& time = outcome.times[r];
    for (std::size_t i = 0; i < time.parts.size(); ++i) times.sum.parts[i] += time.parts[i];
    times.sum.bubble += time.bubble + (outcome.result.cycles - time.end);
    ++times.npus;
  }
  return times;
}

// Compute time on the critical path: the part of an iteration that a higher rate shortens.
double computing_ns(const TrainingResult& result) { return result.critical_path_ns.front().second; }

TrainingResult result_of(GraphOutcome outcome, const std::vector<int>& members) {
  if (!outcome.result.incomplete && outcome.result.cycles == 0)
    throw BadInput(
        "workload: found nothing that takes time; allowed: computations with a duration or "
        "operations, or communications of two ranks or more");
  TrainingResult result;
  const double ns_per_cycle = 1 / outcome.result.clock_ghz;
  const std::vector<std::uint64_t>& ends = outcome.iteration_ends;
  result.iterations_ns = iteration_times(ends, ns_per_cycle);
  if (!outcome.result.incomplete) {
    const TimeBreakdown& path = outcome.critical_path;
    const auto [times, npus] = npu_times(members, outcome);
    const auto iterations = static_cast<double>(ends.size());
    const auto of_iteration = [&](std::uint64_t cycles, double ranks) {
      return static_cast<double>(cycles) * ns_per_cycle / iterations / ranks;
    };
    for (std::size_t i = 0; i < path.size(); ++i) {
      const auto category = static_cast<TimeCategory>(i);
      if (!is_always_shown(category) && !outcome.used.test(i)) continue;
      const std::string name(kTimeCategories[i]);
      result.breakdown_ns.emplace_back(name,
                                       of_iteration(times.parts[i], static_cast<double>(npus)));
      result.critical_path_ns.emplace_back(name, of_iteration(path[i], 1));
      if (category == TimeCategory::kCompute) {
        result.breakdown_ns.emplace_back("bubble",
                                         of_iteration(times.bubble, static_cast<double>(npus)));
      }
    }
    result.ranks = ranks_of(members, outcome, ns_per_cycle);
    result.iteration_ns = outcome.result.time_ns / iterations;
  }
  result.run = std::move(outcome.result);
  return result;
}

}  // namespace

TrainingResult run_training(RunEngine& engine, const TaskGraph& graph,
                            const std::function<void(const Progress&)>& on_progress,
                            const std::function<void(const GraphOutcome&)>& on_complete) {
  std::vector<int> members;
  for (const TaskRank& rank : graph.ranks) members.push_back(rank.member);
  GraphOutcome outcome = run_graph(engine, graph, on_progress);
  if (outcome.result.incomplete)
    outcome.iteration_ends = complete_iterations(graph, outcome.records);
  else if (on_complete)
    on_complete(outcome);
  return result_of(std::move(outcome), members);
}

TrainingResult run_training(RunEngine& engine, TaskSource& source,
                            const std::function<void(const Progress&)>& on_progress) {
  return result_of(run_tasks(engine, source, on_progress), source.members());
}

TrainingResult run_training(Machine& machine, const TaskGraph& graph, const ShapePlans& plans,
                            const std::function<void(const Progress&)>& on_progress,
                            const std::function<void(const GraphOutcome&)>& on_complete) {
  ExactRun engine(machine, plans);
  return run_training(engine, graph, on_progress, on_complete);
}

TrainingResult run_training(Machine& machine, TaskSource& source, const ShapePlans& plans,
                            const std::function<void(const Progress&)>& on_progress) {
  ExactRun engine(machine, plans);
  return run_training(engine, source, on_progress);
}

TokenTimes token_times(const std::vector<double>& passes_ns, const InferenceOptions& options) {
  constexpr double kNsPerSecond = 1e9;
  const bool is_prefill = options.phase == InferencePhase::kPrefill;
  const std::uint64_t tokens = is_prefill ? options.batch * options.context : options.batch;
  double pass_ns = passes_ns.front();
  if (!is_prefill && passes_ns.size() > 1)
    pass_ns = std::accumulate(passes_ns.begin() + 1, passes_ns.end(), 0.0) /
              static_cast<double>(passes_ns.size() - 1);
  return {pass_ns, static_cast<double>(tokens) / pass_ns * kNsPerSecond};
}

double rate_for_speedup(double wanted, double rate, const TrainingResult& base,
                        const TrainingResult& other) {
  const double exposed_base = base.iteration_ns - computing_ns(base);
  const double exposed = other.iteration_ns - computing_ns(other);
  const double seconds = computing_ns(base) - wanted * computing_ns(other);
  const double found = rate * seconds / (wanted * exposed - exposed_base);
  return found > 0 ? found : -1;  // not a number, too
}

double rate_for_speedup(double wanted, const FitPoint& before, const FitPoint& now) {
  const auto missing = [wanted](const FitPoint& p) { return p.base_ns - wanted * p.other_ns; };
  const double step = (1 / now.rate - 1 / before.rate) / (missing(now) - missing(before));
  const double found = 1 / (1 / now.rate - missing(now) * step);
  return found > 0 ? found : -1;  // not a number, too
}

}  // namespace fredsim
