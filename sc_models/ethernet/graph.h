// SPDX-License-Identifier: Apache-2.0
// An Ethernet network as data: hosts of one port each, switches, and the links between them.
//
// Nodes: hosts are 0 … hosts - 1, switches follow. Links are directed and come in pairs: link 2 k
//   and link 2 k + 1 are the two directions of one cable.
// Units: bits per second, picoseconds.
// Errors: check() throws BadInput for a host without or with two cables, for a node or rate that
//   does not exist, and for hosts that do not reach each other.
#pragma once

#include <cstdint>
#include <vector>

#include "ethernet/settings.h"

namespace fredsim {

struct EthernetLink {
  int from = 0, to = 0;  // nodes
  std::uint64_t bits_per_second = 0;
  Picoseconds latency = 0;

  Picoseconds time_of(std::uint64_t bytes) const;  // on the wire, rounded up
};

struct EthernetGraph {
  int hosts = 0, switches = 0;
  std::vector<EthernetLink> links;

  int nodes() const { return hosts + switches; }
  bool is_host(int node) const { return node < hosts; }
  void connect(int a, int b, std::uint64_t bits_per_second, Picoseconds latency);
  void check() const;
};

// Hosts at one switch; at leaves that are all joined to all spines.
EthernetGraph one_ethernet_switch(int hosts, std::uint64_t bits_per_second, Picoseconds latency);
EthernetGraph ethernet_clos(int leaves, int hosts_per_leaf, int spines,
                            std::uint64_t bits_per_second, Picoseconds host_latency,
                            Picoseconds spine_latency);

}  // namespace fredsim
