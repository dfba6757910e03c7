// SPDX-License-Identifier: Apache-2.0
// Uniform random unicasts on the twin of one VOQ crossbar: throughput, latency, fairness.
#pragma once

#include <array>
#include <cstdint>

#include "base/flit.h"
#include "switch/switch_shape.h"

namespace fredsim::tb {

struct UniformTraffic {
  std::array<double, kControl> rates{1.0, 0.0, 0.0};  // by data VC: flits offered per input, cycle
  int flits = 1;                                      // flits per packet
  int cycles = 50'000, warm_up = 5'000;
  std::uint64_t seed = 1;
};

struct Measured {
  double accepted = 0;      // flits per input and cycle
  double min = 0, max = 0;  // min and max of the inputs' accepted rates
  struct Vc {
    double accepted = 0;
    double mean = 0, p99 = 0;  // cycles from a packet's creation until its tail is on the link
  };
  std::array<Vc, kControl> vcs{};
};

Measured measure(const SwitchShape& shape, const UniformTraffic& traffic);

void print_uniform_traffic();  // a table

}  // namespace fredsim::tb
