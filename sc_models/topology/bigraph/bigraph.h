// SPDX-License-Identifier: Apache-2.0
// BiGraph, the network of EFLOPS (Dong et al., EFLOPS: Algorithm and System Co-Design for a High
// Performance Distributed Training Platform, HPCA 2020): two layers of switches, each of the m
// upper ones joined to each of the n lower ones, and NPUs at both layers.
//
// NPUs: lower switch 0's first, the upper switches' last. Names: lower<i>, upper<i>.
// Ports: 0 … npus_per_switch - 1 NPUs, then the switches of the other layer in order, pair_links
//   each.
// Paths between switches of one layer, which are not joined directly. Between upper switches:
//   through a lower switch of the first half, a turning switch. Between lower switches: through any
//   upper switch, except between two turning switches, through upper switch 0 only. The address of
//   the destination selects the switch, and one of parallel links.
// Deadlock: none. A dependency cycle of links would turn at upper and lower switches alternately.
//   All of its lower switches would be turning switches, so all of its upper switches would be
//   switch 0. Packets would then go from switch 0 back to switch 0 through a lower switch, which no
//   path does.
// Errors: BadInput with the key.
#pragma once

#include <cstdint>

#include "topology/machine_spec.h"
#include "topology/topology.h"
#include "topology/topology_kind.h"

namespace fredsim {

inline constexpr int kMaxBigraphNpus = 65'536;

struct BigraphSpec {
  int upper = 2, lower = 2;  // switches: m, n
  int npus_per_switch = 1;
  int pair_links = 1;  // between an upper and a lower one
  std::uint64_t port_bandwidth = 0;
};

Topology build_bigraph(const MachineSpec& machine, const BigraphSpec& spec);

const TopologyKind& bigraph_kind();

}  // namespace fredsim
