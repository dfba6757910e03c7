#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>
#include <span>
#include <system_error>

#include "base/error.h"
#include "base/suggest.h"
#include "cli/add_option.h"
#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/machine_word.h"
#include "cli/option_values.h"
#include "cli/parse_problem.h"
#include "cli/program_name.h"
#include "cli/spelling.h"
#include "cli/trace_output.h"
#include "cli/traffic_arguments.h"
#include "cli/wave_arguments.h"
#include "results/version.h"

namespace fredsim {

namespace {

// Option strings as CLI11 collects them.
struct OptionStrings {
  std::vector<std::string> configs, overrides, faults;
  WorkStrings work;
  TrainStrings train;
  std::string model = "tlm";
  std::string rtl_instances;
  std::string lanes = "1";
  std::string threads = "1";
  std::string seed = "1";
  std::string timeout_cycles;
  std::string json;
  std::string format = "table";
  WaveStrings wave;
  std::string timeline, timeline_level;
  std::string placement_file;
  bool best_base = false;
  bool breakdown = false;
  std::string trace_packets;
  bool quiet = false;
  bool lists_parts = false;
  bool no_skip = false;
  TrafficStrings traffic;
  RouteStrings route;
  ConflictStrings conflicts;
  StrategyStrings strategies;
  std::vector<std::string> results;
  std::string page = "report.html";
};

constexpr const char* kMachineWord =
    "machine file, or with settings of its own FILE@KEY.PATH=VALUE,KEY.PATH=VALUE";

void add_overrides(CLI::App& command, OptionStrings& strings) {
  add(command, "--set", strings.overrides, "KEY.PATH=VALUE",
      "overrides a key of the machine files that have it");
  add(command, "--fault", strings.faults, "PART",
      "lost: link:NAME, link:NAME*RATE, switch:NAME, npu:3 or io:3, names as info --parts has "
      "them");
}

void add_json(CLI::App& command, OptionStrings& strings) {
  add(command, "--json", strings.json, "FILE", "all results; - is standard output");
}

void add_format(CLI::App& command, OptionStrings& strings) {
  add(command, "--format", strings.format, "NAME",
      "of the tables: table (default), csv (all columns, nothing else) or markdown");
}

void add_quiet(CLI::App& command, OptionStrings& strings) {
  command.add_flag("--quiet", strings.quiet, "only the results: no progress, no notes");
}

void add_model(CLI::App& command, OptionStrings& strings) {
  add(command, "--model", strings.model, "NAME",
      "implementation of the switches: tlm (default, C++ twins), rtl (Verilated) or lockstep "
      "(both, compared)");
  add(command, "--rtl-instances", strings.rtl_instances, "GLOB",
      "switches that are RTL where --model is another: a pattern on names such as 'l1_*'");
}

// What every command that simulates has.
void add_run_options(CLI::App& command, OptionStrings& strings, const char* seed_meaning) {
  add_model(command, strings);
  add(command, "--seed", strings.seed, "N", seed_meaning);
  command.add_flag("--breakdown", strings.breakdown,
                   "where packets' cycles went, by stage of the way and cause");
  add(command, "--trace-packets", strings.trace_packets, "N",
      "with --breakdown: the N slowest packets node by node; first:N for the first ones");
  strings.wave.add_to(command);
  add_json(command, strings);
  add_format(command, strings);
  add_overrides(command, strings);
  add_quiet(command, strings);
}

constexpr const char* kPayloadSeed = "of the payload, and of searched placements (default 1)";

void add_placement_file(CLI::App& command, OptionStrings& strings) {
  add(command, "--write-placement", strings.placement_file, "FILE",
      "where the workers are, as --placement reads it; of several machines, one file each");
}

// What commands that run collectives have.
void add_collective_options(CLI::App& command, OptionStrings& strings) {
  add(command, "--lanes", strings.lanes, "N",
      "FP16 lanes of each flit carried and verified, 1 to 256 (default 1); no effect on time");
  add(command, "--timeout-cycles", strings.timeout_cycles, "N", "a longer run fails");
  add(command, "--threads", strings.threads, "N",
      "with --model rtl or lockstep: threads that step the switches (default 1); same results");
  command.add_flag("--no-skip", strings.no_skip,
                   "simulates idle cycles and periods that repeat, too; same results");
}

void add_train_options(CLI::App& command, OptionStrings& strings) {
  strings.train.add_to(command);
  add_placement_file(command, strings);
  add_collective_options(command, strings);
  add_model(command, strings);
  add(command, "--seed", strings.seed, "N", kPayloadSeed);
  add(command, "--timeline", strings.timeline, "FILE.json",
      "what each NPU computed and communicated when, for ui.perfetto.dev and chrome://tracing");
  add_json(command, strings);
  add_format(command, strings);
  add_overrides(command, strings);
  add_quiet(command, strings);
}

void add_work_options(CLI::App& command, OptionStrings& strings) {
  strings.work.add_to(command);
  add_placement_file(command, strings);
  add_collective_options(command, strings);
  add(command, "--timeline", strings.timeline, "FILE.json",
      "what happened when, for ui.perfetto.dev and chrome://tracing");
  add(command, "--timeline-level", strings.timeline_level, "N",
      "0 parts and phases, 1 (default) steps, links and stalls, 2 packets at NPUs, 3 additions, "
      "packets on links");
  add_run_options(command, strings, kPayloadSeed);
}

constexpr std::uint64_t kMostListed = 10'000;
constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

void check_run_options(const OptionStrings& strings, Options& options) {
  options.model = parse_model(strings.model);
  options.rtl_instances = strings.rtl_instances;
  if (!strings.rtl_instances.empty() && options.model == SwitchModel::kRtl) {
    throw BadInput(
        fmt::format("--rtl-instances: found '{}', but with --model rtl every switch runs "
                    "as RTL; allowed: leave it out",
                    strings.rtl_instances));
  }
}

void check_collective_options(const OptionStrings& strings, Options& options) {
  options.lanes = static_cast<int>(parse_number(strings.lanes, "--lanes", 1, kFlitLanes));
  if (!strings.timeout_cycles.empty()) {
    options.timeout_cycles = parse_number(strings.timeout_cycles, "--timeout-cycles", 1, kMax);
  }
  options.skip = !strings.no_skip;
  options.switch_threads =
      static_cast<int>(parse_number(strings.threads, "--threads", 1, kMaxThreads));
  if (options.switch_threads > 1 && !options.wave.file.empty()) {
    throw BadInput(
        fmt::format("--threads: found {} with --wave; allowed: 1, since one thread writes a wave "
                    "file",
                    options.switch_threads));
  }
}

BreakdownOptions checked_breakdown(const OptionStrings& strings) {
  BreakdownOptions breakdown{.is_on = strings.breakdown};
  if (strings.trace_packets.empty()) return breakdown;
  if (!strings.breakdown) {
    throw BadInput(fmt::format(
        "--trace-packets: found '{}' without --breakdown; allowed: together with --breakdown",
        strings.trace_packets));
  }
  constexpr std::string_view kFirst = "first:";
  std::string number = strings.trace_packets;
  breakdown.lists_first = number.starts_with(kFirst);
  if (breakdown.lists_first) number.erase(0, kFirst.size());
  breakdown.listed =
      static_cast<std::size_t>(parse_number(number, "--trace-packets", 1, kMostListed));
  return breakdown;
}

// What looks at every edge of all nodes leaves threads nothing to do by themselves.
void check_threads(const Options& options) {
  if (options.traffic.threads == 1) return;
  for (const auto& [option, is_on] : {std::pair("--wave", !options.wave.file.empty()),
                                      std::pair("--breakdown", options.breakdown.is_on)}) {
    if (!is_on) continue;
    throw BadInput(
        fmt::format("--threads: found {} with {}; allowed: 1, since it looks at every cycle",
                    options.traffic.threads, option));
  }
}

Options checked(Command command, const OptionStrings& strings) {
  Options options;
  options.command = command;
  for (const std::string& word : strings.configs)
    options.machines.push_back(parse_machine_word(word));
  options.overrides = strings.overrides;
  options.faults = strings.faults;
  options.lists_parts = strings.lists_parts;
  options.json_file = strings.json;
  options.placement_file = strings.placement_file;
  options.format = parse_format(strings.format);
  options.quiet = strings.quiet;
  if (command == Command::kReport) {
    options.result_files = strings.results;
    options.page_file = strings.page;
    return options;
  }
  if (command == Command::kInfo) return options;
  if (command == Command::kRoute) {
    options.route = strings.route.checked();
    return options;
  }
  if (command == Command::kStrategies) {
    options.strategies = strings.strategies.checked();
    return options;
  }
  options.seed = parse_number(strings.seed, "--seed", 0, kMax);
  if (command == Command::kConflicts) {
    options.conflicts = strings.conflicts.checked();
    return options;
  }
  check_run_options(strings, options);
  if (command == Command::kTrain) {
    check_collective_options(strings, options);
    options.train = strings.train.checked(strings.configs);
    const TrainOptions::Source source = options.train.source;
    if (!options.placement_file.empty() && source != TrainOptions::Source::kBuiltIn &&
        source != TrainOptions::Source::kModelFile)
      throw BadInput(
          fmt::format("--write-placement: found '{}'; allowed: with a model, whose workers are "
                      "placed",
                      options.placement_file));
    options.timeline_file = strings.timeline;
    return options;
  }
  options.breakdown = checked_breakdown(strings);
  options.wave = strings.wave.checked();
  check_trigger(options.wave, options.model);
  if (command == Command::kTraffic) {
    options.rates = strings.traffic.checked_rates();
    options.traffic = strings.traffic.checked(options.seed);
    check_threads(options);
    return options;
  }
  options.work = strings.work.checked();
  options.best_base = strings.best_base;
  check_collective_options(strings, options);
  options.timeline_file = strings.timeline;
  if (!strings.timeline_level.empty()) {
    if (strings.timeline.empty()) {
      throw BadInput(
          fmt::format("--timeline-level: found '{}' without --timeline; allowed: together with "
                      "--timeline FILE.json",
                      strings.timeline_level));
    }
    options.timeline_level =
        static_cast<int>(parse_number(strings.timeline_level, "--timeline-level", 0, 3));
  }
  return options;
}

// Those of all ranks, and the next one, which would be read as one of them from then on.
void list_traces(const std::string& prefix, std::vector<FileUse>& inputs) {
  for (std::size_t rank = 0;; ++rank) {
    const std::string path = trace_file(prefix, rank);
    inputs.push_back({"--trace", prefix, path});
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return;
  }
}

void list_files(const OptionStrings& strings, Options& options) {
  for (const MachineFile& file : options.machines) options.inputs.push_back({"CONFIG", file.path});
  for (const std::string& path : options.result_files) options.inputs.push_back({"RESULTS", path});
  if (!strings.work.work.empty()) options.inputs.push_back({"--work", strings.work.work});
  const TrainOptions& train = options.train;
  if (train.source == TrainOptions::Source::kModelFile ||
      train.source == TrainOptions::Source::kText)
    options.inputs.push_back({"--workload", train.workload});
  if (train.source == TrainOptions::Source::kTraces) list_traces(train.workload, options.inputs);
  if (!train.comm_groups.empty()) options.inputs.push_back({"--comm-groups", train.comm_groups});
  if (!strings.work.matrix.empty()) options.inputs.push_back({"--matrix", strings.work.matrix});
  for (const Placement& placement : {options.work.placement, options.strategies.placement,
                                     train.placement.value_or(Placement{})}) {
    if (placement.kind != Placement::Kind::kFile) continue;
    options.inputs.push_back({"--placement", placement.path});
  }
  if (!options.json_file.empty()) options.outputs.push_back({"--json", options.json_file});
  if (!train.export_prefix.empty()) {
    options.outputs.push_back({"--export-et", groups_file(train.export_prefix)});
    options.outputs.push_back({"--export-et", trace_file(train.export_prefix, 0)});
  }
  if (!options.placement_file.empty())
    options.outputs.push_back({"--write-placement", options.placement_file});
  if (!options.timeline_file.empty()) {
    options.outputs.push_back({"--timeline", options.timeline_file});
  }
  if (!options.page_file.empty()) options.outputs.push_back({"--output", options.page_file});
  if (!options.wave.file.empty() && options.command != Command::kCompare) {
    const std::vector<FileUse> wave = wave_uses(options.wave.file);
    options.outputs.insert(options.outputs.end(), wave.begin(), wave.end());
  }
}

std::string command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return join_words(std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace

std::optional<Options> parse_command_line(int argc, const char* const* argv) {
  CLI::App app(
      "Cycle-accurate collectives and traffic on a wafer-scale interconnect: FRED against a 2D "
      "mesh.",
      program_name());
  app.formatter(help_formatter());
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", version_text());
  app.footer(
      "Exit codes: 0 done and payload verified, 1 payload wrong or run failed, 2 bad input, "
      "3 routing conflict, 130 interrupted.\n\n" +
      std::string(program_name()) +
      " help COMMAND says what a command takes, with examples. A first one:\n"
      "  build/fredsim compare configs/mesh_2x2.yaml configs/fred_small.yaml \\\n"
      "    --size 64KiB");

  OptionStrings strings;
  CLI::App* run = app.add_subcommand("run", "Runs one machine and prints a line per size.");
  run->add_option("CONFIG", strings.configs, kMachineWord)->required()->expected(1)->type_name("");
  add_work_options(*run, strings);

  CLI::App* compare =
      app.add_subcommand("compare", "Runs the same work on several machines against the first.");
  compare
      ->add_option("CONFIGS", strings.configs, fmt::format("{}; the baseline first", kMachineWord))
      ->required()
      ->type_name("")
      ->expected(2, CLI::detail::expected_max_vector_size);
  add_work_options(*compare, strings);
  compare->add_flag("--best-base", strings.best_base,
                    "the base once more, as well as it can: --algorithm auto and --placement auto; "
                    "speed-ups over both");

  CLI::App* train = app.add_subcommand(
      "train", "Training iterations of a model on several machines against the first.");
  train->add_option("CONFIGS", strings.configs, fmt::format("{}; the baseline first", kMachineWord))
      ->required()
      ->type_name("")
      ->expected(1, CLI::detail::expected_max_vector_size);
  add_train_options(*train, strings);

  CLI::App* traffic = app.add_subcommand(
      "traffic", "Latency and throughput of one machine under synthetic traffic, a line per rate.");
  traffic->add_option("CONFIG", strings.configs, kMachineWord)
      ->required()
      ->expected(1)
      ->type_name("");
  strings.traffic.add_to(*traffic);
  add_run_options(*traffic, strings, "of creation times and destinations (default 1)");

  CLI::App* info = app.add_subcommand("info", "Prints what a machine file builds.");
  info->add_option("CONFIG", strings.configs, kMachineWord)->required()->expected(1)->type_name("");
  add_overrides(*info, strings);
  info->add_flag("--parts", strings.lists_parts,
                 "only the names of what --fault can take, one a line");

  CLI::App* route = app.add_subcommand(
      "route", "Routes flows through one Fred switch: colours, µSwitch settings, phase row.");
  strings.route.add_to(*route);
  add_json(*route, strings);

  CLI::App* conflicts = app.add_subcommand(
      "conflicts", "How often random sets of flows have no routing through one Fred switch.");
  strings.conflicts.add_to(*conflicts);
  add(*conflicts, "--seed", strings.seed, "N", "of the random sets (default 1)");
  add_json(*conflicts, strings);
  add_format(*conflicts, strings);
  add_quiet(*conflicts, strings);

  CLI::App* strategies = app.add_subcommand(
      "strategies", "Which MP x DP x PP strategies the switches of a machine can route.");
  strategies->add_option("CONFIG", strings.configs, kMachineWord)
      ->required()
      ->expected(1)
      ->type_name("");
  strings.strategies.add_to(*strategies);
  add_json(*strategies, strings);
  add_format(*strategies, strings);
  add_overrides(*strategies, strings);
  add_quiet(*strategies, strings);

  CLI::App* report = app.add_subcommand(
      "report", "Draws results as one page for a browser: curves, link load on the wafer, stalls.");
  report
      ->add_option("RESULTS", strings.results,
                   "JSON of run, compare, train, traffic or conflicts, or of "
                   "scripts/microarchitectures.sh")
      ->required()
      ->type_name("")
      ->expected(1, CLI::detail::expected_max_vector_size);
  add(*report, "-o,--output", strings.page, "FILE.html",
      "the page (default report.html); - is standard output");

  CLI::App* help = app.add_subcommand("help", "Prints what --help prints, of a command or of all.");
  std::string topic;
  help->add_option("COMMAND", topic, "a command (default: all in short)")->type_name("");

  add_examples(app);
  if (argc < 2) {
    throw BadInput(fmt::format("command: found none; allowed: {}", command_names(app)));
  }
  const auto words = std::span(argv, static_cast<std::size_t>(argc)).subspan(1);
  try {
    check_spelling(app, words);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return std::nullopt;
    }
    throw BadInput(parse_problem(app));
  }
  if (help->parsed()) {
    std::vector<const char*> asked{*argv};
    if (!topic.empty()) asked.push_back(topic.c_str());
    asked.push_back("--help");
    return parse_command_line(static_cast<int>(asked.size()), asked.data());
  }
  const Command command = run->parsed()          ? Command::kRun
                          : compare->parsed()    ? Command::kCompare
                          : train->parsed()      ? Command::kTrain
                          : traffic->parsed()    ? Command::kTraffic
                          : route->parsed()      ? Command::kRoute
                          : conflicts->parsed()  ? Command::kConflicts
                          : report->parsed()     ? Command::kReport
                          : strategies->parsed() ? Command::kStrategies
                                                 : Command::kInfo;
  Options options = checked(command, strings);
  list_files(strings, options);
  check_outputs(options.inputs, options.outputs);
  options.command_line = command_line(program_name(), words);
  return options;
}

}  // namespace fredsim
