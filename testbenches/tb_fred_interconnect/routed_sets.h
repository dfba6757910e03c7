// SPDX-License-Identifier: Apache-2.0
// Random flow sets (routing/random_flows.h), routed by the routing library, on the RTL.
//
// The bits of a routing must serve the flows as the oracle reads them: every output of a flow the
// sum of its inputs, in the order that the library tells, and nothing at any other output. The
// harness then loads them into the RTL and compares every output at every cycle with that reading.
#pragma once

#include <cstdint>

#include "harness.h"

namespace tb {

struct RoutedSets {
  int routed = 0;
  int conflicts = 0;
  std::uint64_t flits = 0;  // delivered and compared
};

// `sets` of every kind. Errors: Mismatch, with the flows.
RoutedSets run_routed_sets(const Shape& shape, Harness& harness, std::uint64_t seed, int sets);

}  // namespace tb
