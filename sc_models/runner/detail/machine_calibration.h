// SPDX-License-Identifier: Apache-2.0
// Calibration offsets of flows (runner/calibration.h) on a machine, with or without an exact
// engine.
//
// Works of overlapping collectives: calibrated from a file (flow/calibrator.h) with the same
//   collectives in the same proportion and with the same starts. Else the exact run itself is the
//   result if it costs no more than kMaxExactSteps, about five seconds: any other calibration of
//   one size costs more. A larger run is used, too, if it soon repeats itself: a third of these
//   steps is tried, once for works that differ only in size. Remaining works use the offset of
//   smaller sizes of the same work, with its slope (flow/calibrator.h), or of each collective alone
//   if they do not begin together; matrices, streams and systems without exact runs have no offset.
//   Their error is unmeasured.
// Single operations, by rank. Shape: collectives, algorithms, virtual channels and sizes of an
//   operation's parts, and for each of its trees the participating ranks and the number of flits
//   and of links crossed, with their rates and latencies. Groups that differ in nothing else, such
//   as rows of a mesh, share their offset. It is measured by an exact run if all shapes together
//   cost no more than kMaxShapeHops flits x links, and so no more than the run that they are for.
//   Else the size is halved until a run is within this limit, and this size, its half and its
//   quarter are run; the offset of each rank is extrapolated from the largest two. An operation
//   without such a size of kMinShapeBytes or more, or too large and not determined by sizes (bytes
//   between pairs, parts that wait for other parts), has no offset: it is 0 and the error is
//   unmeasured. Error: relative to the time of the largest of these sizes, as predicted from the
//   other two, absolute; 0 if the operation itself was run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/machine.h"
#include "flow/calibrator.h"
#include "plan/plan.h"
#include "runner/calibration.h"
#include "topology/topology.h"

namespace fredsim {

// A step takes 0.1 to 0.25 microseconds.
inline constexpr double kMaxExactSteps = 24e6;
inline constexpr std::uint64_t kMinShapeBytes = 16 * 1024;

// Exact runs on a machine, from an SC_THREAD.
Calibrator::ExactRun exact_run_on(Machine& machine);

class MachineCalibration final : public FlowCalibration {
 public:
  // `machine`: for exact runs; null if exact runs are impossible (Topology::flow_only). Both must
  // outlive the object. `known`: calibrations of a file.
  MachineCalibration(const Topology& topology, Machine* machine, std::uint64_t seed,
                     const Calibrator::Calibrations& known = {});

  std::vector<Surplus> of(std::span<const std::shared_ptr<const PreparedPlan>> plans) override;
  std::string measured_on() const override { return topology_.name; }
  RunResult run(const AnyPlan& work) override;
  // Cycles by which a plan whose parts begin together exceeds its flows; an exact run of up to
  // `max_hops` flits x links is used directly. Called from an SC_THREAD.
  struct OfPlan {
    double cycles = 0;
    bool is_measured = false;  // measured by a run of its size
  };
  OfPlan surplus_of(const Plan& plan, std::uint64_t max_hops);

 private:
  struct Together;  // concurrent collectives
  // Exact run; none if it costs more than allowed.
  std::optional<RunResult> exact_run(const Plan& plan, const Together& parts);
  std::vector<double> surpluses(const Together& parts);
  std::optional<FlowErrorResult> error_of(const Together& parts) const;

  const Topology& topology_;
  Machine* const machine_;
  const std::uint64_t seed_;
  Calibrator calibrator_;
  std::set<CalibratedWork> too_long_;     // tried without success
  std::map<std::string, Surplus> known_;  // calibration offsets of operations, by shape
};

}  // namespace fredsim
