// SPDX-License-Identifier: Apache-2.0
// Roles of ranks in in-switch collectives: the supported collectives, their trees, and the ranks
// that send and receive in each tree.
#pragma once

#include <vector>

#include "plan/collective.h"
#include "plan/plan.h"
#include "plan/tree_rank.h"

namespace fredsim {

// Contributors to the trees of a group and receivers of results, by rank.
struct GroupRoles {
  std::vector<bool> contributes;
  std::vector<bool> receives;
};

bool has_in_switch(Collective collective);
bool takes_steps(Collective collective);  // serial trees, with a phase each
bool has_blocks(const Part& part);        // serial ones and streams: a tree per block, a phase each

// Senders and receivers in a tree of this collective.
Roles roles_in_switch(Collective collective);
GroupRoles roles_of_task(const Part& part, int root);
// Roles of the ranks that a slice joins.
GroupRoles of_joined(GroupRoles roles, const std::vector<bool>& joined);
// Roles in all trees of a part together.
GroupRoles roles_of_part(const Part& part);
// The rank that starts or ends the only tree of a simple collective.
int first_root(const Part& part);

}  // namespace fredsim
