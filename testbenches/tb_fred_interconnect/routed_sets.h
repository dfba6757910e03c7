// SPDX-License-Identifier: Apache-2.0
// Random flow sets (routing/random_flows.h), routed by the routing library, on the RTL.
//
// The bits of a routing must implement the flows as the oracle reads them: every output of a flow
// gives the sum of its inputs, in the order given by the library, and no other output gives
// anything. The harness then loads them into the RTL and compares every output in every cycle with
// the oracle.
#pragma once

#include <cstdint>

#include "harness.h"

namespace tb {

struct RoutedSets {
  int routed = 0;
  int conflicts = 0;
  std::uint64_t flits = 0;  // flits delivered and compared
};

// `sets` of every kind. Errors: Mismatch, with the flows.
RoutedSets run_routed_sets(const Shape& shape, Harness& harness, std::uint64_t seed, int sets);

}  // namespace tb
