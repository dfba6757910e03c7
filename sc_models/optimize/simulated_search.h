// SPDX-License-Identifier: Apache-2.0
// Derivative-free search (NLopt's COBYLA) for the allocation that minimises any objective, such as
// a simulated time.
//
// Only allowed allocations are evaluated: a proposal outside is moved towards the centre until it
//   is allowed. Variables are the degrees of freedom that the equalities leave. The result is a
//   local optimum; the search starts at `start` and at the centre, then restarts from the better
//   result with smaller steps.
// A search that reaches its limit of evaluations returns its best allocation as not converged.
// Errors: the objective's; BadInput if no allocation is allowed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "optimize/bandwidth_search.h"

namespace fredsim {

struct SimulatedSearch {
  std::vector<double> start{};  // empty: the centre alone
  double tolerance = 1e-3;      // steps of bandwidths, as a share of the total
  std::uint64_t max_evaluations = 500;
};

Optimum least_simulated(const std::function<double(const std::vector<double>&)>& objective,
                        const AllocationSpace& space, const SimulatedSearch& search = {});

}  // namespace fredsim
