// SPDX-License-Identifier: Apache-2.0
// Flows through a switch: the packets of a flow's input ports are added up and leave by its output
// ports.
//
// The kind of a switch decides whether a set of flows has paths through it at the same time, and
// how it is configured (switch/switch_kind.h; Fred_m(P): routing/fred_routing.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fredsim {

struct Flow {
  std::uint32_t inputs = 0;   // mask of input ports, not empty
  std::uint32_t outputs = 0;  // mask of output ports, not empty
  friend bool operator==(const Flow&, const Flow&) = default;
};

std::string to_string(const Flow& flow);  // "0,1:4,5": inputs, outputs
// BadInput unless every flow has inputs and outputs among `ports`, and no port is in two of them.
void check_flows(int ports, std::span<const Flow> flows);

// The order in which a tree of adders combines its leaves, as postfix: n >= 0 pushes leaf n (a port
// or a rank, as its user defines), kAdd replaces the two topmost values by their sum.
struct SumOrder {
  static constexpr int kAdd = -1;
  std::vector<int> postfix;
  friend bool operator==(const SumOrder&, const SumOrder&) = default;
};
// Order of a balanced tree over the input ports in the mask, by number: level by level node n adds
// nodes 2n and 2n + 1 of the level before. Both Fred_m(P) and a reducing crossbar add so.
SumOrder balanced_sum(int ports, std::uint32_t inputs);
// Order of one adder that takes its inputs one after the other, by ascending number.
SumOrder sequential_sum(std::uint32_t inputs);

// A minimal set of flows that has no routing: without any one of them there is one.
struct ConflictingFlows {
  int level = 0;  // outermost level at which no colouring works, whatever the outer levels do
  int ports = 0;  // P at that level
  std::vector<int> flows;  // indices, ascending
};

class FlowConflict : public RoutingConflict {
 public:
  FlowConflict(const std::string& what, ConflictingFlows conflict)
      : RoutingConflict(what), conflict_(std::move(conflict)) {}
  const ConflictingFlows& conflict() const { return conflict_; }

 private:
  ConflictingFlows conflict_;
};

}  // namespace fredsim
