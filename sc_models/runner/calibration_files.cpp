// SPDX-License-Identifier: Apache-2.0
#include "runner/calibration_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/file_text.h"
#include "results/version.h"

namespace fredsim {

std::string calibrating_program() {
  const bool is_told = commit() != "unknown" && !commit().ends_with("-dirty");
  if (is_told) return version_text();
  constexpr std::size_t kDigits = 12;
  static const std::string own =
      content_hash(file_text("/proc/self/exe").value_or("")).substr(0, kDigits);
  return fmt::format("{}, program {}", version_text(), own);
}

CalibrationFile read_calibrations(const std::string& option, const std::string& path) {
  const std::optional<std::string> text = file_text(path);
  if (!text)
    throw BadInput(
        fmt::format("{}: found '{}': {}; allowed: a file that fredsim calibrate has written",
                    option, path, std::generic_category().message(errno)));
  return {*text, path, calibrating_program()};
}

CalibrationFile calibrations_to_add_to(const std::string& option, const std::string& path) {
  std::error_code error;
  if (path != "-" && std::filesystem::is_regular_file(path, error))
    return read_calibrations(option, path);
  return CalibrationFile(calibrating_program());
}

CalibratedMachine calibrated_machine(const MachineConfig& config) {
  return calibrated_machine(config.topology.name, config.keys);
}

}  // namespace fredsim
