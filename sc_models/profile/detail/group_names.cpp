// SPDX-License-Identifier: Apache-2.0
#include "profile/detail/group_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "base/error.h"

namespace fredsim {

std::vector<int> group_of(const CollectiveCall& call, const RankCalls& rank, int world) {
  std::vector<int> ranks = ranks_of(call);
  if (ranks.empty())
    if (const auto known = rank.groups.find(call.group); known != rank.groups.end())
      ranks = known->second;
  if (ranks.empty())
    for (int r = 0; r < world; ++r) ranks.push_back(r);
  return ranks;
}

void check_group(const ConvertedRank& rank, const TraceNode& node, const std::string& group,
                 const std::vector<int>& ranks, int world) {
  if (!node.splits.empty() && node.splits.size() != ranks.size())
    throw BadInput(
        fmt::format("{}: process group '{}': {}: found {} splits; allowed: {}, one for "
                    "each rank of the group",
                    rank.path, group, node.name, node.splits.size(), ranks.size()));
  for (const int one : ranks)
    if (one < 0 || one >= world)
      throw BadInput(
          fmt::format("{}: process group '{}': found rank {}; allowed: 0 to {}, the "
                      "ranks of the job",
                      rank.path, group, one, world - 1));
  if (!std::ranges::count(ranks, rank.rank))
    throw BadInput(
        fmt::format("{}: process group '{}': found ranks {}; allowed: a group of rank "
                    "{}, whose profile it is",
                    rank.path, group, fmt::join(ranks, ", "), rank.rank));
}

namespace {

// Each rank of a group has as many collectives there.
template <class Each>
void check_calls(const ConvertedProfiles& converted, const Each& each) {
  using Group = std::pair<std::string, std::vector<int>>;
  std::map<Group, std::map<int, std::uint64_t>> counts;  // by rank
  each([&](const ConvertedRank& rank, const ProfiledNode& node, const CollectiveCall& call,
           const std::vector<int>& ranks) {
    if (node.node.type == TraceNodeType::kCollective) ++counts[{call.group, ranks}][rank.rank];
  });
  for (const auto& [group, by_rank] : counts)
    for (const int rank : group.second) {
      const auto own = by_rank.find(rank);
      const std::uint64_t found = own == by_rank.end() ? 0 : own->second;
      const auto& [other, count] = *by_rank.begin();
      if (found == count) continue;
      const auto file = std::ranges::find(converted.ranks, rank, &ConvertedRank::rank);
      throw BadInput(
          fmt::format("{}: process group '{}': found {} collectives of rank {}; allowed: {}, as "
                      "many as rank {} "
                      "has",
                      file->path, group.first, found, rank, count, other));
    }
}

}  // namespace

void name_groups(ConvertedProfiles& converted, const std::vector<RankCalls>& calls) {
  std::map<std::string, std::set<std::vector<int>>> meanings;
  const auto each = [&](const auto& what) {
    for (std::size_t n = 0; n < converted.ranks.size(); ++n)
      for (ProfiledNode& node : converted.ranks[n].graph.nodes)
        if (node.call >= 0) {
          const CollectiveCall& call = calls[n].calls[static_cast<std::size_t>(node.call)];
          what(converted.ranks[n], node, call, group_of(call, calls[n], converted.world));
        }
  };
  each([&](const ConvertedRank& rank, const ProfiledNode& node, const CollectiveCall& call,
           const std::vector<int>& ranks) {
    check_group(rank, node.node, call.group, ranks, converted.world);
    const bool is_message =
        node.node.type == TraceNodeType::kSend || node.node.type == TraceNodeType::kReceive;
    if (is_message && (call.peer < 0 || call.peer >= std::ssize(ranks)))
      throw BadInput(fmt::format(
          "{}: process group '{}': {}: found {} (Src Rank, Dst Rank); allowed: a place in the "
          "group, 0 to {}",
          rank.path, call.group, call.name,
          call.peer < 0 ? "no peer" : fmt::format("peer {}", call.peer), ranks.size() - 1));
    meanings[call.group].insert(ranks);
  });
  if (std::ssize(converted.ranks) == converted.world) check_calls(converted, each);
  each([&](const ConvertedRank&, ProfiledNode& node, const CollectiveCall& call,
           const std::vector<int>& ranks) {
    if (node.node.type == TraceNodeType::kSend || node.node.type == TraceNodeType::kReceive)
      node.node.peer = ranks[static_cast<std::size_t>(call.peer)];
    const bool is_all = static_cast<int>(ranks.size()) == converted.world;
    if (call.group.empty() && is_all) return;  // all ranks have no name
    std::string name = call.group.empty() ? "group" : call.group;
    if (meanings[call.group].size() > 1) name += fmt::format("@{}", ranks.front());
    node.node.group = name;
    converted.groups.emplace(name, ranks);
  });
}

}  // namespace fredsim
