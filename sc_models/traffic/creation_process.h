// SPDX-License-Identifier: Apache-2.0
// Times at which a node creates packets: a Bernoulli process, all the time or in bursts.
//
// Bursts: a Markov process of two states, as BookSim2's on_off. A node that is off turns on with
//   probability alpha per cycle, one that is on turns off with beta; it creates packets while on,
//   r1 flits per cycle. The share of time on is alpha / (alpha + beta), and the rate r1 times that:
//   two of the three are given, and the third follows from the rate. A node begins in either state
//   with the probability of that share.
// Text: "alpha=0.02,beta=0.1", "beta=0.1,r1=1", "alpha=0.02,r1=1".
// Errors: BadInput with the option, the value found and the allowed ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/geometric.h"

namespace fredsim {

// Parameters of bursts as they are given.
struct BurstOptions {
  std::optional<double> alpha{}, beta{}, r1{};  // two of them, or none: no bursts
  std::string text{};

  bool is_on() const { return alpha || beta; }
};
BurstOptions parse_bursts(const std::string& text, const std::string& option);

struct Bursts {
  GeometricGap on, off;         // cycles of a period
  std::uint64_t begins_on = 0;  // probability, in 2^-53
};

struct CreationProcess {
  GeometricGap gap;  // trials from one packet to the next
  int trials = 1;    // per cycle; in bursts per cycle that is on
  std::optional<Bursts> bursts{};
  double dispersion = 1;  // variance of the packets of a long time over their mean, at least 1
};

// `rate`: flits per cycle of a node, above 0; `mean_flits`: of a packet. BadInput for bursts that
// cannot have the rate.
CreationProcess make_process(double rate, double mean_flits, const BurstOptions& bursts);

}  // namespace fredsim
