// SPDX-License-Identifier: Apache-2.0
#include "workload/worker_graph.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "base/error.h"
#include "collective/algorithm.h"
#include "collective/choice.h"
#include "collective/members.h"
#include "workload/sequence_split.h"

namespace fredsim {

void check_workers(const Strategy& strategy, const Topology& topology, const SequenceSplit& split) {
  const auto npus = static_cast<int>(topology.npus.size());
  if (strategy.workers() > npus)
    throw BadInput(
        fmt::format("--mp, {}--dp, --pp: found {}, {} workers; allowed: {}, the NPUs of {}",
                    split.cp > 1 ? "--cp, " : "", to_string(strategy, split), strategy.workers(),
                    npus, topology.name));
}

WorkerGraph::WorkerGraph(const Strategy& strategy, std::vector<int> npus, const Topology& topology,
                         const std::string& algorithm)
    : topology_(topology),
      strategy_(strategy),
      algorithm_(algorithm),
      npus_(npus.empty() ? paper_placement(strategy) : std::move(npus)),
      workers_(strategy.workers()) {
  if (!topology.faults.empty()) members_of(topology, npus_);  // refuses failed ones
  for (int w = 0; w < strategy_.workers(); ++w) graph_.ranks.push_back({npus_[w], {}});
}

std::vector<int> WorkerGraph::all_replicas() const {
  std::vector<int> all(static_cast<std::size_t>(strategy_.dp));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int WorkerGraph::add(int w, Task task) {
  task.iteration = iteration_;
  std::vector<Task>& tasks = graph_.ranks[w].tasks;
  tasks.push_back(std::move(task));
  return static_cast<int>(tasks.size()) - 1;
}

void WorkerGraph::compute(int w, const std::string& name, double picoseconds) {
  workers_[w].last = add(w, {.category = TimeCategory::kCompute,
                             .label = shapes_.label(name),
                             .cycles = cycles_of(picoseconds, topology_.clock_hz),
                             .after = std::exchange(workers_[w].pending, {})});
}

void WorkerGraph::access_memory(int w, const std::string& name, const ComputeSpeed& speed,
                                std::uint64_t bytes, double expanded, bool stores) {
  const double picoseconds =
      memory_ps(speed, {.all = static_cast<double>(bytes), .expanded = expanded});
  workers_[w].last = add(w, {.category = TimeCategory::kMemory,
                             .stores = stores,
                             .label = shapes_.label(name),
                             .cycles = cycles_of(picoseconds, topology_.clock_hz),
                             .bytes = bytes,
                             .after = std::exchange(workers_[w].pending, {})});
}

std::vector<int> WorkerGraph::so_far(int w) const {
  std::vector<int> after = workers_[w].pending;
  if (workers_[w].last >= 0) after.push_back(workers_[w].last);
  return after;
}

Task WorkerGraph::part_of(int operation, int part, int rank, TimeCategory category,
                          std::vector<int> after) const {
  return {.category = category,
          .label = graph_.operations[operation].label,
          .operation = operation,
          .part = part,
          .rank = rank,
          .after = std::move(after)};
}

std::vector<WorkerGraph::Members> WorkerGraph::groups(Dimension dimension, int stage,
                                                      bool of_others) const {
  std::vector<Members> found;
  for (Members& group : groups_of(strategy_, dimension)) {
    const int at = group.front() / (strategy_.mp * strategy_.dp);
    if ((at == stage) != of_others) found.push_back(std::move(group));
  }
  return found;
}

std::vector<WorkerGraph::Members> WorkerGraph::transfers(int from, int to,
                                                         const std::vector<int>& replicas) const {
  std::vector<Members> found;
  for (const int dp : replicas) {
    Members& group = found.emplace_back(Members{worker(0, dp, from)});
    for (int mp = 0; mp < strategy_.mp; ++mp) group.push_back(worker(mp, dp, to));
  }
  return found;
}

CollectiveSpec WorkerGraph::spec_of(Collective collective, const Members& members,
                                    std::uint64_t bytes, Dimension dimension) const {
  CollectiveSpec spec;
  spec.collective = collective;
  spec.group = placed(members, npus_);
  spec.bytes = bytes;
  spec.vc = vc_of(dimension);
  // Unicasts go as any algorithm of collectives has them.
  const bool has_it = collective != Collective::kUnicast || is_choice(algorithm_) ||
                      find_algorithm(algorithm_, collective) != nullptr;
  spec.algorithm = has_it ? algorithm_ : "auto";
  return spec;
}

}  // namespace fredsim
