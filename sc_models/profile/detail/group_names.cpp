// SPDX-License-Identifier: Apache-2.0
#include "profile/detail/group_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

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

void check_group(const ConvertedRank& rank, const std::string& group, const std::vector<int>& ranks,
                 int world) {
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
  each([&](const ConvertedRank& rank, const ProfiledNode&, const CollectiveCall& call,
           const std::vector<int>& ranks) {
    check_group(rank, call.group, ranks, converted.world);
    meanings[call.group].insert(ranks);
  });
  each([&](const ConvertedRank&, ProfiledNode& node, const CollectiveCall& call,
           const std::vector<int>& ranks) {
    const bool is_all = static_cast<int>(ranks.size()) == converted.world;
    if (call.group.empty() && is_all) return;  // all ranks have no name
    std::string name = call.group.empty() ? "group" : call.group;
    if (meanings[call.group].size() > 1) name += fmt::format("@{}", ranks.front());
    node.node.group = name;
    converted.groups.emplace(name, ranks);
  });
}

}  // namespace fredsim
