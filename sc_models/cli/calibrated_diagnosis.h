// SPDX-License-Identifier: Apache-2.0
// Diagnoses (cli/diagnosis.h) whose times are those of runs with `--engine flow`, which exact runs
// calibrate.
//
// Run: the work as given; with buffers that cover, where they are larger; with the best algorithm
//   and chunks; and on a machine that is no system, where buffers do not limit, with links of a
//   cycle.
// Other limits: their factor by flows, times the time as given, but for the latency of systems,
//   where a surplus over flows is taken to be latency, too.
// Machines of more than kMaxCalibratedNodes nodes that run flit by flit: flows alone.
// Use: a constructor before the simulation begins, then run() in an SC_THREAD.
// Errors: as plan_work(), elaborate() and run_job() raise them.
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
  // `given`: of plan_work(). `work_file`: DiagnosedWork's.
  CalibratedDiagnosis(const RunRequest& request, const FileUses& files, ComparedMachine given,
                      const std::string& work_file);

  const MachineConfig& machine() const { return machines_[kGiven].config; }
  // `size`: place of the run's size.
  Diagnosis run(std::size_t size);

 private:
  enum Variant : std::size_t { kGiven, kCovered, kClose };

  double ns(Variant variant, const AnyPlan& plan);
  void calibrate(FlowDiagnosis& flows, std::uint64_t size);

  const RunRequest& request_;
  DiagnosedWork work_;
  std::vector<FlowDiagnosis> by_flows_;    // by size
  std::vector<ComparedMachine> machines_;  // by Variant; as many as there are
  bool is_calibrated_ = false;
};

}  // namespace fredsim
