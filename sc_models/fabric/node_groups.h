// SPDX-License-Identifier: Apache-2.0
// Groups of switches of a partition that step together (switch/switch_group.h), and whether they
// currently do.
//
// While switches step together, their pins and their own state are not valid. The partition owns
// nodes and wake bits, which outlive the groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fabric/fabric_node.h"
#include "links/link.h"
#include "switch/switch_group.h"

namespace fredsim {

class NodeGroups {
 public:
  // Small enough for a core's cache to hold a group from one loop over it to the next.
  static constexpr std::size_t kMaxMembers = 32;
  struct Group {
    explicit Group(std::unique_ptr<SwitchGroup> group)
        : switches(std::move(group)), pins(kMaxMembers, kMaxMembers * kMaxPorts) {
      paced.reserve(kMaxMembers);
    }
    bool idle() const { return switches->idle(); }
    std::unique_ptr<SwitchGroup> switches;
    SwitchGroup::Pins pins;              // nodes are members, by number
    std::vector<std::uint32_t> members;  // numbers of nodes
    std::vector<std::uint32_t> paced;    // members with a link that takes no flit now
  };

  NodeGroups(std::vector<FabricNode>& nodes, WakeBits& awake) : nodes_(nodes), awake_(awake) {}

  bool are_on() const { return are_on_; }
  // Makes members step together from now on. False if there are none, or a register access is in
  // progress.
  bool join();
  // Ends stepping together before `edge`; all switches are as if they had stepped alone.
  void part(std::uint64_t edge);
  void reset() { are_on_ = false; }
  // Drops the groups since a node has another switch: they are formed anew.
  void forget() {
    is_formed_ = false;
    groups_.clear();
  }

  std::vector<Group>& all() { return groups_; }
  Group& of(const FabricNode& member) { return groups_[member.group()]; }
  bool idle() const { return !are_on_ || std::ranges::all_of(groups_, &Group::idle); }
  // Updates members with a link that takes a flit again at `edge`; `outputs` of all nodes.
  void look_at_paced(Group& group, const LinkTx* outputs, std::uint64_t edge);

 private:
  void form();

  std::vector<FabricNode>& nodes_;
  WakeBits& awake_;
  std::vector<Group> groups_;
  bool is_formed_ = false;  // groups_ is valid
  bool are_on_ = false;
};

}  // namespace fredsim
