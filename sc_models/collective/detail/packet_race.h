// SPDX-License-Identifier: Apache-2.0
// Time of a plan's endpoint trees, simulated packet by packet: the basis on which `auto` compares
// algorithms where switches do not add (collective/choice.h).
//
// Model: packets are cut through from link to link, each at the rate of the slowest before it; a
//   link sends one after the other, of what waits at its switch from each input in turn. A switch
//   has room for as many flits from a link as its buffers, and its output staging; a link without
//   credits waits. Packets for a busy link therefore block packets behind them, an effect that
//   neither flows nor the busiest link show. NPUs send forwarded packets first, then packets of
//   their own, tree by tree, within the window.
// Left out: flits, other virtual channels, acknowledgements on links, whose time alone is in it.
// Long trees: the first packets of all of them are raced, in two lengths, and the rest takes as
//   long as their difference says, and a little more. Where packets have an order
//   (collective/detail/packet_order.h), nothing is raced: the busiest link, and the last packet's
//   way.
// Units: cycles.
#pragma once

#include <cstdint>

#include "plan/hop_paths.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Crossings of links by packets that a race simulates: of whole trees at most so many, else of a
// part as many.
inline constexpr std::uint64_t kMaxCrossings = 120'000;
inline constexpr std::uint64_t kCrossingsOfPart = 80'000;

// Few packets of each tree cross no more links than that.
bool can_race(const Plan& plan, HopPaths& hops);
// All packets cross no more than kMaxCrossings.
bool races_whole(const Plan& plan, HopPaths& hops);

// All parts begin at once; windows are set, the trees are at the endpoints. Infinite: packets wait
// for each other in a circle.
double race_packets(const Topology& topology, const Plan& plan, HopPaths& hops);

// Cycles in which the busiest link sends its flits.
double busiest_link_cycles(const Topology& topology, const Plan& plan, HopPaths& hops);

}  // namespace fredsim
