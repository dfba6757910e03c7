// SPDX-License-Identifier: Apache-2.0
// A plan as flows. Each tree (plan/plan.h) is one flow: its packets are pipelined through the whole
// tree, so it moves at one rate on all of its links.
//
// Rate of a link: payload flits per cycle, less the protection overhead if the link retransmits;
//   bursts are averaged.
// Limits: a virtual channel of a link has at most a downstream buffer of flits in flight until
//   their credits return; a source has at most a window of packets of a tree in flight until their
//   results or acknowledgements return. So rates are at most buffer / credit round trip, and window
//   / packet round trip.
// Fill: cycles that the longest path adds to the movement of a tree: latencies of its links and
//   switches, and the packet length at every store-and-forward hop.
// Priority: the VC of its part. Share: trees of a part move in proportion to their flits, as in
//   the order of packets; so parts with equally many trees share a link evenly, whatever their
//   sizes. Acknowledgements are not modelled: their share of a link is small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "flow/fair_rates.h"
#include "flow/flow_lifts.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

struct TreeFlow {
  int part = 0;
  FairRates::Demand demand{};
  double flits = 0;
  double fill = 0;        // cycles
  bool overlaps = false;  // fill and movement, in part (collective/plan_time.h)
};

// Cycles from the start of a tree to its completion, if it needs `moved` cycles to move and began
// together with further trees. Rings and chains overlap the fill of their links with the data of
// other trees.
double with_fill(const TreeFlow& tree, double moved);

// Flows by tree. `is_alone`: no traffic beside the plan; links that cannot saturate before their
// upstream links are left out.
std::vector<TreeFlow> flows_of(const Topology& topology, const Plan& plan, bool is_alone = false,
                               const FlowLifts& lifts = {});

// Trees joined into one flow, in which each moves in proportion to its flits.
struct JoinedFlow {
  FairRates::Demand demand{};
  double flits = 0;
  TreeFlow slowest[2]{};  // tree with the longest fill, by TreeFlow::overlaps
  void note_fill(bool overlaps, double fill);
};

// Joins all trees of a plan if their link crossings exceed `uses` in total, since separate flows
// would be slow. Many trees of one box of rings cost no more than one.
std::optional<JoinedFlow> joined_flow(const Topology& topology, const Plan& plan, std::size_t uses,
                                      const FlowLifts& lifts = {});

// Link capacities in flits per cycle.
std::vector<double> flow_capacities(const Topology& topology);
// Rate limit of a data virtual channel by its credits, by link, in flits per cycle.
std::vector<double> credit_limits(const Topology& topology);

}  // namespace fredsim
