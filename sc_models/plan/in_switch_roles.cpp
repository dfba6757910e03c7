// SPDX-License-Identifier: Apache-2.0
#include "plan/in_switch_roles.h"

#include <algorithm>

namespace fredsim {

bool has_in_switch(Collective collective) {
  switch (collective) {
    case Collective::kGather:
    case Collective::kScatter:
    case Collective::kAllToAll:
    case Collective::kAllToAllV:
      return false;
    default:
      return true;
  }
}

bool takes_steps(Collective collective) {
  return collective == Collective::kReduceScatter || collective == Collective::kAllGather;
}

bool has_blocks(const Part& part) { return takes_steps(part.collective) || part.roots > 0; }

Roles roles_in_switch(Collective collective) {
  switch (collective) {
    case Collective::kReduce:
    case Collective::kReduceScatter:
      return Roles::kToRoot;
    case Collective::kAllReduce:
      return Roles::kAllToAll;
    default:
      return Roles::kToOthers;  // ranks that hold the data keep it
  }
}

int first_root(const Part& part) { return part.collective == Collective::kUnicast ? 0 : part.root; }

namespace {

// Data from roots to the remaining ranks, or back.
GroupRoles stream_roles(const Part& part) {
  std::vector<bool> roots(part.members.size());
  std::fill_n(roots.begin(), part.roots, true);
  std::vector<bool> others(roots);
  others.flip();
  return reduces(roles_in_switch(part.collective)) ? GroupRoles{others, roots}
                                                   : GroupRoles{roots, others};
}

}  // namespace

GroupRoles roles_of_task(const Part& part, int root) {
  const Roles roles = roles_in_switch(part.collective);
  if (part.roots > 0) {
    GroupRoles result = stream_roles(part);
    for (int r = 0; r < part.roots; ++r)
      (reduces(roles) ? result.receives : result.contributes)[r] = r == root;
    return result;
  }
  GroupRoles result{std::vector<bool>(part.members.size(), reduces(roles)),
                    std::vector<bool>(part.members.size(), broadcasts(roles))};
  result.contributes[root] = true;
  result.receives[root] = roles != Roles::kToOthers;
  return result;
}

GroupRoles of_joined(GroupRoles roles, const std::vector<bool>& joined) {
  for (std::size_t r = 0; r < joined.size(); ++r) {
    roles.contributes[r] = roles.contributes[r] && joined[r];
    roles.receives[r] = roles.receives[r] && joined[r];
  }
  return roles;
}

// Roles in a compound collective, all steps together: every rank has every role.
GroupRoles roles_of_part(const Part& part) {
  if (part.roots > 0) return stream_roles(part);
  if (!takes_steps(part.collective)) return roles_of_task(part, first_root(part));
  const std::vector<bool> all(part.members.size(), true);
  return {all, all};
}

}  // namespace fredsim
