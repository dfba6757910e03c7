// SPDX-License-Identifier: Apache-2.0
// Graph colouring behind route_flows: the middle sub-network of every flow, level by level (§5).
//
// Port p of a level is port p / 2 of the sub-networks one level down (also the odd last port). So
// the ports of a flow at depth d are its own ports without the last d bits, independent of the
// colours above. Two flows may therefore share a sub-network at depth d + 1 exactly if their ports
// at depth d + 1 are disjoint; otherwise they would share an edge µSwitch at depth d. A set of
// flows is routable at depth d if it can be split into at most m such classes, each routable at
// depth d + 1. At the base (two ports) every set that arrives is routable.
//
// The search is complete over all levels: an outer colouring is given up as soon as one of its
// classes has no colouring further in, and the next one is tried. Colours are interchangeable, so a
// new one is opened only once per step; colourings found per (depth, set) are remembered.
// A dead end yields its reason: a set of flows of which no more can be coloured, whatever the
//   colours of all other flows. The search returns to the latest flow of this set
//   (conflict-directed backjumping). The final reason is a subset that has no colouring; it is
//   stored, and no superset of it is searched again. A long search restarts with twice the budget,
//   so that it ends, and with the flows first that were most often in reasons. Without these
//   measures four flows that conflict pairwise, found last, cost millions of steps on 32 ports.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "routing/fred_routing.h"

namespace fredsim {

using FlowSet = std::uint32_t;  // bit f = flow f; a switch has at most 32 ports, hence 32 flows

class FlowColouring {
 public:
  using Classes = std::array<FlowSet, kMaxMiddle>;  // flows of each colour

  // `depths`: number of levels to colour, from the outside. With fewer levels than the switch has,
  // a colouring is necessary for a routing but not sufficient.
  FlowColouring(const FredSwitchShape& shape, std::span<const Flow> flows, int depths);

  bool routable(int depth, FlowSet set) { return conflict(depth, set) == 0; }
  // A subset of `set` that is not routable in itself (not necessarily minimal); 0: it is routable.
  FlowSet conflict(int depth, FlowSet set);
  // Flows coloured so far, including colours taken back: the cost of the search.
  std::uint64_t steps() const { return steps_; }
  // The colouring found for a routable set.
  Classes classes(int depth, FlowSet set) const;
  // Ports of a flow at a depth.
  Flow ports_at(int depth, int flow) const { return ports_[depth][flow]; }

 private:
  struct Partial {
    int depth = 0;
    FlowSet rest = 0;
    Classes classes{};
    int used = 0;
  };
  // Returns 0 if every flow is coloured, else the reason for a dead end; no value if the budget of
  // steps ran out before.
  std::optional<FlowSet> extend(Partial& partial);
  int max_constrained(const Partial& partial) const;
  Classes one_each(FlowSet set) const;

  int middle_;
  int depths_;
  std::uint64_t steps_ = 0;
  std::vector<std::uint64_t> budget_;            // [depth]: steps left before a restart
  std::vector<std::vector<int>> weight_;         // [depth][flow]: dead ends it was a reason of
  std::vector<std::vector<Flow>> ports_;         // index: depth and flow
  std::vector<std::vector<FlowSet>> conflicts_;  // [depth][flow]: flows that need another colour
  std::vector<std::unordered_map<FlowSet, Classes>> found_;  // index: depth
  std::vector<std::vector<FlowSet>> failed_;                 // [depth]: reasons
};

// Levels of Fred_m(ports) that are coloured: those with more than two ports.
int coloured_levels(int ports);

}  // namespace fredsim
