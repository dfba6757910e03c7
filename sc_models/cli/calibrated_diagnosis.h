// SPDX-License-Identifier: Apache-2.0
// Diagnoses (cli/diagnosis.h) with the times of `--engine flow` runs that are calibrated by exact
// runs.
//
// Runs: the work as given; with covering buffers, if larger; with the best algorithm and chunks;
//   and, on a machine that is no system and is not limited by buffers, with links of one cycle.
// Other limits: their factor by flows, multiplied by the time of the given work. Exception: latency
//   of systems, where the calibration offset counts as latency, too.
// Machines of more than kMaxCalibratedNodes nodes that run flit by flit: flows only.
// Use: construct before the simulation begins, then call run() in an SC_THREAD.
// Errors: errors of plan_work(), elaborate() and run_job().
#pragma once

#include <string>
#include <vector>

#include "cli/diagnosis.h"
#include "runner/work_flows.h"
#include "runner/work_jobs.h"

namespace fredsim {

inline constexpr std::size_t kMaxCalibratedNodes = 4096;

class CalibratedDiagnosis {
 public:
  // `given`: result of plan_work(). `work_file`: as in DiagnosedWork.
  CalibratedDiagnosis(const RunRequest& request, const FileUses& files, ComparedMachine given,
                      const std::string& work_file);

  const MachineConfig& machine() const { return machines_[kGiven].config; }
  // Diagnosis at one size. `size`: index of the run's size.
  Diagnosis run(std::size_t size);

 private:
  enum Variant : std::size_t { kGiven, kCovered, kClose };

  double ns(Variant variant, const AnyPlan& plan);
  void calibrate(FlowDiagnosis& flows, std::uint64_t size);

  const RunRequest& request_;
  DiagnosedWork work_;
  std::vector<FlowDiagnosis> by_flows_;    // by size
  std::vector<ComparedMachine> machines_;  // by Variant; only the existing ones
  bool is_calibrated_ = false;
};

}  // namespace fredsim
