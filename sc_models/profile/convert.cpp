// SPDX-License-Identifier: Apache-2.0
#include "profile/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {
namespace {

// Calls of one rank with the ranks of their groups.
struct RankCalls {
  std::vector<CollectiveCall> calls;
  std::map<std::string, std::vector<int>> groups;
};

std::vector<int> group_of(const CollectiveCall& call, const RankCalls& rank, int world) {
  std::vector<int> ranks = ranks_of(call);
  if (ranks.empty())
    if (const auto known = rank.groups.find(call.group); known != rank.groups.end())
      ranks = known->second;
  if (ranks.empty())
    for (int r = 0; r < world; ++r) ranks.push_back(r);
  return ranks;
}

void number_ranks(std::vector<ConvertedRank>& ranks, const std::vector<int>& told) {
  const bool all = std::ranges::all_of(told, [](int rank) { return rank >= 0; });
  std::map<int, std::string> taken;
  for (std::size_t n = 0; n < ranks.size(); ++n) {
    ranks[n].rank = all ? told[n] : static_cast<int>(n);
    const auto [other, is_new] = taken.emplace(ranks[n].rank, ranks[n].path);
    if (!is_new)
      throw BadInput(
          fmt::format("{}: distributedInfo.rank: found {}, which {} has, too; allowed: "
                      "a file for each rank",
                      ranks[n].path, ranks[n].rank, other->second));
  }
}

void join_host(Kineto& profile, const std::string& path, ConvertedRank& rank) {
  constexpr double kLeast = 0.95;
  rank.join = join(profile, read_host_trace(path));
  if (rank.join->share() >= kLeast) return;
  throw BadInput(fmt::format(
      "--host: {}: found {} of {} operations of {} ({:.1f} %); allowed: 95 % at least. Not found: "
      "{}",
      path, rank.join->joined, rank.join->operations, profile.path, 100 * rank.join->share(),
      fmt::join(rank.join->missing, ", ")));
}

// Gives nodes the names of their groups, and the job its groups.
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
    for (const int one : ranks)
      if (one < 0 || one >= converted.world)
        throw BadInput(
            fmt::format("{}: process group '{}': found rank {}; allowed: 0 to {}, the "
                        "ranks of the job",
                        rank.path, call.group, one, converted.world - 1));
    if (!std::ranges::count(ranks, rank.rank))
      throw BadInput(
          fmt::format("{}: process group '{}': found ranks {}; allowed: a group of rank "
                      "{}, whose profile it is",
                      rank.path, call.group, fmt::join(ranks, ", "), rank.rank));
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

}  // namespace

std::vector<std::string> profile_paths(const std::vector<std::string>& given) {
  constexpr int kMost = 1 << 20;
  std::vector<std::string> paths;
  for (const std::string& one : given) {
    const std::size_t at = one.find("%d");
    if (at == std::string::npos) {
      paths.push_back(one);
      continue;
    }
    const std::size_t before = paths.size();
    for (int n = 0; n < kMost; ++n) {
      std::string path = one.substr(0, at) + std::to_string(n) + one.substr(at + 2);
      std::error_code error;
      if (!std::filesystem::exists(path, error)) break;
      paths.push_back(std::move(path));
    }
    if (paths.size() == before)
      throw BadInput(fmt::format("{}: found no file with 0 in place of %d", one));
  }
  return paths;
}

ConvertedProfiles convert_profiles(const std::vector<std::string>& profiles,
                                   const std::vector<std::string>& hosts,
                                   const ProfileOptions& options) {
  const std::vector<std::string> paths = profile_paths(profiles);
  const std::vector<std::string> host_paths = profile_paths(hosts);
  if (!host_paths.empty() && host_paths.size() != paths.size())
    throw BadInput(fmt::format("--host: found {} files; allowed: {}, one for each profile",
                               host_paths.size(), paths.size()));
  ConvertedProfiles converted;
  std::vector<RankCalls> calls;
  std::vector<int> told;
  for (std::size_t n = 0; n < paths.size(); ++n) {
    Kineto profile = read_kineto(paths[n]);
    ConvertedRank rank{.path = paths[n]};
    if (!host_paths.empty()) join_host(profile, host_paths[n], rank);
    rank.events = profile.events;
    rank.unknown_events = profile.unknown;
    rank.graph = profile_graph(profile, options);
    rank.check = check_recorded(rank.graph);
    told.push_back(profile.rank);
    converted.world = std::max(converted.world, profile.world);
    calls.push_back({std::move(profile.calls), std::move(profile.groups)});
    converted.ranks.push_back(std::move(rank));
    const auto& first = converted.ranks.front();
    if (converted.ranks.back().graph.steps != first.graph.steps)
      throw BadInput(fmt::format("{}: found steps {}; allowed: {}, those of {}", paths[n],
                                 fmt::join(converted.ranks.back().graph.steps, ", "),
                                 fmt::join(first.graph.steps, ", "), first.path));
  }
  number_ranks(converted.ranks, told);
  for (const ConvertedRank& rank : converted.ranks)
    converted.world = std::max(converted.world, rank.rank + 1);
  name_groups(converted, calls);
  std::ranges::sort(converted.ranks, {}, &ConvertedRank::rank);
  return converted;
}

std::string trace_text(const ProfileGraph& graph) {
  ChakraWriter writer;
  for (const ProfiledNode& profiled : graph.nodes) {
    TraceNode node = profiled.node;
    node.start_ps =
        static_cast<std::uint64_t>(std::max<Kineto::Ps>(profiled.begin - graph.begin, 0));
    node.stream = graph.lanes[static_cast<std::size_t>(profiled.lane)].stream;
    writer.add(node);
  }
  return writer.text();
}

std::string groups_text(const ConvertedProfiles& converted) {
  return nlohmann::json(converted.groups).dump(1) + "\n";
}

}  // namespace fredsim
