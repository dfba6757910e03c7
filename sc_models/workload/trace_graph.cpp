#include "workload/trace_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/member.h"
#include "collective/members.h"
#include "workload/operation_shapes.h"
#include "workload/trace_joint.h"
#include "workload_files/node_place.h"
#include "workload_files/trace_feeder.h"

namespace fredsim {
namespace {

using Group = std::vector<int>;  // ranks of the traces

std::optional<Collective> collective_of(TraceCollective collective) {
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

// NPUs along each dimension, those whose ranks follow each other first.
std::vector<int> dimensions_of(const Topology& topology) {
  if (topology.kind != FabricKind::kFredTree) return {topology.mesh.width, topology.mesh.height};
  std::vector<int> sizes;
  for (const FredLevel& level : topology.fred.levels) sizes.push_back(level.below);
  return sizes;
}

std::vector<int> members_of(std::size_t ranks, const Topology& topology) {
  const int npus = static_cast<int>(topology.npus.size());
  std::vector<int> members;
  for (int r = 0; r < static_cast<int>(ranks); ++r)
    members.push_back(r < npus ? r : io_member(r - npus));
  return members;
}

class Builder {
 public:
  Builder(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
          const Topology& topology, const std::string& algorithm)
      : files_(files),
        groups_(groups),
        speed_(speed),
        topology_(topology),
        algorithm_(algorithm.empty() ? "auto" : algorithm),
        dimensions_(dimensions_of(topology)),
        members_(members_of(files.paths.size(), topology)),
        joint_(files.paths, groups, members_, algorithm, graph_, shapes_) {
    const std::size_t npus = topology.npus.size();
    const std::size_t most = npus + topology.io_controllers.size();
    if (files.paths.size() > most) {
      throw BadInput(fmt::format("{}: {} has {} NPUs and {} I/O controllers, no more ranks",
                                 files.paths[most], topology.name, npus, most - npus));
    }
    if (!topology.faults.empty()) fredsim::members_of(topology, members_);
    for (std::size_t r = 0; r < files.paths.size(); ++r) all_.push_back(static_cast<int>(r));
  }

  TaskGraph build() {
    graph_.in_order = false;
    for (const int rank : all_) add_rank(rank);
    for (const auto& [key, operations] : operations_) {
      for (const Met& met : operations) check_all_came(met);
    }
    joint_.check();
    return std::move(graph_);
  }

 private:
  // Messages of a source, destination and tag, or collectives of a group.
  using Key = std::tuple<Group, std::uint32_t, bool>;
  // An operation, as the first rank that came to it says.
  struct Met {
    int operation = 0;
    int rank = 0;
    TraceNode node;
    Group group;
    std::vector<bool> came;  // by place in the group
  };
  struct Reading {
    int rank = 0;
    const TraceShapes* shapes = nullptr;
    std::unordered_map<std::uint64_t, std::vector<int>>
        tasks{};                        // by id: what comes after it waits for
    std::map<Key, std::size_t> next{};  // of operations_[key]
  };

  std::string place(int rank, const TraceNode& node, std::string_view field) const {
    return node_place(files_.paths[rank], node.id, node.name, field);
  }

  void add_rank(int rank) {
    graph_.ranks.push_back({members_[rank], {}});
    Reading reading{.rank = rank};
    TraceFeeder feeder(files_.paths[rank]);
    reading.shapes = &feeder.shapes();
    // In an order that its dependencies allow, as if each node were over at once.
    while (const auto node = feeder.next()) {
      add(reading, *node);
      feeder.complete(node->id);
    }
  }

  void add(Reading& reading, const TraceNode& node) {
    std::vector<int> after;
    for (const std::uint64_t id : node.after) {
      const std::vector<int>& tasks = reading.tasks.at(id);
      after.insert(after.end(), tasks.begin(), tasks.end());
    }
    std::ranges::sort(after);
    after.erase(std::unique(after.begin(), after.end()), after.end());
    std::vector<int>& own = reading.tasks[node.id];
    if (node.type == TraceNodeType::kMetadata) {
      own = std::move(after);  // takes no time: those after it wait for what it waits for
      return;
    }
    Task task{.label = shapes_.label(node.name), .after = std::move(after)};
    if (node.type < TraceNodeType::kSend) {
      task.cycles = cycles_of_node(node);
      if (node.type != TraceNodeType::kCompute) {
        task.category = TimeCategory::kMemory;
        task.stores = node.type == TraceNodeType::kStore;
        task.bytes = node.tensor_bytes;
      }
    } else if (!communicate(reading, node, task)) {
      own = std::move(task.after);
      return;
    }
    std::vector<Task>& tasks = graph_.ranks.back().tasks;
    own.push_back(static_cast<int>(tasks.size()));
    tasks.push_back(std::move(task));
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
      joint_.join(reading.rank, node, *reading.shapes, task);
      return true;
    }
    const bool is_collective = node.type == TraceNodeType::kCollective;
    const bool sends = node.type == TraceNodeType::kSend;
    Group group = is_collective ? group_of(reading.rank, node)
                  : sends       ? Group{reading.rank, node.peer}
                                : Group{node.peer, reading.rank};
    if (group.front() == group.back() && (group.size() == 1 || !is_collective)) return false;
    const Key key{group, node.tag, is_collective};
    const std::size_t k = reading.next[key]++;
    std::vector<Met>& operations = operations_[key];
    if (k == operations.size()) operations.push_back(operation_of(reading.rank, node, group));
    Met& met = operations[k];
    check_agreement(met, reading.rank, node);
    const auto at = std::ranges::find(group, reading.rank) - group.begin();
    met.came[at] = true;
    task.operation = met.operation;
    task.rank = static_cast<int>(at);
    task.category = node.priority >= 2   ? TimeCategory::kMp
                    : node.priority == 1 ? TimeCategory::kPp
                                         : TimeCategory::kDp;
    return true;
  }

  Met operation_of(int rank, const TraceNode& node, const Group& group) {
    CollectiveSpec spec;
    spec.vc = node.priority >= 2 ? kMp : node.priority == 1 ? kPp : kDp;
    for (const int of : group) spec.group.push_back(members_[of]);
    if (node.type == TraceNodeType::kCollective) {
      spec.collective = *collective_of(node.collective);
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
    const int operation = shapes_.add({.work = {std::move(spec)}, .beside = {}}, node.name);
    return {operation, rank, node, group, std::vector<bool>(group.size())};
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

  void check_all_came(const Met& met) const {
    const auto at = std::ranges::find(met.came, false);
    if (at == met.came.end()) return;
    throw BadInput(fmt::format(
        "{}: a {} that rank {} of its group does not have: its trace has fewer in this group",
        place(met.rank, met.node, "comm_type"), to_string(met.node.collective),
        met.group[at - met.came.begin()]));
  }

  Group group_of(int rank, const TraceNode& node) const {
    if (!node.group.empty()) {
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
  const ComputeSpeed& speed_;
  const Topology& topology_;
  std::string algorithm_;
  std::vector<int> dimensions_;
  std::vector<int> members_;  // by rank
  Group all_;
  TaskGraph graph_;
  OperationShapes shapes_{graph_};
  TraceJoint joint_;
  std::map<Key, std::vector<Met>> operations_;
};

}  // namespace

TaskGraph trace_graph(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
                      const Topology& topology, const std::string& algorithm) {
  return Builder(files, groups, speed, topology, algorithm).build();
}

}  // namespace fredsim
