// SPDX-License-Identifier: Apache-2.0
#include "fabric/node_group.h"

#include <algorithm>

namespace fredsim {

// Called once all nodes have their cores.
void NodeGroup::form() {
  is_formed_ = true;
  std::size_t ports = 0;
  for (const FabricNode& node : nodes_) ports += static_cast<std::size_t>(node.ports);
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
    SwitchCore* const core = nodes_[number].core;
    if (core == nullptr) continue;
    if (group_ == nullptr) group_ = core->make_group(nodes_.size(), ports);
    if (group_ != nullptr && group_->add(number, *core)) continue;
    group_.reset();
    return;
  }
  pins_ = std::make_unique<SwitchGroup::Pins>(nodes_.size(), ports);
  is_paced_.resize(nodes_.size());
}

bool NodeGroup::join() {
  if (!is_formed_) form();
  if (group_ == nullptr ||
      std::ranges::any_of(nodes_, [](const FabricNode& node) { return node.pins.reg.valid; }))
    return false;
  is_on_ = true;
  paced_.clear();
  is_paced_.assign(nodes_.size(), false);
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
    FabricNode& node = nodes_[number];
    if (node.core == nullptr) continue;
    node.join_group();
    awake_.sleep(number);
    pins_->out_ready[number] = node.ready();
    if (node.is_waiting()) note_paced(number);
  }
  group_->join(*pins_);
  return true;
}

void NodeGroup::part(std::uint64_t edge) {
  is_on_ = false;
  group_->part();
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
    FabricNode& node = nodes_[number];
    if (node.core == nullptr) continue;
    node.part_from_group(edge - 1);
    if (!node.core->idle()) awake_.wake(number);
  }
  for (const SwitchGroup::Flit& flit : pins_->out_flits)
    nodes_[flit.node].pins.out_valid |= 1U << flit.port;
}

void NodeGroup::note_paced(std::uint32_t number) {
  pins_->out_ready[number] = nodes_[number].ready();
  if (is_paced_[number]) return;
  is_paced_[number] = true;
  paced_.push_back(number);
}

void NodeGroup::look_at_all_paced(const LinkTx* outputs, std::uint64_t edge) {
  std::erase_if(paced_, [&](std::uint32_t number) {
    FabricNode& node = nodes_[number];
    node.look_at_pacing(outputs + node.first, edge);
    pins_->out_ready[number] = node.ready();
    if (node.is_waiting()) return false;
    is_paced_[number] = false;
    return true;
  });
}

}  // namespace fredsim
