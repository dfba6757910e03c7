// SPDX-License-Identifier: Apache-2.0
#include "synthesis/detail/synthetic_ranks.h"

#include <fmt/format.h>

#include <algorithm>

namespace fredsim {

SyntheticRanks::SyntheticRanks(const TraceLayout& layout, int count, bool are_all_named)
    : layout_(layout), count_(count) {
  const auto learned = static_cast<int>(layout.role_of.size());
  members_.resize(static_cast<std::size_t>(layout.roles()));
  for (int rank = 0; rank < count; ++rank)
    members_[static_cast<std::size_t>(role(rank))].push_back(rank);
  int names = 0;
  for (const GroupFamily& family : layout.families) {
    const int groups = *std::ranges::max_element(family.group_of) + 1;
    auto& numbers = group_of_.emplace_back();
    auto& own = groups_.emplace_back();
    for (int rank = 0; rank < count; ++rank) {
      int group = family.group_of[at(rank)];
      if (group >= 0 && !family.grows) group += rank / learned * groups;
      numbers.push_back(group);
      if (group >= 0) own[group].ranks.push_back(rank);
    }
    for (auto& [number, group] : own)
      if (are_all_named || static_cast<int>(group.ranks.size()) < count)
        group.name = fmt::format("g{}", names++);
  }
}

std::map<std::string, std::vector<int>> SyntheticRanks::named() const {
  std::map<std::string, std::vector<int>> all;
  for (const auto& family : groups_)
    for (const auto& [number, group] : family)
      if (!group.name.empty()) all[group.name] = group.ranks;
  return all;
}

}  // namespace fredsim
