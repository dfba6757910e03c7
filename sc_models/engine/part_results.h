// SPDX-License-Identifier: Apache-2.0
// From the times of parts to those of a RunResult (results/results.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plan/plan.h"
#include "results/results.h"

namespace fredsim {

// Time of a part, over all of its repetitions.
struct PartTime {
  std::string name{};  // as a work file gives it
  std::uint64_t operations = 1;
  std::uint64_t start = 0, end = 0;  // cycles
  bool has_begun = true;
  bool incomplete = false;  // `end` says nothing
};

// Fills parts, groups, collective, algorithm, size, bandwidths and the bound of the network; time_ns and clock_ghz are set.
void fill_parts(const Topology& topology, std::span<const Part* const> parts,
                std::span<const PartTime> times, RunResult& result);

// The same of the collectives that a plan's parts are steps of (Plan::collectives), `times` being those of the parts.
void fill_collectives(const Topology& topology, const Plan& plan, std::span<const PartTime> times,
                      RunResult& result);

// Operations, where parts wait for others that they cannot run together with: those that begin together being one. All
// phases are there before the run; `cycles` of an incomplete result are set.
void fill_operations(const Plan& plan, std::span<const PartTime> times, RunResult& result);

}  // namespace fredsim
