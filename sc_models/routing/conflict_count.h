// SPDX-License-Identifier: Apache-2.0
// Frequency of random sets of flows without a routing: `fredsim conflicts`.
//
// A set conflicts with m when no routing of it exists in which every flow has one colour per level
// (fred_routing.h; the search is complete). The sets are drawn by random_flows.h; each is tried
// with every m, so that the counts can be compared set by set. A routing with m sub-networks is one
// with m + 1 that leaves one unused: the sets that conflict with m + 1 are a subset of the ones
// with m.
// Deterministic: the first n sets depend on the seed, the kind, P and the number of flows alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/random_flows.h"

namespace fredsim {

struct FlowSets {
  FlowKind kind = FlowKind::kAny;
  int ports = 0;             // P, 2 … 32
  int flows = 0;             // flows per set, 1 … max_flows(kind, ports)
  std::uint64_t trials = 0;  // number of sets
  std::uint64_t seed = 1;
};

struct ConflictCounts {
  std::uint64_t trials = 0;                // sets that were tried
  std::vector<std::uint64_t> conflicts{};  // index: position in `middles`
};

// Counts until `stop` is set.
ConflictCounts count_conflicts(const FlowSets& sets, std::span<const int> middles,
                               const std::atomic<bool>& stop);

// Conflicting sets, by position in `middles` (each 2 … 4).
std::vector<std::uint64_t> count_conflicts(const FlowSets& sets, std::span<const int> middles);

}  // namespace fredsim
