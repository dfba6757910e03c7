// SPDX-License-Identifier: Apache-2.0
// Surplus of exact runs over flows (runner/calibration.h) on a machine that runs exactly, or one
// without exact runs.
//
// Works whose collectives are under way together: by a file (flow/calibrator.h), its collectives in
//   the same proportion, with their starts. Else the exact run itself is taken, where it costs no
//   more than kMaxExactSteps, about five seconds: any other calibration of one size costs more. A
//   larger one is taken, too, if it repeats itself soon: a third of these steps is tried, once for
//   works that differ in size alone. Others have the surplus of smaller sizes of the same work,
//   with its slope (flow/calibrator.h), of each collective alone where they do not begin together;
//   matrices, streams and systems without exact runs have none. Their error is unmeasured.
// Operations by themselves, by rank. Shape: collectives, algorithms, virtual channels and sizes of
//   an operation's parts, and of each of its trees which ranks have a part in it and how many flits
//   cross how many links of which rates and latencies. Groups that differ in nothing else, as rows
//   of a mesh, share their surplus. It is that of an exact run, where all shapes together cost no
//   more than kMaxShapeHops flits x links, and so no more than the run that they are for. Else runs
//   of a half of the size, or as many times halved as bring it within that, and of a half and a
//   quarter of the first; the surplus of each rank is carried on from the largest two. Operations
//   that have no such size of kMinShapeBytes or more, or are too large and do not follow from sizes
//   (bytes between pairs, parts that wait for others), have none: it is 0 and their error is
//   unmeasured. Error: of the time of the largest of these sizes, as told by the other two, either
//   way; 0 where the operation itself was run.
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
  // `machine`: for exact runs; null: there can be none (Topology::flow_only). Both must outlive it.
  // `known`: calibrations of a file.
  MachineCalibration(const Topology& topology, Machine* machine, std::uint64_t seed,
                     const Calibrator::Calibrations& known = {});

  std::vector<Surplus> of(std::span<const std::shared_ptr<const PreparedPlan>> plans) override;
  std::string measured_on() const override { return topology_.name; }
  RunResult run(const AnyPlan& work) override;
  // From an SC_THREAD. Cycles by which a plan whose parts begin together takes longer than its
  // flows; an exact run of up to `max_hops` flits x links is taken as it is.
  struct OfPlan {
    double cycles = 0;
    bool is_measured = false;  // by a run of its size
  };
  OfPlan surplus_of(const Plan& plan, std::uint64_t max_hops);

 private:
  struct Together;  // collectives under way together
  // None: it costs more than is allowed.
  std::optional<RunResult> exact_run(const Plan& plan, const Together& parts);
  std::vector<double> surpluses(const Together& parts);
  std::optional<FlowErrorResult> error_of(const Together& parts) const;

  const Topology& topology_;
  Machine* const machine_;
  const std::uint64_t seed_;
  Calibrator calibrator_;
  std::set<CalibratedWork> too_long_;     // tried, in vain
  std::map<std::string, Surplus> known_;  // surpluses of operations, by shape
};

}  // namespace fredsim
