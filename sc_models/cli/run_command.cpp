// SPDX-License-Identifier: Apache-2.0
// `fredsim run` and `fredsim compare`: collectives on one machine, or on several against the first.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/units.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/command_answer.h"
#include "report/breakdown_table.h"
#include "report/machine_labels.h"
#include "report/nccl_table.h"
#include "report/output_file.h"
#include "report/run_table.h"
#include "report/simulated_text.h"
#include "results/fields/run.h"
#include "results/version.h"
#include "runner/machines.h"
#include "runner/run.h"
#include "runner/run_ranks.h"
#include "runner/wave_options.h"
#include "runner/work_jobs.h"

namespace fredsim {

namespace {

bool prints_tables(const RunRequest& request) {
  return request.json_file != "-" && request.timeline_file != "-";
}

// A list per machine, also of one that runs several algorithms.
void print_notes(const std::vector<ComparedMachine>& compared, TableOutput& output) {
  std::vector<TitledList> lists;
  std::vector<const MachineConfig*> machines;
  for (const ComparedMachine& entry : compared) {
    const std::string title = notes_title(entry.config);
    auto list = std::ranges::find(lists, title, &TitledList::title);
    if (list == lists.end()) list = lists.insert(lists.end(), {title, entry.config.topology.notes});
    const auto add = [&](const std::vector<std::string>& of_plan) {
      for (const std::string& note : of_plan)
        if (std::ranges::find(list->lines, note) == list->lines.end()) list->lines.push_back(note);
    };
    for (const AnyPlan& work : entry.plans)
      std::visit([&](const auto& plan) { add(plan.notes); }, work);
    machines.push_back(&entry.config);
  }
  if (TitledList unequal = unequal_parts(machines); !unequal.lines.empty())
    lists.push_back(std::move(unequal));
  fmt::print("{}", output.lists(lists));
}

void print_parts(const std::vector<ReportedRun>& runs, TableOutput& output) {
  for (const TitledTable& parts : parts_tables(runs)) fmt::print("{}", output.table(parts));
  for (const ReportedRun& run : runs) {
    const RunResult& r = run.result;
    const std::string title =
        fmt::format("{}, {}", with_settings(r.fabric, r.settings.own), format_size(r.size_bytes));
    fmt::print("{}", breakdown_text(title, r.breakdowns, output));
  }
}

// The lines of NCCL-tests, machine after machine.
void print_nccl(const RunRequest& request, const std::vector<ComparedMachine>& compared) {
  for (const ComparedMachine& entry : compared)
    fmt::print("{}", nccl_text(entry.runs, request.work.items.front().root, version()));
}

// NCCL-tests measure one collective.
void check_nccl(const OptionTexts& texts, const RunRequest& request) {
  if (request.format != TableFormat::kNccl) return;
  if (texts.has("--work"))
    throw BadInput(fmt::format("--format: found nccl with --work; allowed: with one collective, {}",
                               nccl_collectives()));
  for (const WorkItem& item : request.work.items) {
    if (const std::string name = to_string(item.collective);
        item.collective != request.work.items.front().collective || !nccl_program(name))
      throw BadInput(fmt::format("--format: found nccl with {}; allowed: with one of {}", name,
                                 nccl_collectives()));
  }
}

std::vector<MachineRuns> runs_by_machine(const std::vector<ComparedMachine>& compared) {
  std::vector<ReportedRun> first_runs;
  std::vector<MachineRuns> machines;
  for (const ComparedMachine& entry : compared) {
    if (entry.runs.empty()) continue;
    first_runs.push_back(entry.runs.front());
    MachineRuns& machine = machines.emplace_back();
    for (const ReportedRun& run : entry.runs) machine.runs.push_back(&run.result);
  }
  const MachineLabels labels = machine_labels(first_runs);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const std::string& label = labels.labels[i];
    machines[i].machine = std::ranges::count(labels.labels, label) == 1
                              ? label
                              : fmt::format("{}, {}", label, first_runs[i].result.algorithm);
  }
  return machines;
}

// Prints the tables that need all runs, and the notes about the machines.
void print_after(const RunRequest& request, const std::vector<ComparedMachine>& compared,
                 TableOutput& output) {
  if (!request.compares) {
    const std::vector<ReportedRun>& runs = compared.front().runs;
    if (runs.empty()) return;
    fmt::print("{}", output.table(run_table(runs)));
    print_parts(runs, output);
  } else if (request.format != TableFormat::kTable) {  // separates tables that are one table there
    for (const ComparedMachine& entry : compared) print_parts(entry.runs, output);
  }
  const std::vector<MachineRuns> machines = runs_by_machine(compared);
  if (!request.is_flow) fmt::print("{}", simulated_text(machines, output));
  fmt::print("{}", operations_text(machines, output));
  fmt::print("{}", lockstep_text(machines, output));
  if (!request.quiet) print_notes(compared, output);
  if (request.format == TableFormat::kNccl) print_nccl(request, compared);
  std::fflush(stdout);  // flushes before waiting for a file
}

// Prints the tables of each size while the next size is simulated, then the tables over all sizes.
class RunPrinter final : public RunObserver {
 public:
  explicit RunPrinter(const RunRequest& request)
      : request_(request), output_(table_output(request)) {}

  void on_runs(std::span<const ReportedRun> runs) override {
    if (!request_.compares || !prints_tables(request_)) return;
    const std::vector<ReportedRun> table(runs.begin(), runs.end());
    fmt::print("{}", output_.table(compare_table(table, request_.format)));
    if (request_.format == TableFormat::kTable) print_parts(table, output_);
    std::fflush(stdout);
  }

  void on_end(const Results& results) override {
    const auto& work = std::get<WorkResults>(results);
    if (prints_tables(request_)) print_after(request_, work.machines, output_);
    for (const ComparedMachine& entry : work.machines) {
      if (entry.machine == nullptr) continue;
      const WaveRecorder* const wave = entry.machine->wave();
      if (wave != nullptr) note_wave(*wave, request_.quiet);
    }
  }

  TableOutput& output() { return output_; }

 private:
  const RunRequest& request_;
  TableOutput output_;
};

class RunCommand final : public Command {
 public:
  explicit RunCommand(bool compares) { request_.compares = compares; }

  void add_to(CLI::App& app) override {
    if (request_.compares)
      options_.add(app, request_, machines_rows(1));
    else
      options_.add(app, request_, kMachineRows);
    options_.add_given(app, kItemRows);
    options_.add_given(app, kWorkRows);
    options_.add(app, request_, kPlacementFileRows<RunRequest>, kEngineRows<RunRequest>,
                 kCalibrationRows, kSimulationRows, kTimelineRows, kSwitchRows,
                 kSkewRows<RunRequest>, seed_rows<&RunRequest::seed>(kPayloadSeed));
    options_.add(app, request_.breakdown, kBreakdownRows);
    options_.add(app, request_.series, kSeriesRows);
    options_.add(app, request_.wave, kWaveRows);
    options_.add(app, request_, kJsonRows, kNcclTableRows, kOverrideRows, kRankRows, kQuietRows,
                 kProgressRows);
    if (request_.compares) options_.add(app, request_, kBestBaseRows);
  }

  void check() override {
    options_.read();
    check_switches(request_);
    check_wave(options_.texts, request_.wave, request_.model);
    request_.work = work_options(options_.texts);
    check_nccl(options_.texts, request_);
    check_series(request_.series, request_.json_file);
    if (request_.compares && request_.machines.size() == 1) check_algorithms();
    if (request_.switch_threads > 1 && !request_.wave.file.empty()) {
      throw BadInput(
          fmt::format("--threads: found {} with --wave; allowed: 1, since one thread writes a wave "
                      "file",
                      request_.switch_threads));
    }
    if (!request_.is_flow && !request_.calibration_file.empty())
      throw BadInput(
          fmt::format("--calibration: found '{}' with --engine exact; allowed: with --engine flow",
                      request_.calibration_file));
    if (request_.is_flow) options_.refuse_with_flows();
    refuse_on_ranks("--wave", !request_.wave.file.empty());
    refuse_on_ranks("--timeline", !request_.timeline_file.empty());
    refuse_on_ranks("--breakdown", request_.breakdown.is_on);
    refuse_on_ranks("--series", request_.series.cycles > 0);
    refuse_on_ranks("--engine flow", request_.is_flow);
  }

  FileUses files() const override {
    FileUses files;
    add_machine_files(request_, files);
    add_work_files(options_.texts, request_.work, files);
    if (!request_.calibration_file.empty())
      files.inputs.push_back({"--calibration", request_.calibration_file});
    add_output("--json", request_.json_file, files);
    add_output("--progress", request_.progress_file, files);
    add_output("--write-placement", request_.placement_file, files);
    add_output("--timeline", request_.timeline_file, files);
    add_output("--series-file", request_.series.file, files);
    if (!request_.compares) add_wave_files(request_.wave, files);
    return files;
  }

  std::optional<Question> question() const override { return request_; }

  void run(const Invocation& invocation) override {
    RunPrinter printer(request_);
    answer_command(request_, invocation, printer, [&](const Results& /*answer*/) {
      if (prints_tables(request_))
        fmt::print("{}", printer.output().legend(request_.is_flow ? kFlowLegend : kTableLegend));
    });
  }

 private:
  // One machine: its algorithms are compared.
  void check_algorithms() {
    request_.algorithms = words_by_dimension(options_.texts["--algorithm"]);
    if (request_.algorithms.size() < 2)
      throw BadInput(
          "CONFIGS: found 1 machine and 1 algorithm; allowed: 2 machines or more, or several "
          "algorithms, --algorithm A,B");
    if (request_.best_base)
      throw BadInput(
          "--best-base: found beside several algorithms; allowed: with several machines");
  }

  OptionSet options_;
  RunRequest request_;
};

}  // namespace

CommandRow run_row() {
  return {.name = "run",
          .purpose = "Runs one machine and prints a line per size.",
          .aliases = "simulate sim start exec execute collective",
          .several = "compare",
          .main_options =
              "--collective --size -b -e -f --group --algorithm --engine --model "
              "--timeline --set --json --format",
          .examples =
              "  fredsim run mesh_2x2 -b 1KiB -e 64KiB -f 4\n"
              "  fredsim run fred_small --collective all_to_all --size 64KiB\n"
              "  fredsim run fred_small --size 4KiB --model lockstep",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<RunCommand>(false); },
          .runs_on_ranks = true,
          .point_results = &fields::kRunDocument};
}

CommandRow compare_row() {
  return {.name = "compare",
          .purpose = "Runs one work on machines, or by algorithms, against the first.",
          .aliases = "diff versus vs bench benchmark",
          .main_options =
              "--collective --size -b -e -f --group --algorithm --best-base --engine "
              "--timeline --set --json --format",
          .examples =
              "  fredsim compare mesh_2x2 fred_2x2 --size 16MiB\n"
              "  fredsim compare mesh_2x2 fred_2x2 -b 4KiB -e 4MiB -f 32 --format csv\n"
              "  fredsim compare mesh_2x2 --size 1MiB --algorithm ring,tree,auto",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<RunCommand>(true); },
          .runs_on_ranks = true};
}

}  // namespace fredsim
