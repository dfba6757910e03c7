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
#include "profile/detail/group_names.h"
#include "profile/detail/rank_copies.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {
namespace {

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

// Numbers of the processes of a profile and of its host's trace.
struct Processes {
  std::string profile, host_path;
  std::set<std::string> of_profile;
  std::string of_host;  // empty: not told
};

std::set<std::string> processes_of(const Kineto& profile) {
  std::set<std::string> all;
  for (const std::string& thread : profile.threads) all.insert(thread.substr(0, thread.find('/')));
  return all;
}

// Equal operations run on all ranks, so that names alone do not tell hosts apart. Traces of two
// runs have other numbers of processes throughout.
void check_processes(const std::vector<Processes>& ranks) {
  for (const Processes& rank : ranks) {
    if (rank.of_host.empty() || rank.of_profile.contains(rank.of_host)) continue;
    const auto owner = std::ranges::find_if(
        ranks, [&](const Processes& other) { return other.of_profile.contains(rank.of_host); });
    if (owner == ranks.end()) continue;
    throw BadInput(fmt::format(
        "--host: found {} for {}, although its process {} is that of {}; allowed: execution traces "
        "in the order of the profiles",
        rank.host_path, rank.profile, rank.of_host, owner->profile));
  }
}

void join_host(Kineto& profile, const std::string& path, ConvertedRank& rank,
               std::vector<Processes>& processes) {
  constexpr double kLeast = 0.95;
  const HostTrace host = read_host_trace(path);
  processes.push_back({profile.path, path, processes_of(profile), host.process});
  rank.join = join(profile, host);
  if (rank.join->share() >= kLeast) return;
  throw BadInput(fmt::format(
      "--host: {}: found {} of {} operations of {} ({:.1f} %); allowed: 95 % at least. Not found: "
      "{}",
      path, rank.join->joined, rank.join->operations, profile.path, 100 * rank.join->share(),
      fmt::join(rank.join->missing, ", ")));
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
                                   const ProfileOptions& options, const RankCopies& copies) {
  const std::vector<std::string> paths = profile_paths(profiles);
  const std::vector<std::string> host_paths = profile_paths(hosts);
  if (!host_paths.empty() && host_paths.size() != paths.size())
    throw BadInput(fmt::format("--host: found {} files; allowed: {}, one for each profile",
                               host_paths.size(), paths.size()));
  ConvertedProfiles converted;
  std::vector<RankCalls> calls;
  std::vector<Processes> processes;
  std::vector<int> told, worlds;
  for (std::size_t n = 0; n < paths.size(); ++n) {
    Kineto profile = read_kineto(paths[n]);
    ConvertedRank rank{.path = paths[n]};
    if (!host_paths.empty()) join_host(profile, host_paths[n], rank, processes);
    rank.events = profile.events;
    rank.unknown_events = profile.unknown;
    rank.graph = profile_graph(profile, options);
    rank.check = check_recorded(rank.graph);
    told.push_back(profile.rank);
    if (!worlds.empty() && profile.world > 0 && worlds.front() > 0 &&
        profile.world != worlds.front())
      throw BadInput(
          fmt::format("{}: distributedInfo.world_size: found {}; allowed: {}, that of {}", paths[n],
                      profile.world, worlds.front(), paths.front()));
    worlds.push_back(profile.world);
    converted.world = std::max(converted.world, profile.world);
    calls.push_back({std::move(profile.calls), std::move(profile.groups)});
    converted.ranks.push_back(std::move(rank));
    const auto& first = converted.ranks.front();
    if (converted.ranks.back().graph.steps != first.graph.steps)
      throw BadInput(fmt::format("{}: found steps {}; allowed: {}, those of {}", paths[n],
                                 fmt::join(converted.ranks.back().graph.steps, ", "),
                                 fmt::join(first.graph.steps, ", "), first.path));
  }
  check_processes(processes);
  number_ranks(converted.ranks, told);
  for (const ConvertedRank& rank : converted.ranks)
    converted.world = std::max(converted.world, rank.rank + 1);
  if (copies.any()) {
    const bool is_told = std::ranges::any_of(worlds, [](int world) { return world > 0; });
    if (!is_told) converted.world = std::max(converted.world, copies.ranks);
    copy_ranks(converted, calls, copies);
    return converted;
  }
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
