// SPDX-License-Identifier: Apache-2.0
// Learns a model of execution traces (synthesis/trace_model.h) from jobs.
//
// Tokens: operations that are equal in role, kind, group, lane, dependencies, and in size and
//   duration to a quarter of an octave. Repeats are found in each sequence. The order of the
//   contexts predicts held-out sequences best. A model that is too large gets coarser tokens, then a
//   lower order.
// Sizes under 256 bytes become powers of two, without the factor: well-known small sizes would
//   betray it.
// No neural network: it would need thousands of traces.
// Errors: BadInput, as job_sequences(); a model that stays too large.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "synthesis/job_sequence.h"
#include "synthesis/trace_model.h"

namespace fredsim {

struct LearnedModel {
  TraceModel model{};
  std::uint64_t nodes = 0;                               // of all ranks of the sources
  std::uint64_t sequences = 0, symbols = 0, folded = 0;  // symbols before and after repeats
  std::array<double, TraceModel::kMaxOrder + 1> bits{};  // per symbol, by order
};

constexpr double kLeastFactor = 0.8, kMostFactor = 1.25;

// A factor in this range, from the system's random numbers.
double secret_factor();

LearnedModel learn_model(const std::vector<JobSequences>& jobs, double factor);

}  // namespace fredsim
