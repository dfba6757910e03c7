// SPDX-License-Identifier: Apache-2.0
// Results of runs of `--engine flow` on machines and systems.
//
// Short runs: a run is simulated exactly if it has no more flit-hops than the calibration of single
//   operations may take (runner/detail/machine_calibration.h). The exact run then costs no more and
//   has no error. Operations of a few kilobytes overlap in ways that no measurement of a single
//   operation shows: as flows, training iterations of a few thousand cycles were up to 37 % off.
// Stated error: larger than the measured one, since the run itself was not measured. The margin was
//   found on random works on small machines with all kinds of switches; 95 % of other works are
//   within it (docs/studies/flow_error.md, scripts/reproduce flow_error --stated). Sizes between
//   the sizes of a calibration file: errors are measured at the sizes of its checks, and are larger
//   at other sizes if time is not linear between two of them. Operations in sequence: each is
//   measured alone, not while sharing links, buffers and arbiters. Parts of an iteration's
//   breakdown are off by as large a share of the iteration as the iteration itself. Systems:
//   measured at other sizes, on a smaller system if the system is large.
// Errors: Interrupted by an exact run that was not complete.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "flow/flow_operations.h"
#include "flow/flow_traffic.h"
#include "plan/plan.h"
#include "results/results.h"
#include "systems/system_plan.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr std::uint64_t kMaxShapeHops = 24'000'000;

// Converts a time of flows to whole cycles.
std::uint64_t flow_cycles(double cycles);
// Fills a result, except traffic, parts, bounds and errors, for a run that ends at a time of flows.
void fill_flow_run(const Topology& topology, double end, RunResult& result);
// Fills the traffic, after fill_flow_run().
void fill_flow_links(const Topology& topology, const FlowTraffic& traffic, RunResult& result);
// Executes a run; the result gets its CPU and wall time.
void run_timed(const std::function<void()>& run, RunResult& result);

// A plan as flows with their calibration offset, by part or by step; without traffic and error.
struct FlowRun {
  RunResult result{};
  double end = 0;  // cycles, not rounded up
};
FlowRun run_as_flows(const Topology& topology, const Plan& plan,
                     std::span<const double> offset = {}, const FlowLifts& lifts = {});
FlowRun run_as_flows(const Topology& topology, const SystemPlan& plan,
                     std::span<const double> offset = {}, const FlowLifts& lifts = {});

// Checks that an exact run for calibration is complete.
RunResult complete(RunResult exact);
// Flow result with the times of a complete exact run, without the fields that only flits have. Its
// error is 0 and its own.
RunResult flow_result_of(const Topology& topology, const FlowTraffic& traffic, RunResult exact);

// Plans that a run issues.
using IssuedPlans = std::vector<FlowOperations::Issued>;
FlowTraffic traffic_of(const Topology& topology, const IssuedPlans& issued);
bool is_short(const Topology& topology, const IssuedPlans& issued);
RunResult flow_result_of(const Topology& topology, const IssuedPlans& issued, RunResult exact);

// Units: percent of the time; for iterations and their parts, percent of the iteration.
struct ErrorMargin {
  double factor = 1;  // multiplies the measured error
  double percent = 0;
};
inline constexpr double kBetweenSizesOfAim = 0.3;  // share of the target error (flow/calibrator.h)
inline constexpr ErrorMargin kWorkMargin{1, 20};
inline constexpr ErrorMargin kTrainingMargin{1, 3};
inline constexpr ErrorMargin kSystemMargin{1.5, 0.5};
inline constexpr ErrorMargin kSystemTrainingMargin{1, 5};
FlowErrorResult stated(FlowErrorResult measured, const ErrorMargin& margin);

}  // namespace fredsim
