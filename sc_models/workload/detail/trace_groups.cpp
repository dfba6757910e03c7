// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/trace_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "workload_files/node_place.h"

namespace fredsim {

TraceGroups::TraceGroups(const std::vector<std::string>& paths, const CommGroups& groups,
                         const Topology& topology)
    : paths_(paths), groups_(groups), topology_(topology), all_(paths.size()) {
  for (const TopologyDimension& one : topology.dimensions) dimensions_.push_back(one.size);
  std::iota(all_.begin(), all_.end(), 0);
  for (const auto& [name, ranks] : groups_) {
    const std::size_t at = name.rfind('@');
    if (at == std::string::npos || groups_.contains(name.substr(0, at))) continue;
    for (const int rank : ranks) shared_[name.substr(0, at)].emplace(rank, &ranks);
  }
}

std::string TraceGroups::place(int rank, const TraceNode& node, std::string_view field) const {
  return node_place(paths_[rank], node.id, node.name, field);
}

bool TraceGroups::is_of_all(const TraceNode& node) const {
  return node.group.empty() ||
         (node.group == "0" && !groups_.contains(node.group) && !shared_.contains(node.group));
}

std::vector<int> TraceGroups::group_of(int rank, const TraceNode& node) const {
  if (!is_of_all(node)) return named(rank, node);
  return std::ranges::count(node.dimensions, false) ? along_dimensions(rank, node) : all_;
}

std::vector<int> TraceGroups::named(int rank, const TraceNode& node) const {
  if (const auto shared = shared_.find(node.group); shared != shared_.end())
    if (const auto own = shared->second.find(rank); own != shared->second.end())
      return *own->second;
  const auto at = groups_.find(node.group);
  if (at == groups_.end()) {
    throw BadInput(fmt::format("{}: found {}; {}", place(rank, node, "pg_name"), node.group,
                               groups_.empty() ? "groups of that name are given by --comm-groups"
                                               : "no group has that name"));
  }
  if (!std::ranges::count(at->second, rank)) {
    throw BadInput(fmt::format("{}: found {}, a group without rank {}",
                               place(rank, node, "pg_name"), node.group, rank));
  }
  return at->second;
}

std::vector<int> TraceGroups::along_dimensions(int rank, const TraceNode& node) const {
  const auto& involved = node.dimensions;
  if (involved.size() != dimensions_.size() || all_.size() != topology_.npus.size()) {
    throw BadInput(fmt::format("{}: found {} dimensions; {} has {}, of {} NPUs",
                               place(rank, node, "involved_dim"), involved.size(), topology_.name,
                               dimensions_.size(), topology_.npus.size()));
  }
  std::vector<int> group;
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

}  // namespace fredsim
