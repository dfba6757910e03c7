// SPDX-License-Identifier: Apache-2.0
// Answers `fredsim calibrate`: runs the exact simulations that calibrate flows (flow/calibrator.h)
// and keeps the results in a file.
//
// Errors: BadInput naming the option if a file cannot be read; errors of CalibrationFile.
//   calibrate() also throws the errors of load_machines() and make_plan(), before the first cycle
//   is simulated, and Interrupted.
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
  std::vector<std::string> collectives, algorithms;  // every combination
  WorkItem item;                   // groups, root and virtual channel of all combinations
  std::uint64_t from = 0, to = 0;  // bytes
};

// A work that has been calibrated on a machine.
struct CalibratedRow {
  std::string machine, collective, algorithm;
  std::size_t groups = 0, calibrated_sizes = 0, checked_sizes = 0;
  double error_mean_percent = 0, error_worst_percent = 0;
};

// Adds calibrations to the file. SystemC is elaborated and simulated here, once per process.
std::vector<CalibratedRow> calibrate(const CalibrateRequest& request, CalibrationFile& file);

// Reads an existing file; `option` names it in messages. calibrations_to_add_to() returns an empty
// one if the path does not exist or is a device.
CalibrationFile read_calibrations(const std::string& option, const std::string& path);
CalibrationFile calibrations_to_add_to(const std::string& option, const std::string& path);

CalibratedMachine calibrated_machine(const MachineConfig& config);

}  // namespace fredsim
