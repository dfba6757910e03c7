// SPDX-License-Identifier: Apache-2.0
// BiGraph, the network of EFLOPS (Dong et al., EFLOPS: Algorithm and System Co-Design for a High
// Performance Distributed Training Platform, HPCA 2020): two layers of switches, each of the m
// upper ones joined to each of the n lower ones, and NPUs at both layers.
//
// NPUs: those of lower switch 0 first, the upper switches' last. Names: lower<i>, upper<i>.
// Ports: 0 … npus_per_switch - 1 NPUs, then the switches of the other layer in order, pair_links
//   each.
// Paths, between switches of one layer, which are not joined: from an upper to an upper one by one
//   of the first half of the lower ones, the turning ones; from a lower to a lower one by any upper
//   switch, between two turning ones by upper switch 0. The destination's address chooses, of
//   parallel links too.
// Deadlock: none. Links that wait for each other in a circle would turn at upper and lower switches
//   in turn. All lower ones of the circle would be turning ones, so that every upper one would be
//   switch 0, and packets would turn from it to it at a lower one, which none does.
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
