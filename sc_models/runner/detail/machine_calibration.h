// SPDX-License-Identifier: Apache-2.0
// Calibration offsets of flows (runner/calibration.h) on a machine, with or without an exact
// engine.
//
// Works of overlapping collectives: a calibration from a file (flow/calibrator.h) is used if it has
//   the same collectives in the same proportion and with the same starts. Otherwise the exact run
//   itself is the result if it costs no more than kMaxExactSteps, about five seconds; any other
//   calibration of one size costs more. A larger exact run is used, too, if its state recurs soon:
//   a third of these steps is tried, once for works that differ only in size. Remaining works use
//   the offset of smaller sizes of the same work, extrapolated with its slope (flow/calibrator.h),
//   or the offset of each collective alone if they do not begin together; matrices, streams and
//   systems without exact runs have no offset. The error of remaining works is unmeasured.
// Single operations, by rank. Operations of one shape share an offset; groups that differ only in
//   position, such as rows of a mesh, have the same shape. The shape is the collectives,
//   algorithms, virtual channels and sizes of the parts and, for each tree, its ranks, its flits,
//   and the number, rates and latencies of the links that it crosses. The offset is measured by an
//   exact run if all shapes together cost no more than kMaxShapeHops flits x links, and so no more
//   than the run that they calibrate. Otherwise the size is halved until a run is within this
//   limit, and runs of this size, its half and its quarter are made; the offset of each rank is
//   extrapolated from the largest two. The offset is 0 and the error unmeasured if this size is
//   at most kMinShapeBytes, or if a large operation does not follow from sizes alone (bytes between
//   pairs, parts that wait for other parts). Error: difference between the time of the largest of
//   these sizes and its prediction from the other two, relative and without sign; 0 if the
//   operation itself was run.
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

  std::vector<CalibrationOffset> of(
      std::span<const std::shared_ptr<const PreparedPlan>> plans) override;
  std::string measured_on() const override { return topology_.name; }
  RunResult run(const AnyPlan& work) override;
  // Cycles by which a plan whose parts begin together exceeds its flows; an exact run of up to
  // `max_hops` flits x links is used directly. Called from an SC_THREAD.
  struct OfPlan {
    double cycles = 0;
    bool is_measured = false;  // measured by a run of its size
  };
  OfPlan offset_of(const Plan& plan, std::uint64_t max_hops);

 private:
  struct Together;  // concurrent collectives
  // Exact run; none if it costs more than allowed.
  std::optional<RunResult> exact_run(const Plan& plan, const Together& parts);
  std::vector<double> offsets(const Together& parts);
  std::optional<FlowErrorResult> error_of(const Together& parts) const;

  const Topology& topology_;
  Machine* const machine_;
  const std::uint64_t seed_;
  Calibrator calibrator_;
  std::set<CalibratedWork> too_long_;               // tried without success
  std::map<std::string, CalibrationOffset> known_;  // calibration offsets of operations, by shape
};

}  // namespace fredsim
