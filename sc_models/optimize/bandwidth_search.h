// SPDX-License-Identifier: Apache-2.0
// The allocation of bandwidth with the least time of a workload, or the least product of time and
// cost of the network.
//
// Time: convex in the bandwidths, so its least value is found with bounds for the maxima as further
//   variables, by sequential quadratic
//   programming (NLopt's SLSQP, which no other file names but simulated_search.cpp).
// Time x cost: cost is linear. For each cost the least time at that cost is such a problem; the
//   cost is searched: a grid in proportion, then golden sections around the best of it.
// A search that is at its limit of evaluations keeps the best that it has and has not converged.
// Errors: BadInput where nothing is allowed; std::logic_error for sizes that do not fit together.
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
