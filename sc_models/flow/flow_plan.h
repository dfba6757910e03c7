// SPDX-License-Identifier: Apache-2.0
// A plan as flows: each of its trees (plan/plan.h) is one, since its packets follow each other
// through all of it, so that it moves at one rate on all links that it crosses.
//
// Rate of a link: flits per cycle of payload, with what protects them where the link retransmits;
//   its bursts are left out.
// Limits: a virtual channel of a link has no more flits under way than the buffer behind it holds,
//   until their credits are back; a source no more packets of a tree than its window, until their
//   results, or what acknowledges them, are. So rates are at most buffer / round trip of credits,
//   and window / round trip of a packet.
// Fill: cycles from when the first packet of a tree begins until the last packet, which moves
//   behind it at the tree's rate, is where it goes to: latencies of links and switches on the
//   longest path, and a packet's own length at every hop that stores it.
// Priority: the VC of its part. Share: trees of a part go in proportion to their flits, as the
//   order of packets has them; so parts whose trees are equally many share a link evenly, whatever
//   they move.
// Acknowledgements are not in it: their share of a link is small.
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

// Cycles until all of a tree that began with others is there, `moved` after it began. Rings and
// chains fill their links while others of them are busy with the data of other trees.
double with_fill(const TreeFlow& tree, double moved);

// By tree. `is_alone`: nothing moves beside the plan; links behind others, which cannot be full
// before them, are left out.
std::vector<TreeFlow> flows_of(const Topology& topology, const Plan& plan, bool is_alone = false,
                               const FlowLifts& lifts = {});

// Trees that move as one, each in proportion to its flits.
struct JoinedFlow {
  FairRates::Demand demand{};
  double flits = 0;
  TreeFlow slowest[2]{};  // by TreeFlow::overlaps: that with the longest fill
  void note_fill(bool overlaps, double fill);
};

// All trees of a plan, where the links that each crosses are more than `uses`, all together: so
// that as flows of their own they would take long. Costs no more for many trees of one box of rings
// than for one.
std::optional<JoinedFlow> joined_flow(const Topology& topology, const Plan& plan, std::size_t uses,
                                      const FlowLifts& lifts = {});

// By link, in flits per cycle.
std::vector<double> flow_capacities(const Topology& topology);
// Rate that its credits allow a virtual channel for data, by link, in flits per cycle.
std::vector<double> credit_limits(const Topology& topology);

}  // namespace fredsim
