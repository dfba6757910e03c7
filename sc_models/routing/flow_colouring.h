// The colouring behind route_flows: which middle sub-network every flow takes, level by level (§5).
//
// Port p of a level is port p / 2 of the sub-networks one level down (that holds for the odd last
// port too), so a flow's ports at depth d are its own ports with the last d bits dropped, whatever
// the colours above. Two flows may therefore share a sub-network at depth d + 1 exactly when their
// ports at depth d + 1 are disjoint: anything else would make them share an edge µSwitch at depth
// d. A set of flows is routable at depth d when it can be split into at most m such classes, each
// of them routable at depth d + 1; at the base (two ports) every set that arrives is routable.
//
// The search is complete over all levels: an outer colouring is given up as soon as one of its
// classes has no colouring further in, and the next one is tried. Colours are interchangeable, so
// a new one is opened only once per step; results per (depth, set) are remembered, and so are
// minimal failures.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "routing/fred_routing.h"

namespace fredsim {

using FlowSet = std::uint32_t;  // bit f = flow f; a switch has at most 32 ports, hence 32 flows
inline constexpr int kMaxMiddle = 4;

class FlowColouring {
 public:
  using Classes = std::array<FlowSet, kMaxMiddle>;  // flows of each colour

  // `depths` = levels to colour from the outside; fewer than the switch has asks a weaker question.
  FlowColouring(const FredSwitchShape& shape, std::span<const Flow> flows, int depths);

  bool routable(int depth, FlowSet set);
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
  bool extend(Partial& partial);
  int most_constrained(const Partial& partial) const;
  Classes one_each(FlowSet set) const;

  int middle_;
  int depths_;
  std::vector<std::vector<Flow>> ports_;         // [depth][flow]
  std::vector<std::vector<FlowSet>> conflicts_;  // [depth][flow]: flows that need another colour
  std::vector<std::unordered_map<FlowSet, Classes>> found_;  // [depth]
  std::vector<std::vector<FlowSet>> failed_;                 // [depth]
};

// Levels of Fred_m(ports) that are coloured: those with more than two ports.
int coloured_levels(int ports);

}  // namespace fredsim
