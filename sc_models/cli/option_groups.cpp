// SPDX-License-Identifier: Apache-2.0
#include "cli/option_groups.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/error.h"
#include "base/flit.h"
#include "cli/add_option.h"
#include "cli/rank_session.h"
#include "report/terminal.h"
#include "runner/interrupt.h"
#include "runner/machine_word.h"
#include "runner/option_values.h"

namespace fredsim {

namespace {

constexpr const char* kMachineWord =
    "a machine by name (info --machines) or its file. Settings of its own: "
    "FILE@KEY.PATH=VALUE,KEY.PATH=VALUE";
constexpr std::uint64_t kMaxListed = 10'000;
constexpr std::array<std::string_view, 2> kEngines{"exact", "flow"};
constexpr std::array kEngineAliases{
    Alias{"exact", "cycle cycles cycle_accurate flit slow packet"},
    Alias{"flow", "fast flows fluid analytical analytic congestion_aware"}};

}  // namespace

void MachineStrings::add_one_to(CLI::App& app) {
  app.add_option("CONFIG", configs, kMachineWord)->required()->expected(1)->type_name("");
}

void MachineStrings::add_several_to(CLI::App& app, int min) {
  app.add_option("CONFIGS", configs, fmt::format("the baseline first, each {}", kMachineWord))
      ->required()
      ->type_name("")
      ->expected(min, CLI::detail::expected_max_vector_size);
}

void MachineStrings::add_overrides_to(CLI::App& app) {
  under(app, headings::kMachine);
  add(app, "--set", overrides, "KEY.PATH=VALUE",
      "overrides a key of the machine files that have it");
  add(app, "--fault", faults, "PART",
      "failed component: link:NAME, link:NAME*RATE, switch:NAME, npu:3 or io:3, names as info "
      "--parts has them");
}

void MachineStrings::check(MachineOptions& options) const {
  for (const std::string& word : configs) options.machines.push_back(parse_machine_word(word));
  options.overrides = overrides;
  options.faults = faults;
}

void OutputStrings::add_json_to(CLI::App& app) {
  under(app, headings::kOutput);
  add(app, "--json", json, "FILE", "all results; - is standard output");
}

void OutputStrings::add_format_to(CLI::App& app, bool has_astra) {
  has_astra_ = has_astra;
  under(app, headings::kOutput);
  offer(add(app, "--format", format, "NAME",
            std::string("of the tables: table (default), csv (all columns, nothing else)") +
                (has_astra ? ", markdown or astra (in place of them, a line per rank as ASTRA-sim "
                             "prints it)"
                           : " or markdown")),
        has_astra ? "table csv markdown astra" : "table csv markdown");
  app.add_flag("--legend", legend, "explains the columns, and names the hidden ones");
}

void OutputStrings::add_quiet_to(CLI::App& app) {
  under(app, headings::kOutput);
  app.add_flag("--quiet", quiet, "only the results: no progress, no notes");
}

void OutputStrings::add_progress_to(CLI::App& app) {
  add_quiet_to(app);
  add_progress_file(app, progress);
}

void OutputStrings::check(OutputOptions& options) const {
  options.json_file = json;
  options.format = parse_format(format, has_astra_);
  options.has_legend = legend;
  options.quiet = quiet;
  options.progress_file = progress;
}

void SwitchStrings::add_to(CLI::App& app) {
  under(app, headings::kModel);
  offer(add(app, "--model", model, "NAME",
            "implementation of the switches: tlm (default, C++ twins), rtl (Verilated) or lockstep "
            "(both, compared)"),
        "tlm rtl lockstep");
  add(app, "--rtl-instances", rtl_instances, "GLOB",
      "switches that are RTL where --model is another: a pattern on names such as 'l1_*'");
  offer(add(app, "--rtl-build", rtl_build, "NAME",
            "RTL of switch sizes that the program does not have: auto (default, built once and "
            "kept) or "
            "never (refused)"),
        "auto never");
}

void SwitchStrings::check(SwitchOptions& options) const {
  options.model = parse_model(model);
  options.rtl_instances = rtl_instances;
  options.rtl_build = parse_rtl_build(rtl_build);
  if (!rtl_instances.empty() && options.model == SwitchModel::kRtl) {
    throw BadInput(
        fmt::format("--rtl-instances: found '{}', but with --model rtl every switch runs "
                    "as RTL; allowed: leave it out",
                    rtl_instances));
  }
}

void SeedStrings::add_to(CLI::App& app, const char* meaning) {
  under(app, headings::kModel);
  add(app, "--seed", seed, "N", meaning);
}

std::uint64_t SeedStrings::checked() const {
  return parse_number(seed, "--seed", 0, kMaxOptionNumber);
}

void SimulationStrings::add_to(CLI::App& app) {
  under(app, headings::kModel);
  add(app, "--lanes", lanes, "N",
      "FP16 lanes of each flit carried and verified, 1 to 256 (default 1); no effect on time");
  under(app, headings::kLimits);
  add(app, "--timeout-cycles", timeout_cycles, "N", "a longer run fails");
  add(app, "--threads", threads, "N",
      "with --model rtl or lockstep: threads that step the switches (default 1); same results");
  app.add_flag("--no-skip", no_skip,
               "simulates idle cycles and periods that repeat, too; same results");
}

void SimulationStrings::check(SimulationOptions& options) const {
  options.lanes = static_cast<int>(parse_number(lanes, "--lanes", 1, kFlitLanes));
  if (!timeout_cycles.empty())
    options.timeout_cycles = parse_number(timeout_cycles, "--timeout-cycles", 1, kMaxOptionNumber);
  options.skip = !no_skip;
  options.switch_threads = static_cast<int>(parse_number(threads, "--threads", 1, kMaxThreads));
}

void RankStrings::add_to(CLI::App& app) {
  under(app, headings::kLimits);
  add(app, "--rank-timeout", timeout, "SECONDS",
      "of several processes (mpirun -n K fredsim …): one that the others have heard nothing of for "
      "so long fails the run (default 300)");
}

void RankStrings::check() const {
  constexpr std::uint64_t kLongest = 1'000'000;
  const std::uint64_t seconds = parse_number(timeout, "--rank-timeout", 1, kLongest);
  if (run_ranks() != nullptr) run_ranks()->set_patience(static_cast<double>(seconds));
}

void EngineStrings::add_to(CLI::App& app) {
  under(app, headings::kModel);
  offer(add(app, "--engine", engine, "NAME",
            "exact (default: every flit, every cycle) or flow (fast; results have their error). "
            "Flows: bandwidth and longest paths, calibrated by exact runs"),
        kEngines);
}

bool EngineStrings::is_flow() const {
  return parse_word("--engine", engine, kEngines, kEngineAliases) == 1;
}

void refuse_with_flows(std::string_view option, bool is_given, std::string_view reason) {
  if (is_given)
    throw BadInput(fmt::format("{}: found with --engine flow; allowed: --engine exact, since {}",
                               option, reason));
}

void EngineStrings::refuse(const SwitchOptions& options) {
  constexpr std::string_view kNoSwitches = "flows have no switches";
  refuse_with_flows("--model", options.model != SwitchModel::kTlm, kNoSwitches);
  refuse_with_flows("--rtl-instances", !options.rtl_instances.empty(), kNoSwitches);
}

void EngineStrings::refuse(const SimulationOptions& options) {
  constexpr std::string_view kNoCycles = "flows have no cycles";
  refuse_with_flows("--threads", options.switch_threads > 1, "flows have no switches");
  refuse_with_flows("--lanes", options.lanes > 1, "flows carry no payload");
  refuse_with_flows("--timeout-cycles", options.timeout_cycles > 0, kNoCycles);
  refuse_with_flows("--no-skip", !options.skip, kNoCycles);
}

void BreakdownStrings::add_to(CLI::App& app) {
  under(app, headings::kOutput);
  app.add_flag("--breakdown", breakdown, "packets' cycles by stage of the path and cause");
  add(app, "--trace-packets", trace_packets, "N",
      "with --breakdown: the N slowest packets node by node; first:N for the first ones");
}

BreakdownOptions BreakdownStrings::checked() const {
  BreakdownOptions options{.is_on = breakdown};
  if (trace_packets.empty()) return options;
  if (!breakdown) {
    throw BadInput(fmt::format(
        "--trace-packets: found '{}' without --breakdown; allowed: together with --breakdown",
        trace_packets));
  }
  constexpr std::string_view kFirst = "first:";
  std::string number = trace_packets;
  options.lists_first = number.starts_with(kFirst);
  if (options.lists_first) number.erase(0, kFirst.size());
  options.listed = static_cast<std::size_t>(parse_number(number, "--trace-packets", 1, kMaxListed));
  return options;
}

void add_placement_file(CLI::App& app, std::string& file) {
  under(app, headings::kPlacement);
  add(app, "--write-placement", file, "FILE",
      "where the workers are, as --placement reads it; of several machines, one file each");
}

void add_progress_file(CLI::App& app, std::string& file) {
  under(app, headings::kOutput);
  add(app, "--progress", file, "FILE",
      "progress for programs, a JSON object per line; also a pipe, such as /dev/fd/3");
}

}  // namespace fredsim
