// SPDX-License-Identifier: Apache-2.0
// Answers `fredsim calibrate`: exact runs by which flows are calibrated (flow/calibrator.h), kept
// in a file.
//
// Errors: BadInput naming the option, where a file cannot be read; those of CalibrationFile; of
//   calibrate() those of load_machines() and make_plan(), before the first cycle is simulated, and
//   Interrupted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "flow/calibration_file.h"
#include "runner/run_options.h"
#include "runner/work_options.h"

namespace fredsim {

struct CalibrateRequest : MachineOptions, OutputOptions {
  std::vector<std::string> collectives, algorithms;  // each by each
  WorkItem item;                                     // groups, root and virtual channel of all
  std::uint64_t from = 0, to = 0;                    // bytes
};

// A work that has been calibrated on a machine.
struct CalibratedRow {
  std::string machine, collective, algorithm;
  std::size_t groups = 0, calibrated_sizes = 0, checked_sizes = 0;
  double error_mean_percent = 0, error_worst_percent = 0;
};

// Adds to the file. SystemC is elaborated and simulated here, once in a process.
std::vector<CalibratedRow> calibrate(const CalibrateRequest& request, CalibrationFile& file);

// A file that is there; `option` names it in messages. To be added to: empty where there is none,
// or a device.
CalibrationFile read_calibrations(const std::string& option, const std::string& path);
CalibrationFile calibrations_to_add_to(const std::string& option, const std::string& path);

CalibratedMachine calibrated_machine(const MachineConfig& config);

}  // namespace fredsim
