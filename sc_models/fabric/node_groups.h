// SPDX-License-Identifier: Apache-2.0
// Switches of a partition that step together (switch/switch_group.h): which they are, and whether they do.
//
// While they do, nobody looks at their pins or at the switches. Nodes and their wake bits are the partition's and outlive it.
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
  // Few enough to stay in a core's cache from one loop over them to the next.
  static constexpr std::size_t kMaxMembers = 32;
  struct Group {
    explicit Group(std::unique_ptr<SwitchGroup> group)
        : switches(std::move(group)), pins(kMaxMembers, kMaxMembers * kMaxPorts) {
      paced.reserve(kMaxMembers);
    }
    bool idle() const { return switches->idle(); }
    std::unique_ptr<SwitchGroup> switches;
    SwitchGroup::Pins pins;              // nodes are members, by number
    std::vector<std::uint32_t> members;  // nodes
    std::vector<std::uint32_t> paced;    // members whose links do not all take a flit
  };

  NodeGroups(std::vector<FabricNode>& nodes, WakeBits& awake) : nodes_(nodes), awake_(awake) {}

  bool are_on() const { return are_on_; }
  // Members step together from now on. False: there are none, or a register is being accessed.
  bool join();
  // No more, before `edge`; all are as if they had stepped alone.
  void part(std::uint64_t edge);
  void reset() { are_on_ = false; }
  // A node has got another switch: groups are formed anew.
  void forget() {
    is_formed_ = false;
    groups_.clear();
  }

  std::vector<Group>& all() { return groups_; }
  Group& of(const FabricNode& member) { return groups_[member.group()]; }
  bool idle() const { return !are_on_ || std::ranges::all_of(groups_, &Group::idle); }
  // Members of which a link takes a flit again at `edge`; `outputs` of all nodes.
  void look_at_paced(Group& group, const LinkTx* outputs, std::uint64_t edge);

 private:
  void form();

  std::vector<FabricNode>& nodes_;
  WakeBits& awake_;
  std::vector<Group> groups_;
  bool is_formed_ = false;  // groups_ are
  bool are_on_ = false;
};

}  // namespace fredsim
