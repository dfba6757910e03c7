// SPDX-License-Identifier: Apache-2.0
// Ranks, roles and groups of a synthetic job: a learned layout, copied and cut to its ranks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "synthesis/trace_model.h"

namespace fredsim {

struct SyntheticGroup {
  std::string name{};  // "": all ranks, by no name
  std::vector<int> ranks{};
};

class SyntheticRanks {
 public:
  // `count`: ranks that take part. `are_all_named`: the group of all ranks has a name, too.
  SyntheticRanks(const TraceLayout& layout, int count, bool are_all_named);

  int count() const { return count_; }
  int role(int rank) const { return layout_.role_of[at(rank)]; }
  const std::vector<int>& members(int role) const {
    return members_[static_cast<std::size_t>(role)];
  }
  // Groups of a family by number.
  const std::map<int, SyntheticGroup>& groups(int family) const {
    return groups_[static_cast<std::size_t>(family)];
  }
  // Number of the group of a rank; kNobody: the rank is in none.
  int group_of(int family, int rank) const {
    return group_of_[static_cast<std::size_t>(family)][static_cast<std::size_t>(rank)];
  }
  std::map<std::string, std::vector<int>> named() const;

 private:
  std::size_t at(int rank) const { return static_cast<std::size_t>(rank) % layout_.role_of.size(); }

  const TraceLayout& layout_;
  int count_;
  std::vector<std::vector<int>> members_;              // by role
  std::vector<std::vector<int>> group_of_;             // by family and rank
  std::vector<std::map<int, SyntheticGroup>> groups_;  // by family
};

}  // namespace fredsim
