// SPDX-License-Identifier: Apache-2.0
// `fredsim calibrate`: exact runs by which flows are calibrated, kept in a file.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/work_arguments.h"
#include "collective/algorithm.h"
#include "engine/machine.h"
#include "report/output_file.h"
#include "report/progress.h"
#include "report/table_fields.h"
#include "report/table_output.h"
#include "runner/calibration_files.h"
#include "runner/flow_jobs.h"
#include "runner/interrupt.h"
#include "runner/job_runner.h"
#include "runner/machine_word.h"
#include "runner/machines.h"
#include "runner/option_values.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

constexpr const char* kFirstSize = "64KiB";
constexpr const char* kLastSize = "64MiB";
constexpr const char* kCalibrationLegend =
    "Exact runs by which flows are calibrated, and others by which what remains is checked: "
    "the mean and the largest difference of the times, either way.";

// Collectives made of a size alone.
const std::vector<std::string> kCollectives{"all_reduce", "reduce_scatter", "all_gather",
                                            "reduce",     "broadcast",      "gather",
                                            "scatter",    "all_to_all"};

// A machine, what is calibrated on it, and the calibrations.
struct CalibratedConfig {
  MachineConfig config;
  std::vector<CalibratedWork> works{};
  std::unique_ptr<Machine> machine{};
  std::unique_ptr<Calibrator> calibrator{};
};

struct CalibrationRow {
  std::string machine;
  const CalibratedWork* work;
  const Calibration* calibration;
};

double mean_error(const Calibration& calibration) {
  double sum = 0;
  for (const auto& [bytes, checked] : calibration.checked()) sum += error_percent(checked);
  return sum / static_cast<double>(std::max<std::size_t>(calibration.checked().size(), 1));
}

double worst_error(const Calibration& calibration) {
  double worst = 0;
  for (const auto& [bytes, checked] : calibration.checked())
    worst = std::max(worst, error_percent(checked));
  return worst;
}

TitledTable calibration_table(const std::vector<CalibrationRow>& rows) {
  std::vector<Field<CalibrationRow>> fields;
  const auto add = [&](Column column, std::function<Cell(const CalibrationRow&)> cell) {
    fields.push_back({std::move(column), std::move(cell)});
  };
  add({.label = "machine", .align = Align::kLeft, .name = "machine"},
      [](const CalibrationRow& row) { return row.machine; });
  add({.label = "collective", .align = Align::kLeft, .name = "collective"},
      [](const CalibrationRow& row) { return to_string(row.work->front().collective); });
  add({.label = "algorithm", .align = Align::kLeft, .name = "algorithm"},
      [](const CalibrationRow& row) { return row.work->front().algorithm; });
  add({.label = "groups", .name = "groups"},
      [](const CalibrationRow& row) { return fmt::to_string(row.work->size()); });
  add({.label = "calibrated", .unit = "sizes", .name = "calibrated_sizes"},
      [](const CalibrationRow& row) { return count_cell(row.calibration->points().size()); });
  add({.label = "checked", .unit = "sizes", .name = "checked_sizes"},
      [](const CalibrationRow& row) { return count_cell(row.calibration->checked().size()); });
  add({.label = "mean error", .unit = "%", .name = "error_mean_percent"},
      [](const CalibrationRow& row) { return number_cell(mean_error(*row.calibration), 2); });
  add({.label = "largest", .unit = "%", .name = "error_worst_percent"},
      [](const CalibrationRow& row) { return number_cell(worst_error(*row.calibration), 2); });
  return {"", table_of(fields, rows)};
}

class CalibrateCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    app.add_option("CONFIGS", machine_strings_.configs,
                   "machines by name (info --machines) or their files. Settings of their own: "
                   "FILE@KEY.PATH=VALUE,KEY.PATH=VALUE")
        ->required()
        ->type_name("")
        ->expected(1, CLI::detail::expected_max_vector_size);
    offer(add(app, "--collective", collectives_, "NAME",
              "one to calibrate, as often as wanted: all_reduce, reduce_scatter, all_gather, "
              "reduce, broadcast, gather, scatter, all_to_all, multicast or unicast (default: all "
              "but the last two)"),
          "all_reduce reduce_scatter all_gather reduce broadcast gather scatter all_to_all "
          "multicast unicast");
    offer(add(app, "--algorithm", algorithms_, "NAME",
              "one of the collectives' algorithms, as often as wanted (default auto). auto: all "
              "that auto takes at these sizes; paper, " +
                  algorithm_names()),
          algorithm_words());
    add(app, "--group", groups_, "RANKS",
        "who takes part, as in run (default all); several groups run at the same time");
    add(app, "--root", root_, "R", "position in the group of who has or gets the data (default 0)");
    offer(add(app, "--priority", priority_, "NAME", "virtual channel: mp, pp or dp (default)"),
          "mp pp dp");
    add(app, "-b", first_, "SIZE", fmt::format("the smallest size (default {})", kFirstSize));
    add(app, "-e", last_, "SIZE", fmt::format("the largest size (default {})", kLastSize));
    add(app, "--out", out_, "FILE",
        "the file, for --calibration; what it has already is kept; - is standard output")
        ->required();
    output_strings_.add_format_to(app);
    machine_strings_.add_overrides_to(app);
    output_strings_.add_quiet_to(app);
  }

  void check() override {
    machine_strings_.check(machines_);
    output_strings_.check(output_);
    if (collectives_.empty()) collectives_ = kCollectives;
    if (algorithms_.empty()) algorithms_ = {"auto"};
    for (const std::string& name : collectives_) {
      if (parse_collective(name) == Collective::kAllToAllV)
        throw BadInput(
            fmt::format("--collective: found '{}'; allowed: collectives whose bytes follow from a "
                        "size",
                        name));
    }
    for (const std::string& name : algorithms_) check_algorithm(name);
    for (const std::string& group : groups_) item_.groups.push_back(parse_group(group));
    if (groups_.empty()) item_.groups.emplace_back();
    if (!root_.empty())
      item_.root =
          static_cast<int>(parse_number(root_, "--root", 0, std::numeric_limits<int>::max()));
    if (!priority_.empty()) item_.vc = parse_priority(priority_);
    from_ = parse_collective_size(first_, "-b");
    to_ = parse_collective_size(last_, "-e");
    if (from_ > to_)
      throw BadInput(
          fmt::format("-e: found {}; allowed: the size of -b, {}, or more", last_, first_));
  }

  FileUses files() const override {
    FileUses files;
    add_machine_files(machines_, files);
    add_output("--out", out_, files);
    return files;
  }

  void run(const Invocation&) override {
    const std::atomic<bool>& interrupted = interrupt_flag();
    CalibrationFile file = calibrations_to_add_to("--out", out_);
    const std::optional<OutputFile> out = open_output("--out", out_);
    std::vector<CalibratedConfig> configs = planned();
    for (std::size_t i = 0; i < configs.size(); ++i) {
      FabricOptions options{.stop = &interrupted};
      options.cut = cut_for_caches(configs[i].config.topology);
      configs[i].machine = std::make_unique<Machine>(fmt::format("machine{}", i).c_str(),
                                                     configs[i].config.topology, options);
      configs[i].calibrator = std::make_unique<Calibrator>(configs[i].config.topology,
                                                           exact_run_on(*configs[i].machine));
    }
    JobRunner runner("calibrations", [&] { measure(configs); });
    sc_core::sc_start();
    runner.finish();

    std::vector<CalibrationRow> rows;
    for (const CalibratedConfig& one : configs) {
      file.add(calibrated_machine(one.config), one.calibrator->calibrations());
      for (const CalibratedWork& work : one.works)
        rows.push_back({name_of(one.config), &work, &one.calibrator->calibrations().at(work)});
    }
    if (!out->is_stdout()) {
      TableOutput output = table_output(output_);
      fmt::print("{}", output.table(calibration_table(rows)));
      fmt::print("{}", output.legend(kCalibrationLegend));
    }
    out->write(file.text());
  }

 private:
  std::vector<CalibratedConfig> planned() {
    const InterruptEndsPlanning interrupt_ends_it;
    std::vector<CalibratedConfig> configs;
    for (MachineConfig& config : load_machines(machines_, output_.quiet)) {
      check_no_system(config, "calibrate");
      check_runs_exactly(config);
      configs.push_back({.config = std::move(config)});
    }
    for (CalibratedConfig& one : configs) {
      for (const std::string& collective : collectives_)
        for (const std::string& algorithm : algorithms_) add_works(collective, algorithm, one);
    }
    return configs;
  }

  // A choice among algorithms may take several of them, each for some of the sizes.
  void add_works(const std::string& collective, const std::string& algorithm,
                 CalibratedConfig& one) const {
    const Topology& topology = one.config.topology;
    WorkOptions options;
    options.items = {item_};
    options.items.front().collective = parse_collective(collective);
    options.items.front().algorithm = algorithm;
    for (std::size_t interval = grid_interval(from_); interval <= grid_interval(to_); ++interval) {
      const Plan plan = make_plan(topology, specs_of(options, topology, grid_high(interval), 1));
      std::vector<const Part*> parts;
      for (const Part& part : plan.parts) parts.push_back(&part);
      const std::optional<CalibratedWork> work = calibrated_work(topology, parts);
      if (work && std::ranges::find(one.works, *work) == one.works.end())
        one.works.push_back(*work);
    }
  }

  void measure(std::vector<CalibratedConfig>& configs) const {
    using Clock = ProgressLine::Time::clock;
    PointsProgress progress;
    for (const CalibratedConfig& one : configs) progress.all += one.works.size();
    std::optional<ProgressLine> line;
    if (!output_.quiet) line.emplace(stderr, progress_style(stderr), "calibration", Clock::now());
    for (CalibratedConfig& one : configs) {
      for (const CalibratedWork& work : one.works) {
        one.calibrator->measure(work, from_, to_);
        ++progress.complete;
        if (line) line->update(progress, Clock::now());
      }
    }
  }

  MachineStrings machine_strings_;
  OutputStrings output_strings_;
  std::vector<std::string> collectives_, algorithms_, groups_;
  std::string root_, priority_, first_ = kFirstSize, last_ = kLastSize, out_;
  MachineOptions machines_;
  OutputOptions output_;
  WorkItem item_;
  std::uint64_t from_ = 0, to_ = 0;
};

}  // namespace

CommandRow calibrate_row() {
  return {
      .name = "calibrate",
      .purpose = "Measures by exact runs what --engine flow leaves out.",
      .aliases = "calibration fit",
      .main_options = "--out --collective --algorithm -b -e --group --set",
      .examples =
          "  fredsim calibrate fred_2x2 mesh_2x2 \\\n"
          "    -e 1MiB --out small.calibration.json\n"
          "  fredsim calibrate fred_small --collective all_reduce \\\n"
          "    --algorithm ring --algorithm tree -e 256KiB --out small.calibration.json",
      .make = []() -> std::unique_ptr<Command> { return std::make_unique<CalibrateCommand>(); }};
}

}  // namespace fredsim
