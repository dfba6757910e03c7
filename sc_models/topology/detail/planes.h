// SPDX-License-Identifier: Apache-2.0
// Common builder of switches with parallel chiplets, or planes (fully_connected, torus3d). A plane
// is one chiplet of every switch, and shares nothing with further planes: a slice (Node::slice).
//   NPU and I/O: NIC port s is joined to plane s, at bandwidth / planes.
//   Addresses: NPU i has address i, I/O controller j has npus + j.
//   The I/O controllers are dealt out over the switches in order (dealt_to).
// Errors: BadInput as topology/machine_spec.h says.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "topology/assembly.h"

namespace fredsim {

class Planes {
 public:
  Planes(const MachineSpec& machine, const TopologyKind& kind, int switches, int planes);

  Topology& topology() { return assembly_.topology(); }
  // Link class of one plane, if all planes together have `bandwidth`.
  LinkClass links(std::string_view key, std::uint64_t bandwidth) const;
  int controllers(int i) const;  // at switch i
  NodeId chiplet(int i, int plane) const { return first_ + i * planes_ + plane; }

  // All NPUs, then all chiplets, switch by switch; once, before the rest. Chiplets of switch i have
  // `ports(i)` ports, and are called `stem(i)` and their plane.
  void add_nodes(const std::function<std::string(int i)>& stem,
                 const std::function<int(int i)>& ports);
  void connect(PortRef a, PortRef b, const LinkClass& link) { assembly_.connect(a, b, link); }
  // NPU `npu`, by its NIC port `plane`, to port `port` of that plane's chiplet of switch i.
  void connect_npu(int npu, int i, int plane, int port, const LinkClass& link);
  // The controllers of switch i, new ones, to its ports from `first_port`.
  void add_controllers(int i, int first_port, const LinkClass& link);
  Topology finish() { return assembly_.finish(); }

 private:
  const MachineSpec& machine_;
  std::string switch_kind_;
  int switches_;
  int planes_;
  Assembly assembly_;
  int latency_;
  NodeId first_ = 0;
};

// Bandwidth of all links from a switch that is low to one that is not.
std::uint64_t bytes_per_second_across(const Topology& topology,
                                      const std::function<bool(const Node& node)>& is_low);

// "2 planes"
std::string planes_text(const Topology& topology);

}  // namespace fredsim
