// SPDX-License-Identifier: Apache-2.0
// Estimated time of a plan of endpoint trees, not simulated: the basis on which algorithms are
// compared (collective/choice.h).
//
// Model, in cycles: L is the longest path of the first packet of any tree, from the leaves to the
//   root and back; B is the time that the busiest link needs for all its flits. The two overlap:
//   the time is max(L + kOverlap B, B + kOverlap L). Along rings of several switch levels the
//   factor is kScatterOverlap for reduce-scatters, and kCreditOverlap for all collectives on
//   machines where credits limit links. Operands of sums at every rank that come directly and at
//   once from all ranks do not overlap: L + B. A hop takes the latencies of its links and switches,
//   kNpuCycles (plan/hop_times.h), and the packet length at the slowest link; packets that share
//   the last link to a receiver, or the first link of a sender, follow each other. If three or more
//   sums share a link, they also block further packets: B grows by kFanCost per doubling of their
//   number, except on fabrics that only run as flows, where nothing blocks. All-to-alls whose
//   packets turn in routers of a grid block further packets there: B grows by kTurnCost and
//   overlaps by kTurnOverlap.
// The constants per hop were measured on unicasts of one flit without other traffic, all other
//   constants fitted to all-reduces of 1 byte to 4 MiB on the mesh, Fred-A and Fred-C. The results
//   are compared with simulation in tests/engine/algorithms_test.cpp and by scripts/reproduce
//   algorithms.
// Credits: a link whose buffer sustains less than kFittedCredits of its rate sends at the sustained
//   rate, on each virtual channel (topology/credit_loop.h). The constants include the cost of
//   credits on links of 20 ns.
// Limits: links of 500 ns, as between boxes or wafers, are not part of the fit. On a switch with 16
//   of them, at 50 GB/s, the estimate is up to a sixth too long for all-reduces of 160 to 300 KiB
//   by `direct`, and a tenth too short for all-reduces by `tree` (docs/studies/systems.md).
#pragma once

#include <vector>

#include "plan/hop_paths.h"
#include "plan/hop_times.h"
#include "plan/link_walk.h"
#include "plan/plan.h"

namespace fredsim {

inline constexpr double kScatterOverlap = 0.7;
inline constexpr double kCreditOverlap = 0.9;
inline constexpr double kFanCost = 0.105;
// Measured on 4 x 4, 5 x 4 and a torus of that: 0.23 to 0.30; on 6 x 6 and 8 x 8: 0.4 and more.
inline constexpr double kTurnCost = 0.24;
inline constexpr double kTurnOverlap = 0.65;

inline constexpr double kFittedCredits = 0.7;

// Flits per cycle that a virtual channel of a link carries, where credits are counted.
double estimated_rate(const Topology& topology, const Link& link);
bool counts_credits(const Topology& topology, const Link& link);
// True for any link.
bool counts_credits(const Topology& topology);

// An operand of a sum at every rank (plan/plan.h) that no rank passes on.
bool is_straight_operand(const Tree& tree);

// Cycles of a plan whose parts all begin at once. `walk`: walk of any plan on this fabric, with the
// switches' online routes.
double estimated_cycles(const Topology& topology, const Plan& plan, const LinkWalk& walk);

// Cycles that the first packet of an endpoint tree takes beside no other tree; 0 for trees in the
// switches.
struct FirstPacket {
  double all = 0;         // from the leaves to the root and back to all that receive
  double round_trip = 0;  // until the last leaf that adds to it sees the result; 0: none sees one
};
// First packets by tree.
std::vector<FirstPacket> first_packets(const Topology& topology, const Plan& plan, HopPaths& hops);

}  // namespace fredsim
