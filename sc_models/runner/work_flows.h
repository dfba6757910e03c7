// SPDX-License-Identifier: Apache-2.0
// A work of `run` planned on a machine, and its time as flows, calibrated by no exact run: whole,
// or without some limits.
//
// Errors: as make_plan(), plan_system() and plan_steps() raise them when it is planned; of flows
// and Interrupted when it is run.
#pragma once

#include <cstdint>
#include <string>

#include "flow/flow_lifts.h"
#include "results/results.h"
#include "runner/calibration.h"
#include "runner/work_options.h"

namespace fredsim {

// `seed`: of random matrices. With order, if the work has some or it is asked for; by flows a
// system's are steps.
AnyPlan plan_of_work(const Topology& topology, const WorkOptions& work, std::uint64_t size,
                     std::uint64_t seed, bool has_order = false, bool is_flow = true);

class WorkFlows {
 public:
  // The topology outlives it.
  WorkFlows(const Topology& topology, const WorkOptions& work, std::uint64_t size,
            std::uint64_t seed)
      : topology_(topology), seed_(seed), planned_(plan_of_work(topology, work, size, seed)) {}

  double ns(const FlowLifts& lifts = {}) const { return run(lifts).time_ns; }
  // Time, parts and bounds; no traffic.
  RunResult run(const FlowLifts& lifts = {}) const;
  const AnyPlan& planned() const { return planned_; }
  // Chosen by dimension, as CollectiveSpec::algorithm has it, of the first collective on a system;
  // else empty.
  std::string algorithms_by_dimension() const;

 private:
  const Topology& topology_;
  const std::uint64_t seed_;
  const AnyPlan planned_;
};

// Entries of its plan, at most (collective/plan_size.h).
std::uint64_t plan_entries(const Topology& topology, const WorkOptions& work, std::uint64_t size,
                           std::uint64_t seed);

}  // namespace fredsim
