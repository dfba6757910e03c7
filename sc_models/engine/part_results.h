// SPDX-License-Identifier: Apache-2.0
// Results of parts, collectives and operations in a RunResult (results/results.h), from the times
// of parts.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plan/plan.h"
#include "results/results.h"

namespace fredsim {

// Time of a part, over all of its repetitions.
struct PartTime {
  std::string name{};  // name in a work file
  std::uint64_t operations = 1;
  std::uint64_t start = 0, end = 0;  // cycles
  bool has_begun = true;
  bool incomplete = false;  // `end` is not valid
};

// Fills parts, groups, collective, algorithm, size, bandwidths and the bound of the network;
// time_ns and clock_ghz are set.
void fill_parts(const Topology& topology, std::span<const Part* const> parts,
                std::span<const PartTime> times, RunResult& result);

// Fills the collectives whose steps are a plan's parts (Plan::collectives), from the times of these
// parts.
void fill_collectives(const Topology& topology, const Plan& plan, std::span<const PartTime> times,
                      RunResult& result);

// Fills the operations of a plan whose parts are serialised since they cannot run together; parts
// that begin together are one operation. All phases are loaded before the run. Requires `cycles` of
// an incomplete result.
void fill_operations(const Plan& plan, std::span<const PartTime> times, RunResult& result);

}  // namespace fredsim
