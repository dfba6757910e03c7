// SPDX-License-Identifier: Apache-2.0
// Plans a work of `run` on a machine and computes its time as flows, not calibrated by exact runs,
// with all limits or without some.
//
// Errors: planning throws the errors of make_plan(), plan_system() and plan_steps(); a run throws
//   the errors of flows, and Interrupted.
#pragma once

#include <cstdint>
#include <string>

#include "flow/flow_lifts.h"
#include "results/results.h"
#include "runner/calibration.h"
#include "runner/work_options.h"

namespace fredsim {

// Plan of a work. `seed`: for random matrices. With order if the work has an order or it is
// requested; a system's flows are steps.
AnyPlan plan_of_work(const Topology& topology, const WorkOptions& work, std::uint64_t size,
                     std::uint64_t seed, bool has_order = false, bool is_flow = true);

class WorkFlows {
 public:
  // The topology must outlive the object.
  WorkFlows(const Topology& topology, const WorkOptions& work, std::uint64_t size,
            std::uint64_t seed)
      : topology_(topology), seed_(seed), planned_(plan_of_work(topology, work, size, seed)) {}

  double ns(const FlowLifts& lifts = {}) const { return run(lifts).time_ns; }
  // Returns time, parts and bounds; no traffic.
  RunResult run(const FlowLifts& lifts = {}) const;
  const AnyPlan& planned() const { return planned_; }
  // Algorithms by dimension, in the form of CollectiveSpec::algorithm, of the first collective on a
  // system; empty on a machine.
  std::string algorithms_by_dimension() const;

 private:
  const Topology& topology_;
  const std::uint64_t seed_;
  const AnyPlan planned_;
};

// Max number of entries in the plan (collective/plan_size.h).
std::uint64_t plan_entries(const Topology& topology, const WorkOptions& work, std::uint64_t size,
                           std::uint64_t seed);

}  // namespace fredsim
