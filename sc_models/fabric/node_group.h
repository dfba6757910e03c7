// SPDX-License-Identifier: Apache-2.0
// The switches of a partition as one group that steps together (switch/switch_group.h), and whether
// it currently does.
//
// Members: all switches of the partition, or none; a partition with a switch that joins no group, or
//   not the others', steps them one by one.
// While switches step together, their pins and their own state are not valid. The partition owns
// nodes and wake bits, which outlive the group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/fabric_node.h"
#include "links/link.h"
#include "switch/switch_group.h"

namespace fredsim {

class NodeGroup {
 public:
  NodeGroup(std::vector<FabricNode>& nodes, WakeBits& awake) : nodes_(nodes), awake_(awake) {}

  bool is_on() const { return is_on_; }
  // Makes the switches step together from now on. False if they cannot, or a register access is in
  // progress.
  bool join();
  // Ends stepping together before `edge`; all switches are as if they had stepped alone.
  void part(std::uint64_t edge);
  void reset() { is_on_ = false; }
  // Drops the group since a node has another switch: it is formed anew.
  void forget() {
    is_formed_ = false;
    group_.reset();
  }

  bool idle() const { return !is_on_ || group_->idle(); }
  SwitchGroup& switches() { return *group_; }
  SwitchGroup::Pins& pins() { return *pins_; }  // nodes are the partition's
  // Updates nodes with a link that takes a flit again at `edge`; `outputs` of all nodes.
  void look_at_paced(const LinkTx* outputs, std::uint64_t edge) {
    if (!paced_.empty()) look_at_all_paced(outputs, edge);
  }
  // Notes that a link of the node takes no flit now.
  void note_paced(std::uint32_t number);

 private:
  void form();
  void look_at_all_paced(const LinkTx* outputs, std::uint64_t edge);

  std::vector<FabricNode>& nodes_;
  WakeBits& awake_;
  std::unique_ptr<SwitchGroup> group_;  // null: the switches step alone
  std::unique_ptr<SwitchGroup::Pins> pins_;
  std::vector<std::uint32_t> paced_;  // nodes with a link that takes no flit now
  std::vector<bool> is_paced_;        // index: node
  bool is_formed_ = false;            // group_ is valid
  bool is_on_ = false;
};

}  // namespace fredsim
