// SPDX-License-Identifier: Apache-2.0
#include "profile/detail/rank_copies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"

namespace fredsim {
namespace {

using Ranks = std::vector<int>;

constexpr int kMaxCopies = 1 << 16;

// Equal groups of one name: each block of `count` * `stride` ranks has `stride` groups.
struct Strides {
  int count = 1, stride = 1;
  int block() const { return count * stride; }
  int place(int rank) const { return rank / stride % count; }
  Ranks around(int rank) const {
    Ranks ranks;
    const int first = rank / block() * block() + rank % stride;
    for (int n = 0; n < count; ++n) ranks.push_back(first + n * stride);
    return ranks;
  }
};

// None: no stride, or the groups of that stride are others.
std::optional<Strides> strides_of(const Ranks& ranks) {
  Strides found{.count = static_cast<int>(ranks.size()),
                .stride = ranks.size() > 1 ? ranks[1] - ranks[0] : 1};
  if (found.stride <= 0 || found.around(ranks.front()) != ranks) return std::nullopt;
  return found;
}

class Copies {
 public:
  Copies(ConvertedProfiles& converted, const std::vector<RankCalls>& calls, const RankCopies& asked)
      : converted_(converted), calls_(calls), asked_(asked) {}

  void run() {
    if (asked_.ranks > 0 || asked_.like >= 0)
      stand_for_all();
    else
      take_all();
    for (const auto& [group, ranks] : asked_.resized) resize(group, ranks);
    write();
  }

 private:
  // Calls `what` with the nodes of a profile's collectives, the names of their groups and the
  // ranks in them.
  template <class What>
  void each(std::size_t profile, const What& what) {
    ConvertedRank& rank = converted_.ranks[profile];
    for (ProfiledNode& node : rank.graph.nodes) {
      if (node.call < 0) continue;
      const CollectiveCall& call = calls_[profile].calls[static_cast<std::size_t>(node.call)];
      if (node.node.type != TraceNodeType::kCollective)
        throw BadInput(fmt::format(
            "--ranks, --resize: found a {} in {}, whose peer is one rank; allowed: profiles with "
            "collectives alone",
            call.name, rank.path));
      const Ranks ranks = group_of(call, calls_[profile], converted_.world);
      check_group(rank, node.node, call.group, ranks, converted_.world);
      what(node, call.group, ranks);
    }
  }

  void stand_for_all() {
    const int like = std::max(asked_.like, 0);
    const auto found = std::ranges::find(converted_.ranks, like, &ConvertedRank::rank);
    if (found == converted_.ranks.end()) {
      Ranks given;
      for (const ConvertedRank& rank : converted_.ranks) given.push_back(rank.rank);
      std::ranges::sort(given);
      throw BadInput(fmt::format("--like: found {}, of which there is no profile; allowed: {}",
                                 like, fmt::join(given, ", ")));
    }
    const auto profile = static_cast<std::size_t>(found - converted_.ranks.begin());
    const int ranks = asked_.ranks > 0 ? asked_.ranks : converted_.world;
    std::map<std::string, Strides> strides;
    each(profile, [&](const ProfiledNode&, const std::string& group, const Ranks& members) {
      const std::optional<Strides> one = strides_of(members);
      const bool is_other =
          one && strides.contains(group) && strides.at(group).around(like) != members;
      if (!one || is_other)
        throw BadInput(fmt::format(
            "--like: process group '{}' of {}: found ranks {}; allowed: a start and a stride, a "
            "group for each name",
            group, found->path, fmt::join(members, ", ")));
      if (ranks % one->block() != 0)
        throw BadInput(fmt::format(
            "--ranks: found {}; allowed: a multiple of {}, ranks that the groups '{}' take", ranks,
            one->block(), group));
      strides.emplace(group, *one);
    });
    trace_of_.assign(static_cast<std::size_t>(ranks), profile);
    for (const auto& [group, one] : strides)
      for (int rank = 0; rank < ranks; ++rank)
        if (one.place(rank) == 0) groups_[group].insert(one.around(rank));
  }

  void take_all() {
    if (std::ssize(converted_.ranks) != converted_.world)
      throw BadInput(
          fmt::format("--resize: found {} of {} ranks; allowed: all, or --like with one of them",
                      converted_.ranks.size(), converted_.world));
    trace_of_.resize(converted_.ranks.size());
    for (std::size_t n = 0; n < converted_.ranks.size(); ++n) {
      trace_of_[static_cast<std::size_t>(converted_.ranks[n].rank)] = n;
      each(n, [&](const ProfiledNode&, const std::string& group, const Ranks& members) {
        groups_[group].insert(members);
      });
    }
  }

  Strides strides_to_resize(const std::string& group) const {
    const auto found = groups_.find(group);
    if (found == groups_.end()) {
      std::vector<std::string> names;
      for (const auto& [name, groups] : groups_) names.push_back("'" + name + "'");
      throw BadInput(fmt::format("--resize: found '{}'; allowed: {}", group,
                                 names.empty() ? "no group: there are no collectives"
                                               : fmt::format("{}", fmt::join(names, ", "))));
    }
    std::optional<Strides> all;
    std::size_t ranks = 0;
    for (const Ranks& one : found->second) {
      const std::optional<Strides> own = strides_of(one);
      const bool is_equal =
          own && (!all || (own->count == all->count && own->stride == all->stride));
      if (!is_equal)
        throw BadInput(fmt::format(
            "--resize: process group '{}': found ranks {}; allowed: equal groups of a start and a "
            "stride",
            group, fmt::join(one, ", ")));
      all = own;
      ranks += one.size();
    }
    if (ranks != trace_of_.size())
      throw BadInput(fmt::format(
          "--resize: process group '{}': found {} of {} ranks in such groups; allowed: all", group,
          ranks, trace_of_.size()));
    return *all;
  }

  void resize(const std::string& resized, int count) {
    const Strides old = strides_to_resize(resized);
    const Strides now{.count = count, .stride = old.stride};
    if (static_cast<std::int64_t>(trace_of_.size()) / old.count * count > kMaxCopies)
      throw BadInput(fmt::format("--resize: found '{}={}', more than {} ranks; allowed: fewer",
                                 resized, count, kMaxCopies));
    const auto moved = [&](int rank, int place) {
      return rank / old.block() * now.block() + place * now.stride + rank % old.stride;
    };
    std::map<std::string, std::set<Ranks>> groups;
    std::set<std::string> grown;
    for (const auto& [name, all] : groups_)
      for (const Ranks& one : all) {
        std::set<int> places, members(one.begin(), one.end());
        for (const int rank : one) places.insert(old.place(rank));
        // Groups of one rank are whole in all others: only the one that is named grows.
        const bool may_grow = old.count > 1 || name == resized || one.size() == trace_of_.size();
        const bool is_whole = may_grow && std::ranges::all_of(one, [&](int rank) {
                                return std::ranges::all_of(old.around(rank), [&](int other) {
                                  return members.contains(other);
                                });
                              });
        if (is_whole) {
          Ranks more;
          for (const int rank : one)
            if (old.place(rank) == 0)
              for (int place = 0; place < count; ++place) more.push_back(moved(rank, place));
          std::ranges::sort(more);
          groups[name].insert(std::move(more));
          grown.insert(name);
        } else if (places.size() == 1) {
          for (int place = *places.begin(); place < count; place += old.count) {
            Ranks copied;
            for (const int rank : one) copied.push_back(moved(rank, place));
            groups[name].insert(std::move(copied));
          }
        } else {
          throw BadInput(fmt::format(
              "--resize: found '{}', of which the group '{}' has a part, ranks {}; allowed: groups "
              "that have one rank of each, or whole ones",
              resized, name, fmt::join(one, ", ")));
        }
      }
    std::vector<std::size_t> trace_of(trace_of_.size() / static_cast<std::size_t>(old.count) *
                                      static_cast<std::size_t>(count));
    for (std::size_t rank = 0; rank < trace_of_.size(); ++rank)
      for (int place = old.place(static_cast<int>(rank)); place < count; place += old.count)
        trace_of[static_cast<std::size_t>(moved(static_cast<int>(rank), place))] = trace_of_[rank];
    for (const std::string& name : grown) {
      auto& [before, after] = grown_.try_emplace(name, 1, 1).first->second;
      before *= static_cast<std::uint64_t>(old.count);
      after *= static_cast<std::uint64_t>(count);
    }
    trace_of_ = std::move(trace_of);
    groups_ = std::move(groups);
  }

  void write();

  ConvertedProfiles& converted_;
  const std::vector<RankCalls>& calls_;
  const RankCopies& asked_;
  std::vector<std::size_t> trace_of_;              // profile of each rank
  std::map<std::string, std::set<Ranks>> groups_;  // by their name in the profiles
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> grown_;  // ranks before, after
};

// Leaves the profiles that a rank runs, each with the names that its ranks' groups share.
void Copies::write() {
  const auto title = [](const std::string& name) -> std::string {
    return name.empty() ? "group" : name;
  };
  const auto is_unnamed = [&](const std::string& name) {
    return name.empty() && groups_.at(name).begin()->size() == trace_of_.size();
  };
  std::map<std::size_t, int> files;  // by profile
  for (const std::size_t profile : trace_of_) files.emplace(profile, 0);
  std::vector<ConvertedRank> used;
  for (auto& [profile, file] : files) {
    each(profile, [&](ProfiledNode& node, const std::string& group, const Ranks&) {
      node.node.group = is_unnamed(group) ? "" : title(group);
      const auto grown = grown_.find(group);
      if (grown != grown_.end() && !node.node.splits.empty())
        throw BadInput(fmt::format(
            "--resize: process group '{}': found an all-to-all with a size for each of {} ranks; "
            "allowed: equal shares",
            group, node.node.splits.size()));
      if (grown == grown_.end() || node.node.collective != TraceCollective::kAllGather) return;
      const auto& [before, after] = grown->second;
      node.node.bytes = (node.node.bytes * before + after - 1) / after;
    });
    file = static_cast<int>(used.size());
    used.push_back(std::move(converted_.ranks[profile]));
  }
  converted_.ranks = std::move(used);
  converted_.world = static_cast<int>(trace_of_.size());
  for (const std::size_t profile : trace_of_) converted_.trace_of.push_back(files.at(profile));
  for (const auto& [name, all] : groups_) {
    if (is_unnamed(name)) continue;
    for (const Ranks& one : all)
      converted_.groups.emplace(
          all.size() > 1 ? fmt::format("{}@{}", title(name), one.front()) : title(name), one);
  }
}

}  // namespace

void copy_ranks(ConvertedProfiles& converted, const std::vector<RankCalls>& calls,
                const RankCopies& copies) {
  Copies(converted, calls, copies).run();
}

}  // namespace fredsim
