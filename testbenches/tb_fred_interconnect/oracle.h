// SPDX-License-Identifier: Apache-2.0
// Function of a configuration of Fred_m(P), read from its bits alone: the testbench's own
// reading of the layout in sc_models/routing/fred_routing.h, sharing no code with the routing
// library or the RTL.
//
// evaluate() propagates the input ports through the network symbolically: an expression is an
// input port or the sum of two expressions, and every output port ends up with an expression or
// with nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "dut.h"

namespace tb {

int config_bits(int ports, int middle);
// Register stages of the interconnect, counted level by level.
int stages(const Shape& shape);
int levels(int ports);

struct Network {
  static constexpr int kNothing = -1;
  struct Expression {
    int left = kNothing;   // a sum of two expressions, or
    int right = kNothing;  // kNothing: the input port `port`
    int port = 0;
    std::uint32_t ports = 0;  // all input ports it needs
  };
  std::vector<Expression> expressions;  // 0 … P-1 are the input ports
  std::vector<int> outputs;             // per output port: index of its expression, or kNothing
  // Inputs that meet in a sum, even in one that reaches no output, must be launched together: per
  // input port the mask of its group, itself included.
  std::vector<std::uint32_t> joined;
};

using ConfigBits = std::vector<bool>;

Network evaluate(const Shape& shape, const ConfigBits& bits);

// Random valid bits: no code above its range, no sum of an input that never carries a flit.
ConfigBits random_config(const Shape& shape, fredsim::Random& random);
// Port p to port p, by the first two sub-networks.
ConfigBits straight_config(const Shape& shape);
// Pairs of ports added at the first µSwitch and given back to both; an odd last port to itself.
ConfigBits pair_config(const Shape& shape);
// All ports added, the sum to all ports, by the first sub-network.
ConfigBits all_reduce_config(const Shape& shape);

// Unicasts that name their own path in the header (rtl/fred/fred_pkg.sv: ONLINE_BIT and up), random
// ones whose paths do not touch: `header_bits` go to bits 18 and up of header word 2.
struct Unicast {
  int input = 0, output = 0;
  std::uint32_t header_bits = 0;
};
std::vector<Unicast> random_unicasts(const Shape& shape, fredsim::Random& random);

}  // namespace tb
