// Switches of a Partition that step together: which they are, and when they do; and how many threads step those with RTL.
#include <algorithm>
#include <utility>

#include "fabric/partition.h"

namespace fredsim {

void Partition::set_switch_threads(int threads) {
  switch_threads_.reset();
  if (threads > 1) switch_threads_ = std::make_unique<SwitchThreads>(threads, nodes_.size());
  stepped_.resize(nodes_.size());
}

// Once all nodes have who steps there.
void Partition::form_groups() {
  is_formed_ = true;
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
    FabricNode& node = nodes_[number];
    if (node.core == nullptr) continue;
    const auto joins = [&] {
      if (groups_.empty() || groups_.back().members.size() == kMostMembers) return false;
      Group& group = groups_.back();
      return group.switches->add(static_cast<std::uint32_t>(group.members.size()), *node.core);
    };
    if (!joins()) {
      auto group = node.core->make_group(kMostMembers, kMostMembers * kMaxPorts);
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

bool Partition::may_join() {
  if (!is_formed_) form_groups();
  return !always_step_ && !groups_.empty() &&
         std::ranges::none_of(nodes_, [](const FabricNode& node) { return node.pins.reg.valid; });
}

void Partition::step_in_group(bool on) {
  if (on == in_group_ || (on && !may_join())) return;
  in_group_ = on;
  for (Group& group : groups_) on ? join(group) : part(group);
}

void Partition::join(Group& group) {
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

void Partition::part(Group& group) {
  group.switches->part();
  for (const std::uint32_t number : group.members) {
    FabricNode& node = nodes_[number];
    node.part_from_group(edge_ - 1);
    if (!node.core->idle()) awake_.wake(number);
  }
  for (const SwitchGroup::Flit& flit : group.pins.out_flits) {
    nodes_[group.members[flit.node]].pins.out_valid |= 1U << flit.port;
  }
}

// Members of which a link takes a flit again.
void Partition::look_at_paced(Group& group) {
  std::erase_if(group.paced, [&](std::uint32_t member) {
    FabricNode& node = nodes_[group.members[member]];
    node.look_at_pacing(&outputs_[node.first], edge_);
    group.pins.out_ready[member] = node.ready();
    return !node.is_waiting();
  });
}

}  // namespace fredsim
