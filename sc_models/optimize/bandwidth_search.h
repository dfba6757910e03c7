// SPDX-License-Identifier: Apache-2.0
// Search for the bandwidth allocation with the minimum time of a workload, or the minimum product
// of time and network cost.
//
// Time: convex in the bandwidths, so the minimum is found by sequential quadratic programming,
//   with bounds of the maxima as further variables (NLopt's SLSQP, which no other file names but
//   simulated_search.cpp).
// Time x cost: cost is linear. The minimum time at a given cost is such a problem; the cost
//   itself is searched on a geometric grid, then by golden sections around the best grid point.
// A search that reaches its limit of evaluations returns its best allocation as not converged.
// Errors: BadInput if no allocation is allowed; std::logic_error for mismatched sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "optimize/allocation_space.h"
#include "optimize/time_model.h"

namespace fredsim {

struct Optimum {
  std::vector<double> gbps{};  // by dimension
  double objective = 0;        // ns, or ns x dollars
  double time_ns = 0;
  bool converged = false;
  std::uint64_t evaluations = 0;  // times of the model
};

inline constexpr std::uint64_t kMaxModelEvaluations = 1'000'000;

Optimum least_time(const TimeModel& model, const AllocationSpace& space,
                   std::uint64_t max_evaluations = kMaxModelEvaluations);

// `dollars`: by dimension, per GB/s of an NPU's bandwidth.
Optimum least_time_cost(const TimeModel& model, const AllocationSpace& space,
                        const std::vector<double>& dollars,
                        std::uint64_t max_evaluations = kMaxModelEvaluations);

}  // namespace fredsim
