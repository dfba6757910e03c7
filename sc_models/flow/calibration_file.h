// SPDX-License-Identifier: Apache-2.0
// A file of calibrations (flow/calibration.h): what `fredsim calibrate` writes and `--calibration`
// reads.
//
// JSON: {"fredsim_calibration": 1, "program", "machines": [{"name", "sha256", "works": [{"parts":
//   [{"collective", "algorithm", "group", "root", "priority", "proportion", "start"}], "points":
//   [{"bytes", "surplus": [cycles by part]}], "checked": [{"bytes", "exact", "flow"}]}]}]}.
// A machine is told by all of its keys, defaults included, and by its name; where it lies does not
//   count.
// Errors: BadInput naming the file, and line or key, what was found and what is allowed.
//   Calibrations of another program or machine are refused, since their cycles may be others.
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
  // `program`: version and commit, as printed.
  explicit CalibrationFile(std::string program) : program_(std::move(program)) {}
  // `path` is for messages. The text's program has to be `program`.
  CalibrationFile(std::string_view text, std::string path, std::string program);

  // Those of a machine.
  const Calibrator::Calibrations& of(const CalibratedMachine& machine) const;
  // Works that are there keep the sizes that they have.
  void add(const CalibratedMachine& machine, const Calibrator::Calibrations& calibrations);
  // Ends in a newline. Equal for what is equal, in whatever order it was added.
  std::string text() const;

 private:
  std::string path_;
  std::string program_;
  std::map<CalibratedMachine, Calibrator::Calibrations> machines_;
};

}  // namespace fredsim
