// SPDX-License-Identifier: Apache-2.0
// File of calibrations (flow/calibration.h), written by `fredsim calibrate` and read by
// `--calibration`.
//
// JSON: {"fredsim_calibration": 1, "program", "machines": [{"name", "sha256", "works": [{"parts":
//   [{"collective", "algorithm", "group", "root", "priority", "proportion", "start"}], "points":
//   [{"bytes", "surplus": [cycles by part]}], "checked": [{"bytes", "exact", "flow"}]}]}]}.
// A machine is identified by all of its keys, defaults included, and by its name, but not by its
//   path.
// Errors: BadInput naming the file, and line or key, what was found and what is allowed.
//   Calibrations of another program or machine are refused, since their cycles may differ.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/machine_key.h"
#include "flow/calibrator.h"

namespace fredsim {

struct CalibratedMachine {
  std::string name;
  std::string sha256;
  auto operator<=>(const CalibratedMachine&) const = default;
};
CalibratedMachine calibrated_machine(std::string name, std::span<const MachineKey> keys);

class CalibrationFile {
 public:
  // Empty file. `program`: version and commit, as printed.
  explicit CalibrationFile(std::string program) : program_(std::move(program)) {}
  // Parses a file. `path` is for messages. The text's program has to be `program`.
  CalibrationFile(std::string_view text, std::string path, std::string program);

  // Calibrations of a machine.
  const Calibrator::Calibrations& of(const CalibratedMachine& machine) const;
  // Adds calibrations; known works keep their sizes.
  void add(const CalibratedMachine& machine, const Calibrator::Calibrations& calibrations);
  // Text of the file, with a newline at the end. Independent of the order of add().
  std::string text() const;

 private:
  std::string path_;
  std::string program_;
  std::map<CalibratedMachine, Calibrator::Calibrations> machines_;
};

}  // namespace fredsim
