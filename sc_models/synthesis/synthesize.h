// SPDX-License-Identifier: Apache-2.0
// Draws the execution traces of a job from a model (synthesis/trace_model.h).
//
// Layout: one that was learned with as many ranks; else the nearest one, copied until there are
//   enough ranks, of which the first take part. Consecutive seeds take layouts in turn.
// Operations are drawn once for all ranks of a role, communications once for all roles that meet,
//   in one order, so that the job runs without deadlock. Sizes are drawn once for all repeats of a
//   block. A receive is of the message that was sent.
// Equal model, ranks, scale and seed give equal traces on any machine.
// Errors: BadInput for a scale that gives more than `max_nodes` nodes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "synthesis/trace_model.h"

namespace fredsim {

// Factors over the jobs that were learned.
struct SynthesisScale {
  double layers = 1;   // innermost repeats
  double bytes = 1;    // sizes of communications and memory accesses
  double compute = 1;  // durations and operations of computations
  int ranks = 1;       // copies of the layout; groups of data-parallel ranks grow
};

// Example of a text: "layers=2,bytes=4". BadInput naming `option`.
SynthesisScale parse_scale(const std::string& text, const std::string& option);

struct SyntheticJob {
  std::vector<std::string> ranks{};  // texts of the files
  std::map<std::string, std::vector<int>> groups{};
  std::uint64_t nodes = 0, communications = 0;
  std::uint64_t repeats = 0;  // repeated blocks drawn
};

constexpr std::uint64_t kMostSyntheticNodes = 50'000'000;

SyntheticJob synthesize(const TraceModel& model, int ranks, std::uint64_t seed,
                        const SynthesisScale& scale = {},
                        std::uint64_t max_nodes = kMostSyntheticNodes);

// {"NAME": [ranks], …}
std::string groups_text(const SyntheticJob& job);

}  // namespace fredsim
