#include "workload/training_run.h"

#include <algorithm>
#include <numeric>

#include "base/member.h"
#include "workload/critical_path.h"

namespace fredsim {
namespace {

std::vector<std::uint64_t> iteration_ends(const TaskGraph& graph, const GraphOutcome& outcome) {
  std::vector<std::uint64_t> ends;
  for (std::size_t r = 0; r < graph.ranks.size(); ++r) {
    const std::vector<Task>& tasks = graph.ranks[r].tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      if (tasks[t].category == TimeCategory::kInputLoad) continue;  // of the next one
      const auto iteration = static_cast<std::size_t>(tasks[t].iteration);
      if (ends.size() <= iteration) ends.resize(iteration + 1);
      ends[iteration] = std::max(ends[iteration], outcome.records[r][t].end);
    }
  }
  return ends;
}

std::vector<TrainedRank> ranks_of(const TaskGraph& graph, const GraphOutcome& outcome,
                                  double ns_per_cycle) {
  std::vector<TrainedRank> ranks;
  for (std::size_t r = 0; r < graph.ranks.size(); ++r) {
    std::uint64_t end = 0, computing = 0;
    for (std::size_t t = 0; t < graph.ranks[r].tasks.size(); ++t) {
      const Task& task = graph.ranks[r].tasks[t];
      end = std::max(end, outcome.records[r][t].end);
      if (task.computes()) computing += task.cycles;
    }
    ranks.push_back({member_name(graph.ranks[r].member), static_cast<double>(end) * ns_per_cycle,
                     static_cast<double>(computing) * ns_per_cycle});
  }
  return ranks;
}

double computing_ns(const TrainingResult& result) { return result.breakdown_ns.front().second; }

}  // namespace

TrainingResult run_training(Machine& machine, const TaskGraph& graph, const ShapePlans& plans,
                            const std::function<void(const Progress&)>& on_progress,
                            const std::function<void(const GraphOutcome&)>& on_complete) {
  GraphOutcome outcome = run_graph(machine, graph, plans, on_progress);
  TrainingResult result;
  if (!outcome.result.incomplete) {
    const double ns_per_cycle = 1 / outcome.result.clock_ghz;
    const TimeBreakdown parts = critical_path(graph, outcome);
    const std::vector<std::uint64_t> ends = iteration_ends(graph, outcome);
    const auto iterations = static_cast<double>(ends.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (static_cast<TimeCategory>(i) == TimeCategory::kMemory &&
          !graph.has(TimeCategory::kMemory))
        continue;
      result.breakdown_ns.emplace_back(kTimeCategories[i],
                                       static_cast<double>(parts[i]) * ns_per_cycle / iterations);
    }
    std::uint64_t before = 0;
    for (const std::uint64_t end : ends) {
      result.iterations_ns.push_back(static_cast<double>(end - before) * ns_per_cycle);
      before = end;
    }
    result.ranks = ranks_of(graph, outcome, ns_per_cycle);
    result.iteration_ns = outcome.result.time_ns / iterations;
    if (on_complete) on_complete(outcome);
  }
  result.run = std::move(outcome.result);
  return result;
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
