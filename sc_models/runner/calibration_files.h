// SPDX-License-Identifier: Apache-2.0
// Files of calibrations on the command line: `--calibration FILE`, and --out of `fredsim calibrate`.
//
// Errors: BadInput naming the option, where a file cannot be read; those of CalibrationFile.
#pragma once

#include <string>

#include "config/config.h"
#include "flow/calibration_file.h"

namespace fredsim {

// Program that this is: version and commit, and, where those do not tell it, since files were changed or the commit is unknown, a hash of the
// program itself.
std::string calibrating_program();

// `option` names it in messages.
CalibrationFile read_calibrations(const std::string& option, const std::string& path);
// Contents of such a file; empty where there is none, or a device.
CalibrationFile calibrations_to_add_to(const std::string& option, const std::string& path);

CalibratedMachine calibrated_machine(const MachineConfig& config);

}  // namespace fredsim
