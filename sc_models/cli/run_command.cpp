#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/best_base.h"
#include "cli/commands.h"
#include "cli/group_members.h"
#include "cli/interrupt.h"
#include "cli/job_runner.h"
#include "cli/machine_word.h"
#include "cli/memory_check.h"
#include "cli/option_values.h"
#include "cli/program_name.h"
#include "cli/switch_pattern.h"
#include "cli/timeline_output.h"
#include "cli/wave_arguments.h"
#include "engine/machine.h"
#include "engine/work_run.h"
#include "fabric/layout.h"
#include "report/breakdown_table.h"
#include "report/json.h"
#include "report/machine_labels.h"
#include "report/output_file.h"
#include "report/progress.h"
#include "report/run_table.h"
#include "report/simulated_text.h"
#include "results/timeline.h"
#include "results/version.h"
#include "topology/faults.h"

namespace fredsim {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view kTimelineShares = ", half of them packets and additions";
constexpr std::string_view kTimelineHint = "a smaller --size or --timeline-level shows all";

// One machine of the command: its plans, one per size, of a work with order or of another, and what came out of them.
struct ComparedMachine {
  MachineConfig config;
  WorkOptions work;  // as asked for; of --best-base with algorithms and a placement of its own
  bool is_best_base = false;
  std::vector<Plan> plans{};
  std::vector<WorkPlan> ordered{};
  std::unique_ptr<Machine> machine{};
  std::vector<ReportedRun> runs{};
};

// As on the command line.
std::string word_of(const MachineConfig& config) {
  return with_settings(config.path, config.settings.own);
}

void check_same_npus(const MachineConfig& base, const MachineConfig& other) {
  const std::size_t expected = npus_left(base.topology).size();
  const std::size_t found = npus_left(other.topology).size();
  if (found != expected) {
    throw BadInput(
        fmt::format("{}: found {} NPUs; allowed: {}, as many as the base {} has, since both "
                    "do the same work (or name the ranks with --group)",
                    word_of(other), found, expected, word_of(base)));
  }
}

void check_same_controllers(const MachineConfig& base, const MachineConfig& other) {
  const std::size_t expected = io_controllers_left(base.topology).size();
  const std::size_t found = io_controllers_left(other.topology).size();
  if (found != expected) {
    throw BadInput(
        fmt::format("{}: found {} I/O controllers; allowed: {}, as many as the base {} has, since "
                    "both do the same "
                    "work (or name them with --group)",
                    word_of(other), found, expected, word_of(base)));
  }
}

// What an action on a machine throws, with the machine as typed where several have its name.
template <class Action>
auto named(const MachineConfig& config, bool shares_name, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (!shares_name) throw;
    throw Error(error.code(), fmt::format("{}: {}", word_of(config), error.what()));
  }
}

// "all_reduce of 1 MiB", or of the first of several.
std::string work_name(Collective collective, std::uint64_t bytes, std::size_t parts) {
  return fmt::format("{} of {}{}", to_string(collective), format_size(bytes),
                     parts > 1 ? fmt::format(" and {} more", parts - 1) : "");
}

std::vector<ComparedMachine> machines_of(const Options& options) {
  std::vector<ComparedMachine> compared;
  for (MachineConfig& config : load_machines(options)) {
    compared.push_back({.config = std::move(config), .work = {}});
    if (options.best_base && compared.size() == 1)
      compared.push_back(
          {.config = best_of(compared.front().config), .work = {}, .is_best_base = true});
  }
  return compared;
}

void write_placements(const Options& options, const std::vector<ComparedMachine>& compared) {
  if (options.placement_file.empty()) return;
  std::vector<NamedPlacement> placements;
  for (const ComparedMachine& entry : compared) {
    const Topology& topology = entry.config.topology;
    placements.push_back(
        {topology.name, npus_of(entry.work.placement, entry.work.strategy, topology)});
  }
  write_placements(options, placements);
}

// Everything that can be wrong with the input is found here, before the first cycle is simulated.
std::vector<ComparedMachine> plan_work(const Options& options) {
  const InterruptEndsPlanning interrupt_ends_it;
  std::vector<ComparedMachine> compared = machines_of(options);
  std::map<std::string, int> names;
  for (const ComparedMachine& entry : compared) ++names[entry.config.topology.name];
  const auto shares_name = [&](const ComparedMachine& entry) {
    return names[entry.config.topology.name] > 1;
  };
  for (ComparedMachine& entry : compared) {
    entry.work = named(entry.config, shares_name(entry), [&] {
      return work_on(options.work, entry.config.topology, options.seed, entry.is_best_base);
    });
    if (options.best_base) entry.work.is_placed = true;  // all say where their workers are
  }
  const auto specs = [&](const ComparedMachine& entry, std::uint64_t size) {
    return named(entry.config, shares_name(entry),
                 [&] { return specs_of(entry.work, entry.config.topology, size, options.seed); });
  };
  std::vector<PlannedWork> work;
  std::uint64_t nodes = 0;
  for (const ComparedMachine& entry : compared) {
    const MachineConfig& config = entry.config;
    if (options.work.whole_machine()) check_same_npus(compared.front().config, config);
    if (names_all_controllers(options.work))
      check_same_controllers(compared.front().config, config);
    nodes += config.topology.nodes.size();
    for (const std::uint64_t size : options.work.sizes) {
      const std::vector<CollectiveSpec> asked = specs(entry, size);
      const CollectiveSpec& first = asked.front();
      work.push_back({fmt::format("{}, {}", name_of(config),
                                  work_name(first.collective, first.bytes, asked.size())),
                      plan_size(config.topology, asked)});
    }
  }
  check_memory(work, nodes, available_memory());
  for (ComparedMachine& entry : compared) {
    const MachineConfig& config = entry.config;
    for (const std::uint64_t size : options.work.sizes) {
      named(config, shares_name(entry), [&] {
        if (options.work.has_order()) {
          entry.ordered.push_back(
              plan_steps(config.topology, steps_of(entry.work, config.topology, size, options.seed),
                         options.work.on_conflict));
        } else {
          entry.plans.push_back(
              make_plan(config.topology, specs(entry, size), options.work.on_conflict));
        }
      });
    }
  }
  write_placements(options, compared);
  std::vector<const Topology*> topologies;
  topologies.reserve(compared.size());
  for (const ComparedMachine& entry : compared) topologies.push_back(&entry.config.topology);
  if (!options.wave.file.empty()) {
    check_instance_pattern("--wave-scope", options.wave.scope, topologies);
  }
  if (!options.rtl_instances.empty()) {
    check_switch_pattern("--rtl-instances", options.rtl_instances, topologies);
  }
  return compared;
}

// Machines of one name and settings are told apart by their files, those of one file by their number.
std::string timeline_name(const std::vector<ComparedMachine>& compared, std::size_t i) {
  const MachineConfig& config = compared[i].config;
  const auto alike = [&](bool by_file) {
    return std::ranges::count_if(compared, [&](const ComparedMachine& other) {
      return name_of(other.config) == name_of(config) &&
             (!by_file || other.config.path == config.path);
    });
  };
  std::string name = name_of(config);
  if (alike(false) > 1) name += fmt::format(" ({})", config.path);
  if (alike(true) > 1) name += fmt::format(" #{}", i + 1);
  return name;
}

// By machine, empty for those without one.
std::vector<std::string> wave_files(const Options& options,
                                    const std::vector<ComparedMachine>& compared) {
  std::vector<std::string> files;
  for (const ComparedMachine& entry : compared) {
    const Topology& topology = entry.config.topology;
    std::string& file = files.emplace_back();
    if (options.wave.file.empty() || !matches_instance(options.wave.scope, topology)) continue;
    std::string own = options.wave.file;
    if (compared.size() > 1) own = wave_file_of(own, topology.name);
    for (int n = 2; std::ranges::count(files, own) > 0; ++n) {  // machines of the same name
      own = wave_file_of(options.wave.file, fmt::format("{}.{}", topology.name, n));
    }
    file = own;
  }
  return files;
}

void check_waves(const Options& options, const std::vector<std::string>& files) {
  std::vector<FileUse> outputs = options.outputs;
  for (const std::string& file : files) {
    if (file.empty()) continue;
    const std::vector<FileUse> wave = wave_uses(file);
    outputs.insert(outputs.end(), wave.begin(), wave.end());
  }
  check_outputs(options.inputs, outputs);
}

// Parts that go ahead by themselves (Machine::run()), which takes that nobody looks at single edges.
Cut cut_for(const Topology& topology, const FabricOptions& options) {
  const bool is_looked_at =
      options.timeline != nullptr || options.breakdown.is_on || !options.wave.file.empty();
  return is_looked_at || options.switch_threads > 1 ? Cut{} : cut_for_caches(topology);
}

// `timeline`: null where none is asked for.
void elaborate(const Options& options, std::vector<ComparedMachine>& compared, Timeline* timeline) {
  const FabricOptions fabric{.model = options.model,
                             .rtl_instances = options.rtl_instances,
                             .lanes = options.lanes,
                             .seed = options.seed,
                             .timeout_cycles = options.timeout_cycles,
                             .skip = options.skip,
                             .wave = {},
                             .own_contexts = options.switch_threads > 1,
                             .switch_threads = options.switch_threads,
                             .stop = &interrupt_flag(),
                             .timeline = timeline,
                             .timeline_level = options.timeline_level,
                             .timeline_name = {},
                             .breakdown = options.breakdown};
  const std::vector<std::string> waves = wave_files(options, compared);
  if (options.command == Command::kCompare) check_waves(options, waves);
  std::vector<FabricOptions> own(compared.size(), fabric);
  std::vector<NeededSwitch> needed;  // of all machines: one message for what is missing
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (!waves[i].empty()) {
      own[i].wave = options.wave;
      own[i].wave.file = waves[i];
    }
    own[i].timeline_name = timeline_name(compared, i);
    if (compared[i].ordered.empty()) own[i].cut = cut_for(compared[i].config.topology, own[i]);
    std::ranges::move(needed_rtl(compared[i].config.topology, own[i]), std::back_inserter(needed));
  }
  check_switch_threads(options.switch_threads, !needed.empty());
  require_built(needed);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const std::string name = fmt::format("machine{}", i);
    compared[i].machine =
        std::make_unique<Machine>(name.c_str(), compared[i].config.topology, own[i]);
  }
}

std::optional<WorkersResult> workers_of(const WorkOptions& work, const Topology& topology) {
  if (!work.is_placed) return std::nullopt;
  WorkersResult workers{.placement = work.placement.name(),
                        .npus = npus_of(work.placement, work.strategy, topology),
                        .strategy = {},
                        .dimensions = {}};
  if (work.strategy) workers.strategy = to_string(*work.strategy);
  for (const Dimension dimension : work.dimensions) {
    workers.dimensions.push_back(to_string(dimension));
  }
  return workers;
}

std::string work_name(const ComparedMachine& entry, std::size_t size) {
  if (!entry.ordered.empty()) {
    const std::vector<WorkStep>& steps = entry.ordered[size].steps;
    std::size_t specs = 0;
    for (const WorkStep& step : steps) specs += step.specs.size();
    const CollectiveSpec& first = steps.front().specs.front();
    return work_name(first.collective, first.bytes, specs);
  }
  const std::vector<Part>& parts = entry.plans[size].parts;
  return work_name(parts.front().collective, parts.front().bytes, parts.size());
}

// `size`: place of the run's size.
RunResult run_job(const ComparedMachine& entry, std::size_t size, bool show_progress) {
  const std::string job = fmt::format("{}, {}", name_of(entry.config), work_name(entry, size));
  std::optional<ProgressLine> line;
  std::function<void(const Progress&)> on_progress;
  if (show_progress) {
    line.emplace(stderr, progress_style(stderr), job, SteadyClock::now());
    const double ns_per_cycle = 1e9 / static_cast<double>(entry.config.topology.clock_hz);
    on_progress = [&line, ns_per_cycle](const Progress& p) {
      const auto delivered = static_cast<double>(p.bytes_delivered);
      line->update(
          {.cycle = p.cycle,
           .time_ns = static_cast<double>(p.cycle) * ns_per_cycle,
           .bytes_delivered = p.bytes_delivered,
           .share = delivered / static_cast<double>(std::max(p.bytes_total, std::uint64_t{1}))},
          SteadyClock::now());
    };
  }
  try {
    RunResult result = entry.ordered.empty()
                           ? entry.machine->run(entry.plans[size], on_progress)
                           : run_work(*entry.machine, entry.ordered[size], on_progress);
    result.config = entry.config.path;
    result.settings = entry.config.settings;
    result.machine = entry.config.keys;
    result.layout = layout_of(entry.config.topology);
    return result;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", job, error.what()));
  }
}

bool prints_tables(const Options& options) {
  return options.json_file != "-" && options.timeline_file != "-";
}

void print_notes(const std::vector<ComparedMachine>& compared, TableOutput& output) {
  std::vector<TitledList> lists;
  for (const ComparedMachine& entry : compared) {
    std::vector<std::string> notes = entry.config.topology.notes;
    std::set<std::string> seen;  // by another size already
    const auto add = [&](const std::vector<std::string>& of_plan) {
      for (const std::string& note : of_plan) {
        if (seen.insert(note).second) notes.push_back(note);
      }
    };
    for (const Plan& plan : entry.plans) add(plan.notes);
    for (const WorkPlan& work : entry.ordered) add(work.notes);
    lists.push_back({notes_title(entry.config), std::move(notes)});
  }
  fmt::print("{}", output.lists(lists));
  std::fflush(stdout);
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

// The base in `table`, its best self there too or `run`.
double over_best(const std::vector<ReportedRun>& table, const ReportedRun& run) {
  double speedup = run.comparison->speedup;
  if (table.size() > 1)
    speedup = std::min(speedup, compare_to_base(table[1].result, run.result).speedup);
  return run.is_best_base ? std::min(speedup, 1.0) : speedup;
}

// All machines at one size after the other, so that the first figures are there soon. Ends early when
// interrupted, with an incomplete run if it was under way.
void run_jobs(const Options& options, std::vector<ComparedMachine>& compared, TableOutput& output) {
  const bool prints = options.command == Command::kCompare && prints_tables(options);
  for (std::size_t s = 0; s < options.work.sizes.size(); ++s) {
    std::vector<ReportedRun> table;
    for (ComparedMachine& entry : compared) {
      if (interrupt_flag()) break;
      ReportedRun run{.result = run_job(entry, s, !options.quiet), .comparison = std::nullopt};
      run.result.workers = workers_of(entry.work, entry.config.topology);
      run.is_best_base = entry.is_best_base;
      if (!table.empty() && !run.result.incomplete) {
        run.comparison = compare_to_base(table.front().result, run.result);
        if (options.best_base) run.speedup_best_base = over_best(table, run);
      }
      entry.runs.push_back(run);
      table.push_back(std::move(run));
    }
    if (prints && !table.empty()) {
      fmt::print("{}", output.table(compare_table(table, options.format)));
      if (options.format == TableFormat::kTable) print_parts(table, output);
      std::fflush(stdout);
    }
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
  for (std::size_t i = 0; i < machines.size(); ++i) machines[i].machine = labels.labels[i];
  return machines;
}

// What could not be printed while runs were still to come.
void print_after(const Options& options, const std::vector<ComparedMachine>& compared,
                 TableOutput& output) {
  if (options.command == Command::kRun) {
    const std::vector<ReportedRun>& runs = compared.front().runs;
    if (runs.empty()) return;
    fmt::print("{}", output.table(run_table(runs)));
    print_parts(runs, output);
  } else if (options.format != TableFormat::kTable) {  // between tables that are one there
    for (const ComparedMachine& entry : compared) print_parts(entry.runs, output);
  }
  const std::vector<MachineRuns> machines = runs_by_machine(compared);
  fmt::print("{}{}", simulated_text(machines, output), operations_text(machines, output));
  std::fflush(stdout);  // before a file is waited for
}

void finish_waves(std::vector<ComparedMachine>& compared) {
  for (ComparedMachine& entry : compared)
    if (WaveRecorder* const wave = entry.machine->wave()) wave->finish();
}

}  // namespace

void run_command(const Options& options) {
  interrupt_flag();
  std::optional<OutputFile> json;
  if (!options.json_file.empty()) json.emplace(options.json_file, "--json", &interrupt_flag());
  std::optional<OutputFile> timeline_file;
  if (!options.timeline_file.empty())
    timeline_file.emplace(options.timeline_file, "--timeline", &interrupt_flag());
  std::vector<ComparedMachine> compared = plan_work(options);
  Timeline timeline;
  elaborate(options, compared, timeline_file ? &timeline : nullptr);
  const bool prints = prints_tables(options);
  TableOutput output(options.format, terminal_style(stdout));
  if (prints && !options.quiet) print_notes(compared, output);

  JobRunner runner("jobs", [&] { run_jobs(options, compared, output); });
  sc_core::sc_start();
  if (prints) print_after(options, compared, output);  // what was done before a failure, too
  for (ComparedMachine& entry : compared) {
    const WaveRecorder* const wave = entry.machine->wave();
    if (wave != nullptr) note_wave(*wave, options.quiet);
  }
  try {
    runner.finish();
  } catch (const Error& error) {
    if (timeline_file && error.code() == ExitCode::kFailed)
      write_timeline(*timeline_file, timeline, kTimelineShares,
                     kTimelineHint);  // until the failure
    throw;
  }
  finish_waves(compared);
  if (prints && !options.quiet) {
    fmt::print("{}", output.legend(kTableLegend));
  }

  std::vector<ReportedRun> runs;
  for (const ComparedMachine& entry : compared) {
    runs.insert(runs.end(), entry.runs.begin(), entry.runs.end());
  }
  if (json) json->write(results_json(origin_of(options.command_line), runs));
  if (timeline_file) write_timeline(*timeline_file, timeline, kTimelineShares, kTimelineHint);
  const auto complete = static_cast<std::size_t>(
      std::ranges::count_if(runs, [](const ReportedRun& run) { return !run.result.incomplete; }));
  const std::size_t asked = compared.size() * options.work.sizes.size();
  if (complete < asked) {
    throw Interrupted(fmt::format("interrupted: {} of {} runs complete", complete, asked));
  }
}

}  // namespace fredsim
