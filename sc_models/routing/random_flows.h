// SPDX-License-Identifier: Apache-2.0
// Random sets of flows for one switch, for conflict rates and for tests of the routing.
//
// A set has K flows over P ports. Their input sides are disjoint, and so are their output sides; a
// side is one port or many, depending on the kind:
//   kUnicast    one input, one output
//   kMulticast  one input, two or more outputs
//   kReduce     two or more inputs, one output
//   kAllReduce  two or more ports, the same on both sides
//   kAny        one or more of each, the sides independent of one another
// Distribution: the sizes (s_1, …, s_K) of sides of many ports are drawn first, every vector with
// s_k >= the minimum size and s_1 + … + s_K <= P equally likely; then the ports, every choice of
// them for these sizes equally likely. Ports left over are idle.
// Deterministic: a set depends on nothing but the state of `random`, the kind, P and K.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "routing/fred_routing.h"

namespace fredsim {

enum class FlowKind : std::uint8_t { kUnicast, kMulticast, kReduce, kAllReduce, kAny };

std::string_view to_string(FlowKind kind);  // unicast, multicast, reduce, all_reduce, any
std::span<const FlowKind> all_flow_kinds();

// Max flows of the kind that fit on `ports` ports.
int max_flows(FlowKind kind, int ports);

// 1 <= count <= max_flows(kind, ports), 2 <= ports <= 32.
std::vector<Flow> random_flows(Random& random, FlowKind kind, int ports, int count);

}  // namespace fredsim
