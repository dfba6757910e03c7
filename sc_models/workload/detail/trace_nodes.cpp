// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/trace_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/member.h"
#include "plan/members.h"
#include "workload_files/chakra_reader.h"
#include "workload_files/node_place.h"

namespace fredsim {
namespace {

std::vector<int> members_of(std::size_t ranks, const Topology& topology) {
  const int npus = static_cast<int>(topology.npus.size());
  std::vector<int> members;
  members.reserve(ranks);
  for (int r = 0; r < static_cast<int>(ranks); ++r)
    members.push_back(r < npus ? r : io_member(r - npus));
  return members;
}

bool is_empty(const std::string& path) {
  ChakraReader reader(path);
  TraceNode node;
  return !reader.next(node);
}

// An all-to-all with splits may bring something to a rank that sends nothing.
bool moves_nothing(const TraceNode& node) {
  return node.type == TraceNodeType::kCollective && node.bytes == 0 && node.splits.empty() &&
         node.collective != TraceCollective::kBarrier;
}

// A component that has failed may have a trace, which then is empty.
void check_failed(const std::vector<std::string>& paths, const std::vector<int>& members,
                  const Topology& topology) {
  std::vector<int> used;
  for (std::size_t r = 0; r < paths.size(); ++r)
    if (!is_empty(paths[r])) used.push_back(members[r]);
  if (!used.empty()) fredsim::members_of(topology, used);
}

}  // namespace

TraceNodes::TraceNodes(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
                       const Topology& topology, const TraceRules& rules)
    : files_(files),
      groups_(groups),
      speed_(speed),
      topology_(topology),
      rules_(rules),
      members_(members_of(files.paths.size(), topology)),
      schedules_(files.paths, rules.schedules),
      process_groups_(files.paths, groups, topology),
      matching_(
          files.paths, process_groups_, members_, rules_, graph_.groups,
          [this](OperationShape shape, const TraceNode& node, int group, std::uint64_t number) {
            return operation_of(std::move(shape), node, 1, group, number);
          }) {
  const std::size_t npus = topology.npus.size();
  const std::size_t max = npus + topology.io_controllers.size();
  if (files.paths.size() > max) {
    throw BadInput(fmt::format("{}: {} has {} NPUs and {} I/O controllers, no more ranks",
                               files.paths[max], topology.name, npus, max - npus));
  }
  if (topology.failed.any()) check_failed(files.paths, members_, topology);
  if (files.has_splits) note_splits();
  begin();
}

// Reads all ranks once, in the order of the second reading.
void TraceNodes::note_splits() {
  for (const int rank : process_groups_.all()) {
    TraceFeeder feeder(files_.paths[static_cast<std::size_t>(rank)], 1, files_.dependencies);
    while (const auto node = feeder.next()) {
      feeder.complete(node->id);
      if (node->type == TraceNodeType::kCollective && node->shape == TraceNode::kNobody &&
          !moves_nothing(*node) && !schedules_.has(*node))
        matching_.note_splits(rank, *node);
    }
  }
}

void TraceNodes::begin() {
  readings_.clear();
  matching_.begin();
  live_.clear();
  made_ = 0;
  joint_ = std::make_unique<TraceJoint>(
      files_.paths, groups_, members_, rules_, [this](OperationShape shape, const TraceNode& node) {
        return operation_of(std::move(shape), node, node.times, -1, 0);
      });
  for (const int rank : process_groups_.all()) {
    readings_.push_back({.rank = rank,
                         .feeder = std::make_unique<TraceFeeder>(
                             files_.paths[rank], 1, files_.dependencies, files_.order_of(rank))});
  }
}

TaskGraph TraceNodes::take_graph() {
  for (const auto& [number, operation] : live_) graph_.operations.push_back(operation);
  return std::move(graph_);
}

bool TraceNodes::next(int rank, Task& task) {
  Reading& reading = readings_[static_cast<std::size_t>(rank)];
  while (reading.more.empty()) {
    const auto node = reading.feeder->next();
    if (!node) return false;
    reading.feeder->complete(node->id);
    if (add(reading, *node, task)) return true;
  }
  task = std::move(reading.more.front());
  reading.more.pop_front();
  return true;
}

void TraceNodes::forget(int rank, std::uint64_t end) {
  Reading& reading = readings_[static_cast<std::size_t>(rank)];
  while (!reading.known.empty() && reading.known.front().second < static_cast<std::int64_t>(end)) {
    reading.tasks.erase(reading.known.front().first);
    reading.known.pop_front();
  }
}

void TraceNodes::check_all_matched() const {
  matching_.check();
  joint_->check();
}

// CPU threads are odd, streams even; without a number they have the first, communications one of
// their own.
int TraceNodes::lane_of(const TraceNode& node) const {
  if (!has_lanes()) return 0;
  if (node.type >= TraceNodeType::kSend && node.stream == TraceNode::kNobody) return -1;
  return 2 * (node.stream + 1) + (node.on_cpu ? 1 : 0);
}

// Adds the task of a node. False: the node makes no task.
bool TraceNodes::add(Reading& reading, const TraceNode& node, Task& task) {
  std::vector<int> after;
  for (const std::uint64_t id : node.after) {
    const auto found = reading.tasks.find(id);
    if (found == reading.tasks.end()) continue;  // complete for good
    after.insert(after.end(), found->second.begin(), found->second.end());
  }
  std::ranges::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  task = Task{.label = keeps_names_ ? shapes_.label(node.name) : 0,
              .lane = lane_of(node),
              .on_cpu = has_lanes() && node.on_cpu,
              .node = node.id,
              .after = std::move(after)};
  const bool is_scheduled =
      !rules_.replays_all && !rules_.replays_communication && schedules_.has(node);
  const bool is_task =
      !is_scheduled && node.type != TraceNodeType::kMetadata && fill(reading, node, task);
  // A node without a task passes its dependencies on to the nodes that wait for it.
  std::vector<int>& own = reading.tasks[node.id];
  if (is_scheduled)
    follow_schedule(reading, node, task.after, own);
  else
    own = is_task ? std::vector{reading.count++} : task.after;
  reading.known.emplace_back(node.id, own.empty() ? -1 : own.back());
  return is_task;
}

bool TraceNodes::fill(Reading& reading, const TraceNode& node, Task& task) {
  const bool communicates = node.type >= TraceNodeType::kSend;
  if (communicates && rules_.replays_communication) {
    task.category = trace_category(node);
    task.cycles = cycles_of(static_cast<double>(node.duration_ps), topology_.clock_hz);
    return node.duration_ps > 0;
  }
  if (communicates && !rules_.replays_all) return communicate(reading, node, task);
  task.cycles = cycles_of_node(reading, node);
  if (communicates || node.type == TraceNodeType::kCompute) return true;
  task.category = TimeCategory::kMemory;
  task.stores = node.type == TraceNodeType::kStore;
  task.bytes = node.tensor_bytes;
  return true;
}

std::uint64_t TraceNodes::cycles_of_node(const Reading& reading, const TraceNode& node) const {
  using Computing = TraceRules::Computing;
  const bool computes = node.type == TraceNodeType::kCompute;
  const double replayed =
      static_cast<double>(node.duration_ps > 0 ? node.duration_ps : rules_.untimed_ps);
  const auto bytes = static_cast<double>(node.tensor_bytes);
  const auto by_roofline = [&] {
    return roofline_ps(speed_, static_cast<double>(node.operations), {bytes});
  };
  const auto of_node = [&]() -> double {
    if (rules_.replays_all) return replayed;
    if (!computes) {
      if (rules_.memory.is_missing)
        throw BadInput(fmt::format("{}: found {}; allowed: with a memory-type that has a memory",
                                   node_place(files_.paths[static_cast<std::size_t>(reading.rank)],
                                              node.id, node.name, "type"),
                                   to_string(node.type)));
      if (rules_.memory.bandwidth > 0)
        return static_cast<double>(rules_.memory.latency_ps) +
               bytes / static_cast<double>(rules_.memory.bandwidth) * 1e12;
      return node.duration_ps > 0 ? replayed : memory_ps(speed_, {bytes});
    }
    if (rules_.computing == Computing::kRoofline && !node.on_cpu) return by_roofline();
    return rules_.computing == Computing::kWritten && node.duration_ps == 0 ? by_roofline()
                                                                            : replayed;
  };
  return cycles_of(of_node(), topology_.clock_hz);
}

// Adds the tasks of a collective that traces of its own do.
void TraceNodes::follow_schedule(Reading& reading, const TraceNode& node,
                                 const std::vector<int>& after, std::vector<int>& own) {
  const std::vector<int> group = process_groups_.group_of(reading.rank, node);
  own = after;
  if (group.size() == 1) return;
  own.clear();
  std::unordered_map<std::uint64_t, std::vector<int>> ends;  // by id in the schedule
  for (TraceNode step : schedules_.steps(node, reading.rank, group)) {
    Task task{.label = keeps_names_ ? shapes_.label(step.name) : 0, .node = node.id};
    for (const std::uint64_t id : step.after)
      task.after.insert(task.after.end(), ends.at(id).begin(), ends.at(id).end());
    if (step.after.empty()) task.after = after;
    std::ranges::sort(task.after);
    task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
    step.priority = node.priority;
    bool is_task = false;
    if (step.type == TraceNodeType::kSend || step.type == TraceNodeType::kReceive) {
      is_task = matching_.join(reading.rank, step, task);
    } else if (step.duration_ps > 0) {
      task.cycles = cycles_of(static_cast<double>(step.duration_ps), topology_.clock_hz);
      is_task = true;
    }
    ends[step.id] = is_task ? std::vector{reading.count} : task.after;
    if (!is_task) continue;
    own.push_back(reading.count++);
    reading.more.push_back(std::move(task));
  }
}

// Adds a communication. False: the group has no other rank, or nothing is moved.
bool TraceNodes::communicate(Reading& reading, const TraceNode& node, Task& task) {
  if (moves_nothing(node)) return false;
  if (node.shape == TraceNode::kNobody) return matching_.join(reading.rank, node, task);
  joint_->join(reading.rank, node, reading.feeder->shapes(), task);
  return true;
}

int TraceNodes::operation_of(OperationShape shape, const TraceNode& node, std::uint64_t times,
                             int group, std::uint64_t number) {
  shapes_.add(std::move(shape), keeps_names_ ? node.name : "");
  GraphOperation operation = graph_.operations.back();
  graph_.operations.pop_back();
  operation.times = times;
  operation.group = group;
  operation.number = number;
  live_.emplace(made_, operation);
  return made_++;
}

}  // namespace fredsim
