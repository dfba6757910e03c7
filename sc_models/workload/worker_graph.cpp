// SPDX-License-Identifier: Apache-2.0
#include "workload/worker_graph.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "base/error.h"
#include "collective/algorithm.h"
#include "collective/choice.h"
#include "plan/members.h"
#include "workload/sequence_split.h"

namespace fredsim {

namespace {

// Bytes between any two members, where these are the same for all; else 0.
std::uint64_t equal_block(const std::vector<std::uint64_t>& matrix, std::size_t ranks) {
  for (std::size_t i = 0; i < ranks; ++i)
    for (std::size_t j = 0; j < ranks; ++j)
      if (i != j && matrix[i * ranks + j] != matrix[1]) return 0;
  return matrix[1];
}

}  // namespace

void check_workers(const Strategy& strategy, const Topology& topology, const SequenceSplit& split) {
  const auto npus = static_cast<int>(topology.npus.size());
  if (strategy.workers() > npus)
    throw BadInput(
        fmt::format("--mp, {}--dp, --pp: found {}, {} workers; allowed: {}, the NPUs of {}",
                    split.cp > 1 ? "--cp, " : "", to_string(strategy, split), strategy.workers(),
                    npus, topology.name));
}

WorkerGraph::WorkerGraph(const Strategy& strategy, std::vector<int> npus, const Topology& topology,
                         const std::string& algorithm, const SequenceSplit& split,
                         std::optional<ExpertLayers> experts)
    : topology_(topology),
      strategy_(strategy),
      algorithm_(algorithm),
      npus_(npus.empty() ? paper_placement(strategy) : std::move(npus)),
      workers_(strategy.workers()),
      sequence_(split),
      experts_(std::move(experts)) {
  if (topology.failed.any()) members_of(topology, npus_);  // refuses failed ones
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

std::map<int, int> WorkerGraph::exchange(const std::vector<Members>& own,
                                         const std::vector<Members>& others,
                                         const std::function<const Matrix&(const Members&)>& bytes,
                                         TimeCategory category, const std::string& name) {
  OperationShape shape;
  std::vector<Members> sending;
  const auto add_to = [&](std::vector<CollectiveSpec>& specs, const Members& group) {
    const Matrix& matrix = bytes(group);
    const std::uint64_t sum = std::accumulate(matrix.begin(), matrix.end(), std::uint64_t{0});
    if (sum == 0) return false;
    const std::uint64_t ranks = group.size();
    if (const std::uint64_t block = equal_block(matrix, group.size()); block > 0) {
      specs.push_back(spec_of(Collective::kAllToAll, group, block * ranks, Dimension::kMp));
    } else {
      specs.push_back(
          spec_of(Collective::kAllToAllV, group, (sum + ranks - 1) / ranks, Dimension::kMp));
      specs.back().matrix = matrix;
    }
    if (algorithm_ != "paper") specs.back().algorithm = "auto";  // other collectives lack it
    return true;
  };
  for (const Members& group : own)
    if (add_to(shape.work, group)) sending.push_back(group);
  std::map<int, int> tasks;
  if (sending.empty()) return tasks;
  for (const Members& group : others)
    add_to(group.front() < own.front().front() ? shape.before : shape.beside, group);
  const int operation = shapes_.add(std::move(shape), name);
  for (int part = 0; part < std::ssize(sending); ++part)
    for (int rank = 0; rank < std::ssize(sending[part]); ++rank) {
      const int w = sending[part][rank];
      tasks[w] = add(w, part_of(operation, part, rank, category, so_far(w)));
    }
  return tasks;
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
