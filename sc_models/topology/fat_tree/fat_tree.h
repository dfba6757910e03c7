// SPDX-License-Identifier: Apache-2.0
// The k-ary fat tree of Al-Fares, Loukissas and Vahdat (A Scalable, Commodity Data Center Network
// Architecture, SIGCOMM 2008): three levels of switches with k ports and equal links. k pods of k/2
// edge and k/2 aggregation switches, each edge switch joined to each aggregation switch of its pod;
//   (k/2)^2 core switches with a link to each pod. k^3/4 NPUs, k/2 at each edge switch;
//   oversubscribed at the edge r times as many.
//
// Names: edge e<pod>_<i>, aggregation a<pod>_<i>, core c<j>; core c<j> is joined to aggregation
//   switch j / (k/2) of every pod.
// Ports: edge 0 … r*k/2 - 1 NPUs, then aggregation switches; aggregation 0 … k/2 - 1 edge switches,
//   then cores; core: pods.
// NPU i has address i; r*k/2 at an edge switch follow each other, edge switches pod by pod.
// Paths: up, if the destination is not below, by the link that the destination's place selects:
//   at an edge switch its place there, at an aggregation switch its edge switch's place in its pod,
//   both modulo k/2. So all packets to an NPU share one path down, and the NPUs of an edge switch
//   have different ones. No packet goes up after it has gone down: no deadlock.
// Hashed paths (ECMP): up by the link that a hash of the seed, the switch and the destination
//   chooses. Switch tables are indexed by destination only, so all senders below a switch use one
//   link to an NPU; if each NPU has one sender, as on a ring, this equals a hash of the flow.
// Errors: BadInput with the key: an odd k, over kMaxFatTreeNpus NPUs, I/O controllers.
#pragma once

#include <cstdint>
#include <optional>

#include "topology/machine_spec.h"
#include "topology/topology.h"
#include "topology/topology_kind.h"

namespace fredsim {

inline constexpr int kMaxFatTreeNpus = 65'536;
inline constexpr int kMaxFatTreeRadix = 64;

struct FatTreeSpec {
  int radix = 4;             // k
  int oversubscription = 1;  // r: NPUs of an edge switch over its links upwards
  std::uint64_t port_bandwidth = 0;
  std::optional<std::uint64_t> path_seed{};  // seed of hashed paths; none: the destination's place
                                             // selects
};

Topology build_fat_tree(const MachineSpec& machine, const FatTreeSpec& spec);

const TopologyKind& fat_tree_kind();

}  // namespace fredsim
