// SPDX-License-Identifier: Apache-2.0
#include "fabric/node_groups.h"

namespace fredsim {

// Called once all nodes have their cores.
void NodeGroups::form() {
  is_formed_ = true;
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
    FabricNode& node = nodes_[number];
    if (node.core == nullptr) continue;
    const auto joins = [&] {
      if (groups_.empty() || groups_.back().members.size() == kMaxMembers) return false;
      Group& group = groups_.back();
      return group.switches->add(static_cast<std::uint32_t>(group.members.size()), *node.core);
    };
    if (!joins()) {
      auto group = node.core->make_group(kMaxMembers, kMaxMembers * kMaxPorts);
      if (group == nullptr) continue;
      group->add(0, *node.core);
      groups_.emplace_back(std::move(group));
    }
    std::vector<std::uint32_t>& members = groups_.back().members;
    node.set_group(static_cast<std::uint32_t>(groups_.size() - 1),
                   static_cast<std::uint32_t>(members.size()));
    members.push_back(number);
  }
}

bool NodeGroups::join() {
  if (!is_formed_) form();
  if (groups_.empty() ||
      std::ranges::any_of(nodes_, [](const FabricNode& node) { return node.pins.reg.valid; }))
    return false;
  are_on_ = true;
  for (Group& group : groups_) {
    group.pins.in_flits.clear();
    group.pins.out_credits.clear();
    group.paced.clear();
    for (std::uint32_t member = 0; member < group.members.size(); ++member) {
      FabricNode& node = nodes_[group.members[member]];
      node.join_group();
      awake_.sleep(group.members[member]);
      group.pins.out_ready[member] = node.ready();
      if (node.is_waiting()) group.paced.push_back(member);
    }
    group.switches->join(group.pins);
  }
  return true;
}

void NodeGroups::part(std::uint64_t edge) {
  are_on_ = false;
  for (Group& group : groups_) {
    group.switches->part();
    for (const std::uint32_t number : group.members) {
      FabricNode& node = nodes_[number];
      node.part_from_group(edge - 1);
      if (!node.core->idle()) awake_.wake(number);
    }
    for (const SwitchGroup::Flit& flit : group.pins.out_flits) {
      nodes_[group.members[flit.node]].pins.out_valid |= 1U << flit.port;
    }
  }
}

void NodeGroups::look_at_paced(Group& group, const LinkTx* outputs, std::uint64_t edge) {
  std::erase_if(group.paced, [&](std::uint32_t member) {
    FabricNode& node = nodes_[group.members[member]];
    node.look_at_pacing(outputs + node.first, edge);
    group.pins.out_ready[member] = node.ready();
    return !node.is_waiting();
  });
}

}  // namespace fredsim
