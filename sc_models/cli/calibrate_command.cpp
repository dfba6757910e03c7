// SPDX-License-Identifier: Apache-2.0
// `fredsim calibrate`: runs the exact simulations that calibrate flows and keeps them in a file.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "collective/algorithm.h"
#include "report/output_file.h"
#include "report/table_fields.h"
#include "report/table_output.h"
#include "runner/calibrate.h"
#include "runner/interrupt.h"
#include "runner/option_values.h"

namespace fredsim {
namespace {

constexpr const char* kCalibrationLegend =
    "Exact runs that calibrate flows, and further exact runs that check them: mean and largest "
    "difference of the times, either way.";

// Collectives that are defined by a size alone.
const std::vector<std::string> kCollectives{"all_reduce", "reduce_scatter", "all_gather",
                                            "reduce",     "broadcast",      "gather",
                                            "scatter",    "all_to_all"};

TitledTable calibration_table(const std::vector<CalibratedRow>& rows) {
  using Row = CalibratedRow;
  const std::vector<Field<Row>> fields{
      {{.label = "machine", .align = Align::kLeft, .name = "machine"},
       [](const Row& row) { return row.machine; }},
      {{.label = "collective", .align = Align::kLeft, .name = "collective"},
       [](const Row& row) { return row.collective; }},
      {{.label = "algorithm", .align = Align::kLeft, .name = "algorithm"},
       [](const Row& row) { return row.algorithm; }},
      {{.label = "groups", .name = "groups"},
       [](const Row& row) { return fmt::to_string(row.groups); }},
      {{.label = "calibrated", .unit = "sizes", .name = "calibrated_sizes"},
       [](const Row& row) { return count_cell(row.calibrated_sizes); }},
      {{.label = "checked", .unit = "sizes", .name = "checked_sizes"},
       [](const Row& row) { return count_cell(row.checked_sizes); }},
      {{.label = "mean error", .unit = "%", .name = "error_mean_percent"},
       [](const Row& row) { return number_cell(row.error_mean_percent, 2); }},
      {{.label = "largest", .unit = "%", .name = "error_worst_percent"},
       [](const Row& row) { return number_cell(row.error_worst_percent, 2); }}};
  return {"", table_of(fields, rows)};
}

class CalibrateCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    using C = CalibrateCommand;
    static constexpr auto kRows = rows::under(
        headings::kWork,
        rows::text<&C::request_, &CalibrateRequest::collectives>(
            "--collective", "NAME",
            "collective to calibrate, repeatable: all_reduce, reduce_scatter, all_gather, reduce, "
            "broadcast, gather, scatter, all_to_all, multicast or unicast (default: all but the "
            "last two)",
            {.offer = "all_reduce reduce_scatter all_gather reduce broadcast gather scatter "
                      "all_to_all multicast unicast",
             .most = kAnyNumber}),
        rows::text<&C::request_, &CalibrateRequest::algorithms>(
            "--algorithm", "NAME",
            "algorithm of the collectives, repeatable (default auto). auto: all that auto takes at "
            "these sizes; paper, ",
            {.more_words = algorithm_words, .more_meaning = algorithm_names, .most = kAnyNumber}),
        rows::parsed<parse_group, &C::request_, &CalibrateRequest::item, &WorkItem::groups>(
            "--group", "RANKS",
            "members, as in run (default all); several groups run at the same time",
            {.most = kAnyNumber}),
        rows::number<&C::request_, &CalibrateRequest::item, &WorkItem::root>(
            "--root", "R", "the root's position in the group (default 0)", {.min = 0}),
        rows::parsed<parse_priority, &C::request_, &CalibrateRequest::item, &WorkItem::vc>(
            "--priority", "NAME", "virtual channel: mp, pp or dp (default)", {.offer = "mp pp dp"}),
        rows::text<&C::first_>("-b", "SIZE", "the smallest size (default 64KiB)",
                               {.initial = "64KiB"}),
        rows::text<&C::last_>("-e", "SIZE", "the largest size (default 64MiB)",
                              {.initial = "64MiB"}),
        rows::text<&C::out_>(
            "--out", "FILE",
            "file for --calibration; entries that it has already are kept; - is standard output",
            {.least = 1}));
    options_.add(app, request_,
                 machine_rows("CONFIGS",
                              "machines by name (info --machines) or their files. Settings of "
                              "their own: FILE@KEY.PATH=VALUE,KEY.PATH=VALUE",
                              1, kAnyNumber));
    options_.add(app, *this, kRows);
    options_.add(app, request_, kTableRows);
    options_.add(app, request_, kOverrideRows);
    options_.add(app, request_, kQuietRows);
  }

  void check() override {
    options_.read();
    if (request_.collectives.empty()) request_.collectives = kCollectives;
    if (request_.algorithms.empty()) request_.algorithms = {"auto"};
    for (const std::string& name : request_.collectives) {
      if (parse_collective(name) == Collective::kAllToAllV)
        throw BadInput(
            fmt::format("--collective: found '{}'; allowed: collectives whose bytes follow from a "
                        "size",
                        name));
    }
    for (const std::string& name : request_.algorithms) check_algorithm(name);
    if (request_.item.groups.empty()) request_.item.groups.emplace_back();
    request_.from = parse_collective_size(first_, "-b");
    request_.to = parse_collective_size(last_, "-e");
    if (request_.from > request_.to)
      throw BadInput(
          fmt::format("-e: found {}; allowed: the size of -b, {}, or more", last_, first_));
  }

  FileUses files() const override {
    FileUses files;
    add_machine_files(request_, files);
    add_output("--out", out_, files);
    return files;
  }

  void run(const Invocation&) override {
    interrupt_flag();
    CalibrationFile file = calibrations_to_add_to("--out", out_);
    const std::optional<OutputFile> out = open_output("--out", out_);
    const std::vector<CalibratedRow> rows = calibrate(request_, file);
    if (!out->is_stdout()) {
      TableOutput output = table_output(request_);
      fmt::print("{}", output.table(calibration_table(rows)));
      fmt::print("{}", output.legend(kCalibrationLegend));
    }
    out->write(file.text());
  }

 private:
  OptionSet options_;
  std::string first_, last_, out_;
  CalibrateRequest request_;
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
