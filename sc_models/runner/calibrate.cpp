// SPDX-License-Identifier: Apache-2.0
#include "runner/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <systemc>
#include <utility>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/file_text.h"
#include "engine/machine.h"
#include "report/progress.h"
#include "results/version.h"
#include "runner/detail/machine_calibration.h"
#include "runner/interrupt.h"
#include "runner/job_runner.h"
#include "runner/machine_word.h"
#include "runner/machines.h"
#include "runner/option_values.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

// A machine with the works to calibrate on it and the calibrations.
struct CalibratedConfig {
  MachineConfig config;
  std::vector<CalibratedWork> works{};
  std::unique_ptr<Machine> machine{};
  std::unique_ptr<Calibrator> calibrator{};
};

// Adds the works of a collective; an automatic choice may use several algorithms, each for some of
// the sizes.
void add_works(const CalibrateRequest& request, const std::string& collective,
               const std::string& algorithm, CalibratedConfig& one) {
  const Topology& topology = one.config.topology;
  WorkOptions options;
  options.items = {request.item};
  options.items.front().collective = parse_collective(collective);
  options.items.front().algorithm = algorithm;
  for (std::size_t interval = grid_interval(request.from); interval <= grid_interval(request.to);
       ++interval) {
    const Plan plan = make_plan(topology, specs_of(options, topology, grid_high(interval), 1));
    std::vector<const Part*> parts;
    for (const Part& part : plan.parts) parts.push_back(&part);
    const std::optional<CalibratedWork> work = calibrated_work(topology, parts);
    if (work && std::ranges::find(one.works, *work) == one.works.end()) one.works.push_back(*work);
  }
}

std::vector<CalibratedConfig> planned(const CalibrateRequest& request) {
  const InterruptEndsPlanning interrupt_ends_it;
  std::vector<CalibratedConfig> configs;
  for (MachineConfig& config : load_machines(request, request.quiet)) {
    check_no_system(config, "calibrate");
    check_runs_exactly(config);
    configs.push_back({.config = std::move(config)});
  }
  for (CalibratedConfig& one : configs) {
    for (const std::string& collective : request.collectives)
      for (const std::string& algorithm : request.algorithms)
        add_works(request, collective, algorithm, one);
  }
  return configs;
}

void measure(const CalibrateRequest& request, std::vector<CalibratedConfig>& configs) {
  using Clock = ProgressLine::Time::clock;
  PointsProgress progress;
  for (const CalibratedConfig& one : configs) progress.all += one.works.size();
  std::optional<ProgressLine> line;
  if (!request.quiet) line.emplace(stderr, progress_style(stderr), "calibration", Clock::now());
  for (CalibratedConfig& one : configs) {
    for (const CalibratedWork& work : one.works) {
      one.calibrator->measure(work, request.from, request.to);
      ++progress.complete;
      if (line) line->update(progress, Clock::now());
    }
  }
}

CalibratedRow row_of(const std::string& machine, const CalibratedWork& work,
                     const Calibration& calibration) {
  CalibratedRow row{.machine = machine,
                    .collective = to_string(work.front().collective),
                    .algorithm = work.front().algorithm,
                    .groups = work.size(),
                    .calibrated_sizes = calibration.points().size(),
                    .checked_sizes = calibration.checked().size()};
  for (const auto& [bytes, checked] : calibration.checked()) {
    row.error_mean_percent += error_percent(checked);
    row.error_worst_percent = std::max(row.error_worst_percent, error_percent(checked));
  }
  row.error_mean_percent /= static_cast<double>(std::max<std::size_t>(row.checked_sizes, 1));
  return row;
}

// Name of the calibrating program: version and commit, plus a hash of the executable if files were
// changed or the commit is unknown.
std::string calibrating_program() {
  const bool is_known = commit() != "unknown" && !commit().ends_with("-dirty");
  if (is_known) return version_text();
  constexpr std::size_t kDigits = 12;
  static const std::string own =
      content_hash(file_text("/proc/self/exe").value_or("")).substr(0, kDigits);
  return fmt::format("{}, program {}", version_text(), own);
}

}  // namespace

std::vector<CalibratedRow> calibrate(const CalibrateRequest& request, CalibrationFile& file) {
  std::vector<CalibratedConfig> configs = planned(request);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const Topology& topology = configs[i].config.topology;
    FabricOptions options{.stop = &interrupt_flag()};
    options.cut = cut_for_caches(topology);
    configs[i].machine =
        std::make_unique<Machine>(fmt::format("machine{}", i).c_str(), topology, options);
    configs[i].calibrator =
        std::make_unique<Calibrator>(topology, exact_run_on(*configs[i].machine));
  }
  JobRunner runner("calibrations", [&] { measure(request, configs); });
  sc_core::sc_start();
  runner.finish();
  std::vector<CalibratedRow> rows;
  for (const CalibratedConfig& one : configs) {
    const Calibrator::Calibrations& found = one.calibrator->calibrations();
    file.add(calibrated_machine(one.config), found);
    for (const CalibratedWork& work : one.works)
      rows.push_back(row_of(name_of(one.config), work, found.at(work)));
  }
  return rows;
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
