#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <span>

#include "base/error.h"
#include "option_values.h"
#include "spelling.h"

namespace fredsim {

namespace {

constexpr const char* kDefaultSize = "1MiB";
constexpr const char* kDefaultFactor = "2";

// Option texts as CLI11 collects them.
struct Texts {
  std::vector<std::string> configs, overrides, groups;
  std::string collective = "all_reduce";
  std::string size, begin, end, factor;
  std::string algorithm = "auto";
  std::string model = "tlm";
  std::string rtl_instances;
  std::string lanes = "1";
  std::string seed = "1";
  std::string timeout_cycles;
  std::string pattern = "uniform";
  std::string rate, hotspot_node, hotspot_fraction;
  std::string packet_flits = "1";
  std::string warmup = "5000";
  std::string cycles = "20000";
  bool saturation = false;
  std::string json, wave, wave_scope;
  bool quiet = false;
};

void add(CLI::App& command, const char* name, std::string& text, const char* value,
         const std::string& meaning) {
  command.add_option(name, text, meaning)->type_name(value);
}

// An option that may come several times, each with one value.
void add(CLI::App& command, const char* name, std::vector<std::string>& texts, const char* value,
         const std::string& meaning) {
  command.add_option(name, texts, meaning)->type_name(value)->allow_extra_args(false);
}

void add_overrides(CLI::App& command, Texts& texts) {
  add(command, "--set", texts.overrides, "KEY.PATH=VALUE", "overrides a key of the machine files");
}

// What every command that simulates has.
void add_run_options(CLI::App& command, Texts& texts, const char* seed_meaning) {
  add(command, "--model", texts.model, "NAME",
      "body of the switches: tlm (default, C++ twins), rtl (Verilated) or lockstep (both, "
      "compared)");
  add(command, "--rtl-instances", texts.rtl_instances, "GLOB",
      "switches that are RTL where --model is another: a pattern on names such as 'l1_*'");
  add(command, "--seed", texts.seed, "N", seed_meaning);
  add(command, "--json", texts.json, "FILE", "results with every counter; - is standard output");
  add_overrides(command, texts);
  command.add_flag("--quiet", texts.quiet, "only the results: no progress, no notes");
}

void add_work_options(CLI::App& command, Texts& texts) {
  add(command, "--collective", texts.collective, "NAME", "all_reduce (default)");
  add(command, "--size", texts.size, "SIZE",
      fmt::format("vector that each rank holds: 4096, 4KiB, 1.5MB (default {})", kDefaultSize));
  add(command, "-b", texts.begin, "SIZE", "sweep of sizes: the first");
  add(command, "-e", texts.end, "SIZE", "sweep of sizes: the largest");
  add(command, "-f", texts.factor, "N",
      fmt::format("sweep of sizes: factor from each to the next (default {})", kDefaultFactor));
  add(command, "--group", texts.groups, "RANKS", "who takes part: all (default) or 0,1,5,6");
  add(command, "--algorithm", texts.algorithm, "NAME",
      "auto (default), ring, hier_ring or in_switch");
  add(command, "--lanes", texts.lanes, "N",
      "FP16 lanes of each flit carried and verified, 1 to 256 (default 1); no effect on time");
  add(command, "--timeout-cycles", texts.timeout_cycles, "N", "a longer run fails");
  add_run_options(command, texts, "of the payload (default 1)");
}

void add_traffic_options(CLI::App& command, Texts& texts) {
  add(command, "--pattern", texts.pattern, "NAME",
      "uniform (default), transpose, bit_complement, neighbor or hotspot");
  add(command, "--rate", texts.rate, "RATES",
      "flits per cycle and node: 0.1, a list 0.1,0.2 or a sweep FROM:TO:STEP");
  command.add_flag(
      "--saturation", texts.saturation,
      "in place of --rate: searches the saturation point, to 1 % of the injection limit");
  add(command, "--packet-flits", texts.packet_flits, "N",
      fmt::format("flits of a packet, 1 to {} (default 1)", kPacketFlits));
  add(command, "--warmup", texts.warmup, "N", "cycles before the window (default 5000)");
  add(command, "--cycles", texts.cycles, "N", "cycles of the window (default 20000)");
  add(command, "--hotspot-node", texts.hotspot_node, "N", "pattern hotspot: hot NPU (default 0)");
  add(command, "--hotspot-fraction", texts.hotspot_fraction, "F",
      "pattern hotspot: share of packets that go there (default 0.2)");
  add_run_options(command, texts, "of creation times and destinations (default 1)");
}

std::vector<std::uint64_t> sizes_of(const Texts& texts) {
  const bool is_sweep = !texts.begin.empty() || !texts.end.empty() || !texts.factor.empty();
  if (is_sweep && !texts.size.empty()) {
    throw BadInput("--size: found together with -b, -e or -f; allowed: --size, or -b with -e");
  }
  if (!is_sweep) {
    return {parse_collective_size(texts.size.empty() ? kDefaultSize : texts.size, "--size")};
  }
  if (texts.begin.empty() || texts.end.empty()) {
    throw BadInput(
        fmt::format("{}: found no such option; allowed: a sweep of sizes needs -b and -e",
                    texts.begin.empty() ? "-b" : "-e"));
  }
  return parse_size_sweep(texts.begin, texts.end,
                          texts.factor.empty() ? kDefaultFactor : texts.factor);
}

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

void check_run_options(const Texts& texts, Options& options) {
  options.model = parse_model(texts.model);
  options.rtl_instances = texts.rtl_instances;
  if (!texts.rtl_instances.empty() && options.model == SwitchModel::kRtl) {
    throw BadInput(
        fmt::format("--rtl-instances: found '{}', but with --model rtl every switch runs "
                    "as RTL; allowed: leave it out",
                    texts.rtl_instances));
  }
  options.seed = parse_number(texts.seed, "--seed", 0, kMax);
  options.json_file = texts.json;
  options.quiet = texts.quiet;
}

PatternSpec pattern_of(const Texts& texts) {
  PatternSpec spec;
  spec.kind = parse_pattern(texts.pattern);
  for (const auto& [option, text] : {std::pair("--hotspot-node", &texts.hotspot_node),
                                     std::pair("--hotspot-fraction", &texts.hotspot_fraction)}) {
    if (!text->empty() && spec.kind != PatternKind::kHotspot) {
      throw BadInput(
          fmt::format("{}: found '{}' with --pattern {}; allowed: together with "
                      "--pattern hotspot",
                      option, *text, texts.pattern));
    }
  }
  if (!texts.hotspot_node.empty()) {
    spec.hotspot_node = static_cast<int>(
        parse_number(texts.hotspot_node, "--hotspot-node", 0, std::numeric_limits<int>::max()));
  }
  if (!texts.hotspot_fraction.empty()) {
    spec.hotspot_fraction = parse_fraction(texts.hotspot_fraction, "--hotspot-fraction");
  }
  return spec;
}

void check_traffic_options(const Texts& texts, Options& options) {
  if (texts.saturation == !texts.rate.empty()) {
    throw BadInput(
        fmt::format("--rate: found {}; allowed: either --rate or --saturation",
                    texts.saturation ? "it together with --saturation" : "no such option"));
  }
  if (!texts.saturation) options.rates = parse_rates(texts.rate, "--rate");
  TrafficOptions& traffic = options.traffic;
  traffic.pattern = pattern_of(texts);
  traffic.packet_flits =
      static_cast<int>(parse_number(texts.packet_flits, "--packet-flits", 1, kPacketFlits));
  traffic.warmup_cycles = parse_number(texts.warmup, "--warmup", 0, kMaxTrafficCycles);
  traffic.window_cycles = parse_number(texts.cycles, "--cycles", 1, kMaxTrafficCycles);
  traffic.seed = options.seed;
}

Options checked(Command command, const Texts& texts) {
  Options options;
  options.command = command;
  options.configs = texts.configs;
  options.overrides = texts.overrides;
  if (command == Command::kInfo) return options;
  check_run_options(texts, options);
  if (command == Command::kTraffic) {
    check_traffic_options(texts, options);
    return options;
  }
  options.collective = parse_collective(texts.collective);
  options.sizes = sizes_of(texts);
  options.group = parse_groups(texts.groups);
  options.algorithm = texts.algorithm;
  options.lanes = static_cast<int>(parse_number(texts.lanes, "--lanes", 1, kFlitLanes));
  if (!texts.timeout_cycles.empty()) {
    options.timeout_cycles = parse_number(texts.timeout_cycles, "--timeout-cycles", 1, kMax);
  }
  options.wave_file = texts.wave;
  if (!texts.wave_scope.empty() && texts.wave.empty()) {
    throw BadInput(
        fmt::format("--wave-scope: found '{}' without --wave; allowed: together with "
                    "--wave FILE.fst",
                    texts.wave_scope));
  }
  options.wave_scope = texts.wave_scope.empty() ? "*" : texts.wave_scope;
  return options;
}

}  // namespace

std::optional<Options> parse_command_line(int argc, const char* const* argv) {
  CLI::App app(
      "Cycle-accurate collectives and traffic on a wafer-scale interconnect: FRED against a 2D "
      "mesh.",
      "fredsim");
  app.require_subcommand(1);
  app.set_version_flag("--version", "fredsim " FREDSIM_VERSION);
  app.footer(
      "Exit codes: 0 done and payload verified, 1 payload wrong or run failed, 2 bad input, "
      "3 routing conflict.");

  Texts texts;
  CLI::App* run = app.add_subcommand("run", "Runs one machine and prints a line per size.");
  run->add_option("CONFIG", texts.configs, "machine file")->required()->expected(1)->type_name("");
  add_work_options(*run, texts);
  add(*run, "--wave", texts.wave, "FILE.fst", "waveforms of switches, which are then RTL");
  add(*run, "--wave-scope", texts.wave_scope, "GLOB", "names of the switches in it (default *)");

  CLI::App* compare =
      app.add_subcommand("compare", "Runs the same work on several machines against the first.");
  compare->add_option("CONFIGS", texts.configs, "machine files, the baseline first")
      ->required()
      ->type_name("")
      ->expected(2, CLI::detail::expected_max_vector_size);
  add_work_options(*compare, texts);

  CLI::App* traffic = app.add_subcommand(
      "traffic", "Latency and throughput of one machine under synthetic traffic, a line per rate.");
  traffic->add_option("CONFIG", texts.configs, "machine file")
      ->required()
      ->expected(1)
      ->type_name("");
  add_traffic_options(*traffic, texts);

  CLI::App* info = app.add_subcommand("info", "Prints what a machine file builds.");
  info->add_option("CONFIG", texts.configs, "machine file")->required()->expected(1)->type_name("");
  add_overrides(*info, texts);

  if (argc < 2) throw BadInput("command: found none; allowed: run, compare, traffic or info");
  try {
    check_spelling(app, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return std::nullopt;
    }
    throw BadInput(fmt::format("command line: {} (fredsim --help)", error.what()));
  }
  const Command command = run->parsed()       ? Command::kRun
                          : compare->parsed() ? Command::kCompare
                          : traffic->parsed() ? Command::kTraffic
                                              : Command::kInfo;
  return checked(command, texts);
}

}  // namespace fredsim
