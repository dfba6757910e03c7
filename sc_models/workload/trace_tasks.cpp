// SPDX-License-Identifier: Apache-2.0
#include "workload/trace_tasks.h"

#include <algorithm>
#include <numeric>

#include "workload/detail/trace_nodes.h"
#include "workload_files/chakra_reader.h"

namespace fredsim {

// Reads all ranks side by side, so that ranks of an operation are read close together.
TraceTasks::TraceTasks(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
                       const Topology& topology, const TraceRules& rules)
    : files_(files), nodes_(std::make_unique<TraceNodes>(files, groups, speed, topology, rules)) {
  constexpr std::uint64_t kKept = 2048;  // tasks of which ids are known
  const std::size_t ranks = files.paths.size();
  std::vector<LookAhead> look_ahead(ranks, LookAhead(false));
  std::vector<std::uint64_t> read(ranks);
  std::vector<std::pair<std::size_t, std::uint64_t>>
      first;  // by shape: the rank and task that come first
  std::vector<bool> at_end(ranks);
  for (bool reads = true; reads;) {
    reads = false;
    for (std::size_t r = 0; r < ranks; ++r) {
      Task task;
      if (at_end[r]) continue;
      if (!nodes_->next(static_cast<int>(r), task)) {
        at_end[r] = true;
        continue;
      }
      reads = true;
      look_ahead[r].add(task);
      const std::uint64_t place = read[r]++;
      if (read[r] > kKept) nodes_->forget(static_cast<int>(r), read[r] - kKept);
      if (task.computes()) continue;
      note(task, r, place, first);
    }
  }
  nodes_->check_all_matched();
  for (const LookAhead& rank : look_ahead) look_ahead_.push_back(rank.max());
  order_shapes(first);
  nodes_->begin();
}

TraceTasks::~TraceTasks() = default;

void TraceTasks::note(const Task& task, std::size_t rank, std::uint64_t place,
                      std::vector<std::pair<std::size_t, std::uint64_t>>& first) {
  const GraphOperation& operation = nodes_->operations().at(task.operation);
  const auto shape = static_cast<std::size_t>(operation.shape);
  if (shape >= first.size()) {
    first.resize(shape + 1, {files_.paths.size(), 0});
    repeats_.resize(shape + 1);
  }
  first[shape] = std::min(first[shape], {rank, place});
  std::uint64_t& ranks = ranks_left_[task.operation];
  if (ranks == 0) {
    repeats_[shape] += operation.times;
    for (const CollectiveSpec& spec : nodes_->graph().shapes[shape].work)
      ranks += spec.group.size();
  }
  if (--ranks > 0) return;
  ranks_left_.erase(task.operation);
  nodes_->forget_operation(task.operation);
}

// Orders the shapes by their first use, rank by rank: the order of planning does not depend on the
// reader.
void TraceTasks::order_shapes(const std::vector<std::pair<std::size_t, std::uint64_t>>& first) {
  std::vector<int> order(first.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int shape) { return first[static_cast<std::size_t>(shape)]; });
  std::vector<std::uint64_t> repeats;
  place_of_.resize(order.size());
  for (const int shape : order) {
    place_of_[static_cast<std::size_t>(shape)] = static_cast<int>(shapes_.size());
    shapes_.push_back(nodes_->graph().shapes[static_cast<std::size_t>(shape)]);
    repeats.push_back(repeats_[static_cast<std::size_t>(shape)]);
  }
  repeats_ = std::move(repeats);
}

bool TraceTasks::has_lanes() const { return nodes_->has_lanes(); }
const std::vector<int>& TraceTasks::members() const { return nodes_->members(); }
bool TraceTasks::next(int rank, Task& task) { return nodes_->next(rank, task); }
void TraceTasks::forget(int rank, std::uint64_t end) { nodes_->forget(rank, end); }
void TraceTasks::forget_operation(int number) { nodes_->forget_operation(number); }

GraphOperation TraceTasks::operation(int number) const {
  GraphOperation operation = nodes_->operations().at(number);
  operation.shape = place_of_[static_cast<std::size_t>(operation.shape)];
  return operation;
}

// Reads names from the files, by the ids.
void TraceTasks::name(TaskGraph& graph) const {
  graph.groups = nodes_->graph().groups;
  graph.labels.assign(1, "");
  for (std::size_t r = 0; r < graph.ranks.size(); ++r) {
    std::unordered_map<std::uint64_t, Task*> tasks;
    for (Task& task : graph.ranks[r].tasks) tasks[task.node] = &task;
    ChakraReader reader(files_.paths[r]);
    TraceNode node;
    while (!tasks.empty() && reader.next(node)) {
      const auto found = tasks.find(node.id);
      if (found == tasks.end()) continue;
      found->second->label = static_cast<int>(graph.labels.size());
      graph.labels.push_back(node.name);
      tasks.erase(found);
    }
  }
}

}  // namespace fredsim
