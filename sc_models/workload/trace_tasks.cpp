#include "workload/trace_tasks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/member.h"
#include "collective/members.h"
#include "workload/operation_shapes.h"
#include "workload/trace_graph.h"
#include "workload/trace_joint.h"
#include "workload_files/node_place.h"
#include "workload_files/trace_feeder.h"

namespace fredsim {
namespace {

using Group = std::vector<int>;  // ranks of the traces

std::optional<Collective> collective_to_run(TraceCollective collective) {
  switch (collective) {
    case TraceCollective::kAllReduce:
    case TraceCollective::kBarrier:
      return Collective::kAllReduce;
    case TraceCollective::kReduce:
      return Collective::kReduce;
    case TraceCollective::kAllGather:
      return Collective::kAllGather;
    case TraceCollective::kGather:
      return Collective::kGather;
    case TraceCollective::kScatter:
      return Collective::kScatter;
    case TraceCollective::kBroadcast:
      return Collective::kBroadcast;
    case TraceCollective::kAllToAll:
      return Collective::kAllToAll;
    case TraceCollective::kReduceScatter:
    case TraceCollective::kReduceScatterBlock:
      return Collective::kReduceScatter;
  }
  return std::nullopt;
}

// Bytes in the meaning of CollectiveSpec.
std::uint64_t size_of(const TraceNode& node, std::size_t ranks) {
  constexpr std::uint64_t kBarrierBytes = 2;
  if (node.collective == TraceCollective::kBarrier) return kBarrierBytes;
  const bool is_of_a_rank =
      node.collective == TraceCollective::kAllGather || node.collective == TraceCollective::kGather;
  return is_of_a_rank ? node.bytes * ranks : node.bytes;
}

// NPUs along each dimension.
std::vector<int> dimensions_of(const Topology& topology) {
  std::vector<int> sizes;
  for (const TopologyDimension& one : topology.dimensions) sizes.push_back(one.size);
  return sizes;
}

std::vector<int> members_of(std::size_t ranks, const Topology& topology) {
  const int npus = static_cast<int>(topology.npus.size());
  std::vector<int> members;
  members.reserve(ranks);
  for (int r = 0; r < static_cast<int>(ranks); ++r)
    members.push_back(r < npus ? r : io_member(r - npus));
  return members;
}

}  // namespace

class TraceTasks::Builder {
 public:
  Builder(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
          const Topology& topology, const std::string& algorithm)
      : files_(files),
        groups_(groups),
        speed_(speed),
        topology_(topology),
        algorithm_(algorithm.empty() ? "auto" : algorithm),
        joint_algorithm_(algorithm),
        dimensions_(dimensions_of(topology)),
        members_(members_of(files.paths.size(), topology)) {
    const std::size_t npus = topology.npus.size();
    const std::size_t most = npus + topology.io_controllers.size();
    if (files.paths.size() > most) {
      throw BadInput(fmt::format("{}: {} has {} NPUs and {} I/O controllers, no more ranks",
                                 files.paths[most], topology.name, npus, most - npus));
    }
    if (!topology.faults.empty()) fredsim::members_of(topology, members_);
    for (std::size_t r = 0; r < files.paths.size(); ++r) all_.push_back(static_cast<int>(r));
    begin();
  }

  // From the first node of every rank on.
  void begin() {
    readings_.clear();
    operations_.clear();
    live_.clear();
    made_ = 0;
    joint_ = std::make_unique<TraceJoint>(files_.paths, groups_, members_, joint_algorithm_,
                                          [this](OperationShape shape, const TraceNode& node) {
                                            return operation_of(std::move(shape), node, node.times,
                                                                -1, 0);
                                          });
    for (const int rank : all_) {
      readings_.push_back(
          {.rank = rank, .feeder = std::make_unique<TraceFeeder>(files_.paths[rank], 1)});
    }
  }

  const std::vector<int>& members() const { return members_; }
  const TaskGraph& graph() const { return graph_; }
  const std::map<int, GraphOperation>& operations() const { return live_; }
  void forget_operation(int number) { live_.erase(number); }
  // Names of nodes are labels of the graph from here on.
  void keep_names() { keeps_names_ = true; }
  TaskGraph take_graph() {
    for (const auto& [number, operation] : live_) graph_.operations.push_back(operation);
    return std::move(graph_);
  }

  // In an order that its dependencies allow, as if each node were over at once.
  bool next(int rank, Task& task) {
    Reading& reading = readings_[static_cast<std::size_t>(rank)];
    while (const auto node = reading.feeder->next()) {
      reading.feeder->complete(node->id);
      if (add(reading, *node, task)) return true;
    }
    return false;
  }

  void forget(int rank, std::uint64_t end) {
    Reading& reading = readings_[static_cast<std::size_t>(rank)];
    while (!reading.known.empty() &&
           reading.known.front().second < static_cast<std::int64_t>(end)) {
      reading.tasks.erase(reading.known.front().first);
      reading.known.pop_front();
    }
  }

  void check_all_met() const {
    for (const auto& [key, met] : operations_)
      if (!met.open.empty()) refuse_absent(met.open.begin()->second);
    joint_->check();
  }

 private:
  // Messages of a source, destination and tag, or collectives of a process group: its name, and its ranks, since of those along
  // involved_dim many have one name.
  struct Key {
    std::string name;
    Group group;
    std::uint32_t tag = 0;
    bool is_collective = false;
    bool operator<(const Key& other) const {
      return std::tie(name, group, tag, is_collective) <
             std::tie(other.name, other.group, other.tag, other.is_collective);
    }
  };
  // An operation, as the first rank that came to it says.
  struct Met {
    int operation = 0;
    int rank = 0;
    TraceNode node;
    Group group;
    std::vector<bool> came;  // by place in the group
    std::size_t left = 0;    // that have not
  };
  struct Meetings {
    std::uint64_t made = 0;
    std::map<std::uint64_t, Met> open;  // by number: those to which a rank has not come
  };
  struct Reading {
    int rank = 0;
    std::unique_ptr<TraceFeeder> feeder;
    std::unordered_map<std::uint64_t, std::vector<int>>
        tasks{};  // by id: what comes after it waits for
    std::deque<std::pair<std::uint64_t, std::int64_t>>
        known{};                          // ids in `tasks`, the last task there
    std::map<Key, std::uint64_t> next{};  // number in operations_[key]
    int count = 0;                        // of tasks
  };

  std::string place(int rank, const TraceNode& node, std::string_view field) const {
    return node_place(files_.paths[rank], node.id, node.name, field);
  }

  // False: it makes no task.
  bool add(Reading& reading, const TraceNode& node, Task& task) {
    std::vector<int> after;
    for (const std::uint64_t id : node.after) {
      const auto found = reading.tasks.find(id);
      if (found == reading.tasks.end()) continue;  // complete for good
      after.insert(after.end(), found->second.begin(), found->second.end());
    }
    std::ranges::sort(after);
    after.erase(std::unique(after.begin(), after.end()), after.end());
    task = Task{.label = keeps_names_ ? shapes_.label(node.name) : 0,
                .node = node.id,
                .after = std::move(after)};
    const bool is_task = node.type != TraceNodeType::kMetadata && fill(reading, node, task);
    // Without one, those after it wait for what it waits for.
    std::vector<int>& own = reading.tasks[node.id];
    own = is_task ? std::vector{reading.count++} : task.after;
    reading.known.emplace_back(node.id, own.empty() ? -1 : own.back());
    return is_task;
  }

  bool fill(Reading& reading, const TraceNode& node, Task& task) {
    if (node.type >= TraceNodeType::kSend) return communicate(reading, node, task);
    task.cycles = cycles_of_node(node);
    if (node.type == TraceNodeType::kCompute) return true;
    task.category = TimeCategory::kMemory;
    task.stores = node.type == TraceNodeType::kStore;
    task.bytes = node.tensor_bytes;
    return true;
  }

  std::uint64_t cycles_of_node(const TraceNode& node) const {
    double picoseconds = static_cast<double>(node.duration_ps);
    if (node.duration_ps == 0) {
      const auto bytes = static_cast<double>(node.tensor_bytes);
      picoseconds = node.type == TraceNodeType::kCompute
                        ? roofline_ps(speed_, static_cast<double>(node.operations), bytes)
                        : memory_ps(speed_, bytes);
    }
    return cycles_of(picoseconds, topology_.clock_hz);
  }

  // False: there is nobody else in the group.
  bool communicate(Reading& reading, const TraceNode& node, Task& task) {
    if (node.shape != TraceNode::kNobody) {
      joint_->join(reading.rank, node, reading.feeder->shapes(), task);
      return true;
    }
    const bool is_collective = node.type == TraceNodeType::kCollective;
    const bool sends = node.type == TraceNodeType::kSend;
    Group group = is_collective ? group_of(reading.rank, node)
                  : sends       ? Group{reading.rank, node.peer}
                                : Group{node.peer, reading.rank};
    if (group.front() == group.back() && (group.size() == 1 || !is_collective)) return false;
    const Key key{is_collective && !is_of_all(node) ? node.group : "", group, node.tag,
                  is_collective};
    const std::uint64_t k = reading.next[key]++;
    Meetings& meetings = operations_[key];
    if (k == meetings.made) {
      const auto [number, is_new] = group_numbers_.try_emplace(key, std::ssize(graph_.groups));
      if (is_new) graph_.groups.push_back(name_of(key));
      meetings.open.emplace(k, first_met(reading.rank, node, group, number->second, k));
      ++meetings.made;
    }
    const auto open = meetings.open.find(k);
    Met& met = open->second;
    check_agreement(met, reading.rank, node);
    const auto at = std::ranges::find(group, reading.rank) - group.begin();
    met.came[at] = true;
    task.operation = met.operation;
    task.rank = static_cast<int>(at);
    if (--met.left == 0) meetings.open.erase(open);
    task.category = node.priority >= 2   ? TimeCategory::kMp
                    : node.priority == 1 ? TimeCategory::kPp
                                         : TimeCategory::kDp;
    return true;
  }

  int operation_of(OperationShape shape, const TraceNode& node, std::uint64_t times, int group,
                   std::uint64_t number) {
    shapes_.add(std::move(shape), keeps_names_ ? node.name : "");
    GraphOperation operation = graph_.operations.back();
    graph_.operations.pop_back();
    operation.times = times;
    operation.group = group;
    operation.number = number;
    live_.emplace(made_, operation);
    return made_++;
  }

  Met first_met(int rank, const TraceNode& node, const Group& group, int number_of_group,
                std::uint64_t number) {
    CollectiveSpec spec;
    spec.vc = node.priority >= 2 ? kMp : node.priority == 1 ? kPp : kDp;
    for (const int of : group) spec.group.push_back(members_[of]);
    if (node.type == TraceNodeType::kCollective) {
      spec.collective = *collective_to_run(node.collective);
      spec.algorithm = algorithm_;
      spec.bytes = size_of(node, group.size());
      if (node.peer != TraceNode::kNobody) {
        const auto root = std::ranges::find(group, node.peer);
        if (root == group.end()) {
          throw BadInput(fmt::format("{}: found {}, which is not in the group",
                                     place(rank, node, "root_rank"), node.peer));
        }
        spec.root = static_cast<int>(root - group.begin());
      }
    } else {
      spec.collective = Collective::kUnicast;
      spec.bytes = node.bytes;
    }
    if (spec.bytes == 0) throw BadInput(place(rank, node, "comm_size") + ": found 0");
    const int operation =
        operation_of({.work = {std::move(spec)}, .beside = {}}, node, 1, number_of_group, number);
    return {operation, rank, node, group, std::vector<bool>(group.size()), group.size()};
  }

  void check_agreement(const Met& met, int rank, const TraceNode& node) const {
    if (node.type != TraceNodeType::kCollective) return;
    const auto differs = [&](std::string_view field, auto own, auto other) {
      if (own == other) return;
      throw BadInput(
          fmt::format("{}: found {}, but {}", place(rank, node, field), own,
                      fmt::format("{} has {}", place(met.rank, met.node, field), other)));
    };
    differs("comm_type", to_string(node.collective), to_string(met.node.collective));
    differs("comm_size", node.bytes, met.node.bytes);
    differs("root_rank", node.peer, met.node.peer);
    differs("comm_priority", node.priority, met.node.priority);
  }

  [[noreturn]] void refuse_absent(const Met& met) const {
    const auto at = std::ranges::find(met.came, false);
    throw BadInput(fmt::format(
        "{}: a {} that rank {} of its group does not have: its trace has fewer in this group",
        place(met.rank, met.node, "comm_type"), to_string(met.node.collective),
        met.group[static_cast<std::size_t>(at - met.came.begin())]));
  }

  // The default process group. So is "0", as ASTRA-sim has it, where no file says what it is.
  bool is_of_all(const TraceNode& node) const {
    return node.group.empty() || (node.group == "0" && !groups_.contains(node.group));
  }

  static std::string name_of(const Key& key) {
    if (!key.is_collective)
      return fmt::format("messages of tag {} from rank {} to rank {}", key.tag, key.group[0],
                         key.group[1]);
    const std::string name =
        key.name.empty() ? "the default group" : fmt::format("group '{}'", key.name);
    constexpr std::size_t kMostShown = 16;
    const std::span shown(key.group.data(), std::min(key.group.size(), kMostShown));
    return fmt::format("{} of ranks {}{}", name, fmt::join(shown, ","),
                       shown.size() < key.group.size() ? ",…" : "");
  }

  Group group_of(int rank, const TraceNode& node) const {
    if (!is_of_all(node)) {
      const auto at = groups_.find(node.group);
      if (at == groups_.end()) {
        throw BadInput(fmt::format("{}: found {}; {}", place(rank, node, "pg_name"), node.group,
                                   groups_.empty()
                                       ? "groups of that name are given by --comm-groups"
                                       : "no group has that name"));
      }
      if (!std::ranges::count(at->second, rank)) {
        throw BadInput(fmt::format("{}: found {}, a group without rank {}",
                                   place(rank, node, "pg_name"), node.group, rank));
      }
      return at->second;
    }
    const auto& involved = node.dimensions;
    if (!std::ranges::count(involved, false)) return all_;
    if (involved.size() != dimensions_.size() || all_.size() != topology_.npus.size()) {
      throw BadInput(fmt::format("{}: found {} dimensions; {} has {}, of {} NPUs",
                                 place(rank, node, "involved_dim"), involved.size(), topology_.name,
                                 dimensions_.size(), topology_.npus.size()));
    }
    Group group;
    for (const int other : all_) {
      int own_rest = rank, other_rest = other;
      bool is_in = true;
      for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        if (!involved[d] && own_rest % dimensions_[d] != other_rest % dimensions_[d]) is_in = false;
        own_rest /= dimensions_[d];
        other_rest /= dimensions_[d];
      }
      if (is_in) group.push_back(other);
    }
    return group;
  }

  const TraceFiles& files_;
  const CommGroups& groups_;
  const ComputeSpeed speed_;
  const Topology& topology_;
  const std::string algorithm_, joint_algorithm_;
  std::vector<int> dimensions_;
  std::vector<int> members_;  // by rank
  Group all_;
  bool keeps_names_ = false;
  TaskGraph graph_;
  OperationShapes shapes_{graph_};
  std::unique_ptr<TraceJoint> joint_;
  std::vector<Reading> readings_;
  std::map<Key, Meetings> operations_;
  std::map<Key, int> group_numbers_;    // TaskGraph::groups
  std::map<int, GraphOperation> live_;  // by number
  int made_ = 0;
};

TaskGraph trace_graph(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
                      const Topology& topology, const std::string& algorithm) {
  TraceTasks::Builder builder(files, groups, speed, topology, algorithm);
  builder.keep_names();
  std::vector<TaskRank> ranks;
  for (int r = 0; r < std::ssize(builder.members()); ++r) {
    TaskRank& rank = ranks.emplace_back(TaskRank{builder.members()[r], {}});
    Task task;
    while (builder.next(r, task)) rank.tasks.push_back(std::move(task));
  }
  builder.check_all_met();
  TaskGraph graph = builder.take_graph();
  graph.in_order = false;
  graph.ranks = std::move(ranks);
  return graph;
}

// All ranks side by side, so that who meets is met soon.
TraceTasks::TraceTasks(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
                       const Topology& topology, const std::string& algorithm)
    : files_(files),
      builder_(std::make_unique<Builder>(files, groups, speed, topology, algorithm)) {
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
      if (!builder_->next(static_cast<int>(r), task)) {
        at_end[r] = true;
        continue;
      }
      reads = true;
      look_ahead[r].add(task);
      const std::uint64_t place = read[r]++;
      if (read[r] > kKept) builder_->forget(static_cast<int>(r), read[r] - kKept);
      if (task.computes()) continue;
      note(task, r, place, first);
    }
  }
  builder_->check_all_met();
  for (const LookAhead& rank : look_ahead) look_ahead_.push_back(rank.most());
  order_shapes(first);
  builder_->begin();
}

TraceTasks::~TraceTasks() = default;

void TraceTasks::note(const Task& task, std::size_t rank, std::uint64_t place,
                      std::vector<std::pair<std::size_t, std::uint64_t>>& first) {
  const GraphOperation& operation = builder_->operations().at(task.operation);
  const auto shape = static_cast<std::size_t>(operation.shape);
  if (shape >= first.size()) {
    first.resize(shape + 1, {files_.paths.size(), 0});
    repeats_.resize(shape + 1);
  }
  first[shape] = std::min(first[shape], {rank, place});
  std::uint64_t& ranks = ranks_left_[task.operation];
  if (ranks == 0) {
    repeats_[shape] += operation.times;
    for (const CollectiveSpec& spec : builder_->graph().shapes[shape].work)
      ranks += spec.group.size();
  }
  if (--ranks > 0) return;
  ranks_left_.erase(task.operation);
  builder_->forget_operation(task.operation);
}

// As they come rank by rank: what is planned first does not depend on who reads.
void TraceTasks::order_shapes(const std::vector<std::pair<std::size_t, std::uint64_t>>& first) {
  std::vector<int> order(first.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int shape) { return first[static_cast<std::size_t>(shape)]; });
  std::vector<std::uint64_t> repeats;
  place_of_.resize(order.size());
  for (const int shape : order) {
    place_of_[static_cast<std::size_t>(shape)] = static_cast<int>(shapes_.size());
    shapes_.push_back(builder_->graph().shapes[static_cast<std::size_t>(shape)]);
    repeats.push_back(repeats_[static_cast<std::size_t>(shape)]);
  }
  repeats_ = std::move(repeats);
}

const std::vector<int>& TraceTasks::members() const { return builder_->members(); }
bool TraceTasks::next(int rank, Task& task) { return builder_->next(rank, task); }
void TraceTasks::forget(int rank, std::uint64_t end) { builder_->forget(rank, end); }
void TraceTasks::forget_operation(int number) { builder_->forget_operation(number); }

GraphOperation TraceTasks::operation(int number) const {
  GraphOperation operation = builder_->operations().at(number);
  operation.shape = place_of_[static_cast<std::size_t>(operation.shape)];
  return operation;
}

// From the files, by the ids.
void TraceTasks::name(TaskGraph& graph) const {
  graph.groups = builder_->graph().groups;
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
