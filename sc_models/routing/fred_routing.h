// SPDX-License-Identifier: Apache-2.0
// Routing of flows through Fred_m(P): from a set of flows to µSwitch configuration bits (§5).
//
// A flow = (input ports, output ports): reduce over the inputs, deliver the result to every output.
// Routing is recursive, outermost level first: flows that share an edge µSwitch must use different
// middle sub-networks (conflict graph, coloured with m colours); both inputs of a µSwitch in one
// flow are added there, both outputs are distributed there.
//
// Configuration bits, least significant first, for Fred_m(P) with r = floor(P/2), s = ceil(P/2),
// codes of rtl/fred/fred_pkg.sv:
//   P = 2: RD-µSwitch, 4 bits, output k in bits [2k+1:2k]: 0 nothing, 1 input 0, 2 input 1, 3 sum
//   P > 2: r R-µSwitches, 2m bits each: output j in bits [2j+1:2j], same code
//          P odd: demux of the last input port, clog2(m+1) bits: 0 nothing, j+1 = sub-network j
//          m sub-networks Fred_m(s), in order
//          r D-µSwitches, 2*clog2(m+1) bits each: output k: 0 nothing, j+1 = from sub-network j
//          P odd: mux of the last output port, clog2(m+1) bits, same code
// R-µSwitch i drives input i of every sub-network, output i of every sub-network drives D-µSwitch
// i; the odd last port is input / output r of the sub-networks.
//
// A flow has one colour per level. (A multicast split over two sub-networks can route sets without
// such a colouring; neither §5 nor this code does that.)
//
// Errors: FlowConflict with the level and the flows that could not be coloured; BadInput for shapes
// out of range, empty flows, ports out of range or used by two flows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "routing/flows.h"
#include "rtl/fred_pkg.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr int kMinMiddle = 2;  // m, middle sub-networks
inline constexpr int kMaxMiddle = 4;

// A switch chiplet Fred_m(P).
struct FredSwitchShape {
  int ports = 0;   // P, 2 … 32
  int middle = 0;  // m, 2 … 4
};

// One level of one sub-network of a routing, for people to read (`fredsim route`). Sub-networks
// without a flow are left out.
struct RouteLevel {
  int depth = 0;             // 0 = outermost
  std::vector<int> path;     // sub-network indices from the outermost level down to here
  int ports = 0;             // P at this level
  std::vector<int> flows;    // indices of the flows that pass through here
  std::vector<int> colours;  // colour of each, parallel to `flows`; empty at the base
};

struct FredRoute {
  std::vector<bool> bits;          // fred_config_bits(shape) long
  std::vector<SumOrder> order;     // index: flow; order in which its input ports are added
  std::vector<RouteLevel> levels;  // depth first
};

// The message of a conflict; `names` has a text for every flow of `conflict`, in its order.
std::string describe(const FredSwitchShape& shape, const ConflictingFlows& conflict,
                     std::span<const std::string> names);

// Register stages of the interconnect, given the stages of an adder; levels of middle sub-networks;
// µSwitch bits of one phase.
inline int fred_stages(int ports, int adder_stages = 1) {
  return static_cast<int>(fred_pkg::stages(ports, adder_stages));
}
inline int fred_levels(int ports) { return static_cast<int>(fred_pkg::levels(ports)); }
// Levels at which online unicasts must be kept apart: all levels if there are two sub-networks
// (rtl/phased/phased_matcher.sv).
inline int fred_apart_levels(const FredSwitchShape& shape) {
  return shape.middle == 2 ? fred_levels(shape.ports) : 0;
}
inline int fred_config_bits(const FredSwitchShape& shape) {
  return static_cast<int>(fred_pkg::config_bits(shape.ports, shape.middle));
}
void check_shape(const FredSwitchShape& shape);  // BadInput unless 2 <= P <= 32, 2 <= m <= 4

// apart: flows that only add and flows that only distribute take different sub-networks if
// possible, so that a row of each can be in use at once (rtl/phased/phased_candidates.sv).
FredRoute route_flows(const FredSwitchShape& shape, std::span<const Flow> flows,
                      bool apart = false);

// Returns true if route_flows would find a routing; the search is complete, so false means that
// there is none. Errors: BadInput.
bool has_routing(const FredSwitchShape& shape, std::span<const Flow> flows);

// Words of a row of the phase store (routing/phase_row.h), with the µSwitch bits behind its flows.
inline int phase_row_words(const FredSwitchShape& shape) {
  return static_cast<int>(fred_pkg::row_words(shape.ports, shape.middle));
}
// Rows that fit in the store of 1.5 KB, at most 255.
inline int num_phases(const FredSwitchShape& shape) {
  return static_cast<int>(fred_pkg::num_phases(shape.ports, shape.middle));
}
std::vector<std::uint32_t> phase_row(const FredSwitchShape& shape, int vc,
                                     std::span<const Flow> flows, const FredRoute& route);
// The flows of a row, read back from its port fields.
std::vector<Flow> phase_flows(const FredSwitchShape& shape, std::span<const std::uint32_t> row);

}  // namespace fredsim
