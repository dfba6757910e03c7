// SPDX-License-Identifier: Apache-2.0
// The allocation with the least of anything that can be asked for at an allocation, such as a
// simulated time: a search without derivatives (NLopt's COBYLA).
//
// Evaluated are allowed allocations alone: what the search proposes outside is moved towards the
//   centre until it is allowed. Variables
//   are what the equalities leave free. What it finds is a local optimum; it begins at `start` and
//   at the centre, and once more from the best of both, with smaller steps.
// A search that is at its limit of evaluations keeps the best that it has and has not converged.
// Errors: those of the objective; BadInput where nothing is allowed.
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
