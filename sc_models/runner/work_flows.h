// SPDX-License-Identifier: Apache-2.0
// A work of `run` planned on a machine, and its time as flows, calibrated by no exact run: whole, or without some limits.
//
// Errors: as make_plan(), plan_system() and plan_steps() raise them when it is planned; of flows and Interrupted when it is run.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "engine/work_run.h"
#include "flow/flow_lifts.h"
#include "plan/plan.h"
#include "results/results.h"
#include "runner/work_options.h"
#include "systems/system_plan.h"

namespace fredsim {

class WorkFlows {
 public:
  // The topology outlives it. `seed`: of random matrices.
  WorkFlows(const Topology& topology, const WorkOptions& work, std::uint64_t size,
            std::uint64_t seed);

  double ns(const FlowLifts& lifts = {}) const;
  // Time, parts and bounds; no traffic.
  RunResult run() const;
  using Planned = std::variant<Plan, SystemPlan, WorkPlan>;
  const Planned& planned() const { return planned_; }
  // Chosen by dimension, as CollectiveSpec::algorithm has it, of the first collective on a system; else empty.
  std::string algorithms_by_dimension() const;

 private:
  static Planned plan_of(const Topology& topology, const WorkOptions& work, std::uint64_t size,
                         std::uint64_t seed);
  double ns_per_cycle() const { return 1e9 / static_cast<double>(topology_.clock_hz); }
  RunResult run_ordered(const WorkPlan& work, const FlowLifts& lifts) const;

  const Topology& topology_;
  const std::uint64_t seed_;
  const Planned planned_;
};

// Entries of its plan, at most (collective/plan_size.h).
std::uint64_t plan_entries(const Topology& topology, const WorkOptions& work, std::uint64_t size,
                           std::uint64_t seed);

}  // namespace fredsim
