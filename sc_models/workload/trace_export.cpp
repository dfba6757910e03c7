// SPDX-License-Identifier: Apache-2.0
#include "workload/trace_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/member.h"
#include "workload/compute_time.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {
namespace {

TraceCollective trace_collective(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce:
      return TraceCollective::kAllReduce;
    case Collective::kReduceScatter:
      return TraceCollective::kReduceScatter;
    case Collective::kAllGather:
      return TraceCollective::kAllGather;
    case Collective::kReduce:
      return TraceCollective::kReduce;
    case Collective::kGather:
      return TraceCollective::kGather;
    case Collective::kScatter:
      return TraceCollective::kScatter;
    case Collective::kAllToAll:
    case Collective::kAllToAllV:
      return TraceCollective::kAllToAll;
    case Collective::kBroadcast:
    case Collective::kMulticast:
    case Collective::kUnicast:
      break;
  }
  return TraceCollective::kBroadcast;
}

bool has_root(TraceCollective collective) {
  return collective == TraceCollective::kReduce || collective == TraceCollective::kGather ||
         collective == TraceCollective::kScatter || collective == TraceCollective::kBroadcast;
}

// Value of comm_size: for an all-gather and a gather the contribution of a rank.
std::uint64_t size_of(const CollectiveSpec& spec) {
  const std::uint64_t ranks = spec.group.size();
  const bool is_of_a_rank =
      spec.collective == Collective::kAllGather || spec.collective == Collective::kGather;
  return is_of_a_rank ? (spec.bytes + ranks - 1) / ranks : spec.bytes;
}

std::int64_t priority_of(int vc) { return vc == kMp ? 2 : vc == kPp ? 1 : 0; }

TimeCategory category_of(int vc) {
  return vc == kMp ? TimeCategory::kMp : vc == kPp ? TimeCategory::kPp : TimeCategory::kDp;
}

TraceNodeType type_of(const Task& computation) {
  if (computation.category != TimeCategory::kMemory) return TraceNodeType::kCompute;
  return computation.stores ? TraceNodeType::kStore : TraceNodeType::kLoad;
}

// The longest time that takes these cycles.
std::uint64_t duration_ps(std::uint64_t cycles, std::uint64_t clock_hz) {
  constexpr double kPsPerSecond = 1e12;
  auto ps = static_cast<std::uint64_t>(static_cast<double>(cycles) * kPsPerSecond /
                                       static_cast<double>(clock_hz));
  while (cycles_of(static_cast<double>(ps), clock_hz) > cycles) --ps;
  return ps;
}

int trace_rank(int member, const Topology& topology) {
  return is_io_member(member) ? static_cast<int>(topology.npus.size()) + io_of_member(member)
                              : member;
}

class Exporter {
 public:
  Exporter(const TaskGraph& graph, const Topology& topology) : graph_(graph), topology_(topology) {
    for (const OperationShape& shape : graph.shapes) said_.push_back(said(shape));
  }

  TraceTexts texts() {
    std::map<int, const TaskRank*> by_rank;
    for (const TaskRank& rank : graph_.ranks)
      if (!rank.tasks.empty()) by_rank[rank_of(rank.member)] = &rank;
    TraceTexts texts;
    const auto ranks = static_cast<int>(trace_ranks(graph_, topology_));
    for (int r = 0; r < ranks; ++r) {
      const auto found = by_rank.find(r);
      texts.ranks.push_back(found == by_rank.end() ? ChakraWriter().text() : text(*found->second));
    }
    nlohmann::ordered_json groups = nlohmann::ordered_json::object();
    for (std::size_t g = 0; g < groups_.size(); ++g) groups[fmt::format("{}", g)] = groups_[g];
    texts.groups = groups.dump() + "\n";
    return texts;
  }

 private:
  int rank_of(int member) const { return trace_rank(member, topology_); }

  std::string group_name(const std::vector<int>& members) {
    std::vector<int> ranks;
    for (const int member : members) ranks.push_back(rank_of(member));
    const auto [at, is_new] = names_.try_emplace(ranks, fmt::format("{}", groups_.size()));
    if (is_new) groups_.push_back(std::move(ranks));
    return at->second;
  }

  TraceShape said(const OperationShape& shape) {
    const auto parts = [this](const std::vector<CollectiveSpec>& specs) {
      std::vector<TracePart> made;
      for (const CollectiveSpec& spec : specs) {
        made.push_back({group_name(spec.group), to_string(spec.collective), spec.bytes,
                        priority_of(spec.vc), spec.root, spec.roots, spec.algorithm, spec.matrix});
      }
      return made;
    };
    return {parts(shape.before), parts(shape.work), parts(shape.beside)};
  }

  int shape_of(const Task& task) const { return graph_.operations[task.operation].shape; }

  std::string text(const TaskRank& rank) const {
    TraceShapes own;
    for (const Task& task : rank.tasks)
      if (!task.computes()) own.try_emplace(shape_of(task), said_[shape_of(task)]);
    ChakraWriter writer(own);
    std::optional<std::uint64_t> computed;
    for (std::size_t t = 0; t < rank.tasks.size(); ++t) {
      const Task& task = rank.tasks[t];
      TraceNode node{.id = t, .name = graph_.labels[task.label]};
      std::set<std::uint64_t> after(task.after.begin(), task.after.end());
      if (task.computes()) {
        node.type = type_of(task);
        node.tensor_bytes = task.bytes;
        node.duration_ps = duration_ps(task.cycles, topology_.clock_hz);
        if (graph_.in_order && computed) after.insert(*computed);
        computed = t;
      } else {
        communicate(task, node);
      }
      node.after.assign(after.begin(), after.end());
      writer.add(node);
    }
    return writer.text();
  }

  void communicate(const Task& task, TraceNode& node) const {
    const CollectiveSpec& spec = graph_.shapes[shape_of(task)].work[task.part];
    const TracePart& part = said_[shape_of(task)].work[task.part];
    node.type = TraceNodeType::kCollective;
    node.collective = trace_collective(spec.collective);
    node.times = graph_.operations[task.operation].times;
    node.bytes = size_of(spec) * node.times;
    if (has_root(node.collective)) node.peer = rank_of(spec.group[spec.root]);
    node.priority = part.priority;
    node.group = part.group;
    node.shape = shape_of(task);
    node.part = task.part;
    if (task.category != category_of(spec.vc))
      node.category = kTimeCategories[static_cast<std::size_t>(task.category)];
  }

  const TaskGraph& graph_;
  const Topology& topology_;
  std::map<std::vector<int>, std::string> names_;  // names of groups
  std::vector<std::vector<int>> groups_;           // ranks
  std::vector<TraceShape> said_;                   // by shape
};

}  // namespace

std::size_t trace_ranks(const TaskGraph& graph, const Topology& topology) {
  int ranks = 0;
  for (const TaskRank& rank : graph.ranks)
    if (!rank.tasks.empty()) ranks = std::max(ranks, trace_rank(rank.member, topology) + 1);
  return static_cast<std::size_t>(ranks);
}

TraceTexts trace_texts(const TaskGraph& graph, const Topology& topology) {
  return Exporter(graph, topology).texts();
}

}  // namespace fredsim
