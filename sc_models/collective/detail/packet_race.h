// SPDX-License-Identifier: Apache-2.0
// Time of a plan's endpoint trees, simulated packet by packet: the basis on which `auto` compares
// algorithms where switches do not add (collective/choice.h).
//
// Model: packets are cut through from link to link, each at the rate of the slowest link so far. A
//   link sends one packet at a time, round robin over the inputs of its switch. A switch has room
//   for the flits of a link in its input buffers and its output staging; a link without credits
//   waits. Packets for a busy link therefore block packets behind them, an effect that neither
//   flows nor the load of the busiest link show. NPUs send forwarded packets first, then packets of
//   their own, tree by tree, within the window.
// Not modelled: single flits, other virtual channels, and the load of acknowledgements on links;
//   only their latency is included.
// Long trees: the first packets of all trees are raced, at two lengths, and the time of the
//   remainder is extrapolated from their difference, with a small margin. If packets have an order
//   (collective/detail/packet_order.h), long trees are not raced: the time is that of the busiest
//   link plus the path of the last packet.
// Units: cycles.
#pragma once

#include <cstdint>

#include "plan/hop_paths.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Maximum number of link crossings (packets x links) in a race: of whole trees, and of the first
// packets of long trees.
inline constexpr std::uint64_t kMaxCrossings = 120'000;
inline constexpr std::uint64_t kCrossingsOfPart = 80'000;

// True if the first few packets of each tree cross no more than kCrossingsOfPart links.
bool can_race(const Plan& plan, HopPaths& hops);
// True if all packets together cross no more than kMaxCrossings links.
bool races_whole(const Plan& plan, HopPaths& hops);

// Cycles of the plan, with all parts starting at once; windows are set, the trees are at the
// endpoints. Infinite: packets wait for each other in a circle.
double race_packets(const Topology& topology, const Plan& plan, HopPaths& hops);

// Cycles that the busiest link needs for its flits.
double busiest_link_cycles(const Topology& topology, const Plan& plan, HopPaths& hops);

}  // namespace fredsim
