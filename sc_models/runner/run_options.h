// SPDX-License-Identifier: Apache-2.0
// Options shared by several questions, with their rows (results/option_row.h): machines, outputs,
// switches, limits.
//
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/flit.h"
#include "config/config.h"
#include "report/output_file.h"
#include "report/progress_log.h"
#include "report/table_output.h"
#include "results/option_row.h"
#include "runner/file_uses.h"
#include "runner/machine_word.h"
#include "runner/option_values.h"
#include "switch/on_demand/rtl_builder.h"
#include "switch/switch_factory.h"
#include "trace/packet_list.h"

namespace fredsim {

// CONFIG…, --set, --fault.
struct MachineOptions {
  std::vector<MachineFile> machines;   // base first, if there is a base
  std::vector<std::string> overrides;  // "key.path=value"
  std::vector<std::string> faults;     // topology/faults.h
};
constexpr auto machine_rows(const char* name, const char* meaning, int least, int most) {
  return rows::under(headings::kWork, rows::parsed<parse_machine_word, &MachineOptions::machines>(
                                          name, "", meaning, {.least = least, .most = most}));
}
inline constexpr auto kMachineRows =
    machine_rows("CONFIG",
                 "a machine by name (info --machines) or its file. Settings of its own: "
                 "FILE@KEY.PATH=VALUE,KEY.PATH=VALUE",
                 1, 1);
constexpr auto machines_rows(int least) {
  return machine_rows("CONFIGS",
                      "the baseline first, each a machine by name (info --machines) or its file. "
                      "Settings of its own: FILE@KEY.PATH=VALUE,KEY.PATH=VALUE",
                      least, kAnyNumber);
}
inline constexpr auto kOverrideRows = rows::under(
    headings::kMachine,
    rows::text<&MachineOptions::overrides>("--set", "KEY.PATH=VALUE",
                                           "overrides a key of the machine files that have it",
                                           {.most = kAnyNumber}),
    rows::text<&MachineOptions::faults>("--fault", "PART",
                                        "failed component: link:NAME, link:NAME*RATE, switch:NAME, "
                                        "npu:3 or io:3, names as info --parts lists them",
                                        {.most = kAnyNumber}));
// Reads the max time without a message from another process, and gives it to the ranks.
void read_patience(const OptionText& option, MachineOptions&, const std::string& given);
inline constexpr auto kRankRows = rows::under(
    headings::kLimits, rows::read_by(read_patience, "--rank-timeout", "SECONDS",
                                     "with several processes (mpirun -n K fredsim …): a run fails "
                                     "when one of them is silent for this long (default 300)",
                                     {.initial = "300"}));

// --json, --format, --legend, --quiet, --progress.
struct OutputOptions {
  std::string json_file;  // empty: none; "-": standard output
  TableFormat format = TableFormat::kTable;
  bool has_legend = false;
  bool quiet = false;
  std::string progress_file;                    // empty: none
  std::shared_ptr<ProgressLog> progress_log{};  // open while the command runs
};
inline constexpr auto kJsonRows = rows::under(
    headings::kOutput,
    rows::text<&OutputOptions::json_file>("--json", "FILE", "all results; - is standard output"));
TableFormat format_of(const std::string& text);
TableFormat format_with_astra(const std::string& text);
TableFormat format_with_nccl(const std::string& text);
inline constexpr auto kLegendRow = rows::flag<&OutputOptions::has_legend>(
    "--legend", "explains the columns, and names the hidden ones");
inline constexpr auto kTableRows =
    rows::under(headings::kOutput,
                rows::parsed<format_of, &OutputOptions::format>(
                    "--format", "NAME",
                    "of the tables: table (default), csv (all columns, nothing else) or markdown",
                    {.offer = "table csv markdown", .initial = "table"}),
                kLegendRow);
inline constexpr auto kAstraTableRows = rows::under(
    headings::kOutput,
    rows::parsed<format_with_astra, &OutputOptions::format>(
        "--format", "NAME",
        "of the tables: table (default), csv (all columns, nothing else), markdown or astra (in "
        "place of them, a line per rank as ASTRA-sim prints it)",
        {.offer = "table csv markdown astra", .initial = "table"}),
    kLegendRow);
inline constexpr auto kNcclTableRows = rows::under(
    headings::kOutput,
    rows::parsed<format_with_nccl, &OutputOptions::format>(
        "--format", "NAME",
        "of the tables: table (default), csv (all columns, nothing else), markdown or nccl (in "
        "place of them, the lines of NCCL-tests)",
        {.offer = "table csv markdown nccl", .initial = "table"}),
    kLegendRow);
inline constexpr auto kQuietRows = rows::under(
    headings::kOutput,
    rows::flag<&OutputOptions::quiet>("--quiet", "only the results: no progress, no notes"));
inline constexpr auto kProgressRows = rows::under(
    headings::kOutput,
    rows::text<&OutputOptions::progress_file>(
        "--progress", "FILE",
        "progress for programs, a JSON object per line; also a pipe, such as /dev/fd/3"));

// Table settings for standard output.
TableOutput table_output(const OutputOptions& options);

// --model, --rtl-instances, --rtl-build.
struct SwitchOptions {
  SwitchModel model = SwitchModel::kTlm;
  std::string rtl_instances;  // empty: none
  RtlBuild rtl_build = RtlBuild::kAuto;
};
inline constexpr const char *kNoSwitches = "flows have no switches",
                            *kNoCycles = "flows have no cycles",
                            *kNoPackets = "flows have no packets";
inline constexpr auto kSwitchRows = rows::under(
    headings::kModel,
    rows::parsed<parse_model, &SwitchOptions::model>(
        "--model", "NAME",
        "implementation of the switches: tlm (default, C++ twins), rtl (Verilated) or lockstep "
        "(both, compared)",
        {.offer = "tlm rtl lockstep", .initial = "tlm", .only_exact = kNoSwitches}),
    rows::text<&SwitchOptions::rtl_instances>(
        "--rtl-instances", "GLOB",
        "switches that run as RTL whatever --model says: a pattern on names such as 'l1_*'",
        {.only_exact = kNoSwitches}),
    rows::parsed<parse_rtl_build, &SwitchOptions::rtl_build>(
        "--rtl-build", "NAME",
        "RTL of switch sizes that the program lacks: auto (default, built once and cached) or "
        "never (refused)",
        {.offer = "auto never", .initial = "auto"}));
// Checks the options together, after they are read.
void check_switches(const SwitchOptions& options);

// --lanes, --timeout-cycles, --threads, --no-skip of commands that run collectives; see
// FabricOptions.
struct SimulationOptions {
  int lanes = 1;
  std::uint64_t timeout_cycles = 0;  // 0: none
  bool skip = true;
  int switch_threads = 1;
};
static_assert(kFlitLanes == 256);
inline constexpr auto kSimulationRows = rows::join(
    rows::under(headings::kModel,
                rows::number<&SimulationOptions::lanes>(
                    "--lanes", "N",
                    "FP16 lanes of each flit carried and verified, 1 to 256 (default 1); no effect "
                    "on time",
                    {.initial = "1", .max = kFlitLanes, .only_exact = "flows carry no payload"})),
    rows::under(
        headings::kLimits,
        rows::number<&SimulationOptions::timeout_cycles>(
            "--timeout-cycles", "N", "cycles after which a run fails", {.only_exact = kNoCycles}),
        rows::number<&SimulationOptions::switch_threads>(
            "--threads", "N",
            "with --model rtl or lockstep: threads that step the switches (default 1); "
            "same results",
            {.initial = "1", .max = kMaxThreads, .only_exact = kNoSwitches}),
        rows::flag<&SimulationOptions::skip>(
            "--no-skip", "also simulates idle cycles and repeated periods; same results",
            {.only_exact = kNoCycles})));

// Rows that several requests share: engine, random seed, placement file.
bool is_flow_engine(const std::string& text);
template <class Request>
inline constexpr auto kEngineRows = rows::under(
    headings::kModel, rows::parsed<is_flow_engine, &Request::is_flow>(
                          "--engine", "NAME",
                          "exact (default: every flit, every cycle) or flow (fast, with a stated "
                          "error): bandwidth and longest paths, calibrated by exact runs",
                          {.offer = "exact flow", .initial = "exact"}));
template <auto... kPath>
constexpr auto seed_rows(const char* meaning) {
  return rows::under(headings::kModel,
                     rows::number<kPath...>("--seed", "N", meaning, {.initial = "1", .min = 0}));
}
inline constexpr const char* kPayloadSeed =
    "seed of payload, searched placements and --skew (default 1)";
template <class Request>
inline constexpr auto kPlacementFileRows = rows::under(
    headings::kPlacement,
    rows::text<&Request::placement_file>(
        "--write-placement", "FILE",
        "writes the placement in the form that --placement reads; one file per machine"));

// --breakdown, --trace-packets.
void read_listed_packets(const OptionText& option, BreakdownOptions& options,
                         const std::string& given);
inline constexpr auto kBreakdownRows = rows::under(
    headings::kOutput,
    rows::flag<&BreakdownOptions::is_on>("--breakdown",
                                         "latency of packets by stage of the path and cause",
                                         {.only_exact = kNoPackets}),
    rows::read_by(
        read_listed_packets, "--trace-packets", "N",
        "with --breakdown: the N slowest packets node by node; first:N for the first ones",
        {.needs = "--breakdown", .allowed = "together with --breakdown"}));

// Adds the machine files, which a command reads.
void add_machine_files(const MachineOptions& options, FileUses& files);
// Adds a file that the command writes; an empty path adds none.
void add_output(const char* option, const std::string& path, FileUses& files);
// Opens the file of --progress at once; an empty path: none.
std::shared_ptr<ProgressLog> open_progress(const std::string& path);

// Opens the output file of an option at once, kept whole on Ctrl-C; an empty path: none.
std::optional<OutputFile> open_output(const char* option, const std::string& path);

}  // namespace fredsim
