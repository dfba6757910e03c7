// SPDX-License-Identifier: Apache-2.0
// Results of runs of `--engine flow`, whatever they run on.
//
// Short runs: all flits together cross no more links than operations by which flows would be
//   calibrated may (runner/detail/machine_calibration.h), so that the exact run costs no more, and
//   has no error. Operations of a few kilobytes overlap in ways that no measurement of one alone
//   shows: iterations of training that take some thousand cycles were up to 37 % off as flows.
// Stated error: more than what was measured, since the run itself was not. The addition was found
//   on random works on small machines of all kinds of switches, and 95 % of others are within it
//   (docs/studies/flow_error.md, scripts/reproduce flow_error --stated).
//   Sizes between those of a file: errors at sizes of its checks are measured, those at others are
//   larger where times are no straight lines between two of them. Operations after each other: each
//   is known alone, not how several share links, buffers and arbiters. Parts of the breakdown of an
//   iteration are off by as much of the iteration as the iteration itself. Systems: measured at
//   other sizes, on a smaller one where the system is large.
// Errors: Interrupted, of an exact run that was not complete.
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

// Cycles of a time of flows.
std::uint64_t flow_cycles(double cycles);
// All but traffic, parts, bounds and errors, of a run that ends at a time of flows.
void fill_flow_run(const Topology& topology, double end, RunResult& result);
// Traffic, after fill_flow_run().
void fill_flow_links(const Topology& topology, const FlowTraffic& traffic, RunResult& result);
// Carries out a run, of which the result has the seconds.
void run_timed(const std::function<void()>& run, RunResult& result);

// A plan as flows with their surplus, by part or by step; all but traffic and error.
struct FlowRun {
  RunResult result{};
  double end = 0;  // cycles, not rounded up
};
FlowRun run_as_flows(const Topology& topology, const Plan& plan,
                     std::span<const double> surplus = {}, const FlowLifts& lifts = {});
FlowRun run_as_flows(const Topology& topology, const SystemPlan& plan,
                     std::span<const double> surplus = {}, const FlowLifts& lifts = {});

// An exact run that calibrates.
RunResult complete(RunResult exact);
// The result of flows that take as long as a complete exact run: its times, without what flits
// alone have. Its error is none, of itself.
RunResult flow_result_of(const Topology& topology, const FlowTraffic& traffic, RunResult exact);

// Plans that a run issues.
using IssuedPlans = std::vector<FlowOperations::Issued>;
FlowTraffic traffic_of(const Topology& topology, const IssuedPlans& issued);
bool is_short(const Topology& topology, const IssuedPlans& issued);
RunResult flow_result_of(const Topology& topology, const IssuedPlans& issued, RunResult exact);

// Units: percent of the time, of iterations and their parts of an iteration's.
struct ErrorMargin {
  double factor = 1;  // times the error that was measured
  double percent = 0;
};
inline constexpr double kBetweenSizesOfAim =
    0.3;  // share of the error that is aimed at (flow/calibrator.h)
inline constexpr ErrorMargin kWorkMargin{1, 20};
inline constexpr ErrorMargin kTrainingMargin{1, 3};
inline constexpr ErrorMargin kSystemMargin{1.5, 0.5};
inline constexpr ErrorMargin kSystemTrainingMargin{1, 5};
FlowErrorResult stated(FlowErrorResult measured, const ErrorMargin& margin);

}  // namespace fredsim
