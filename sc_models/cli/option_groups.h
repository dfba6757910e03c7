// SPDX-License-Identifier: Apache-2.0
// Options that several commands have, in groups: as text where CLI11 puts them (…Strings), and checked.
//
// A command's options are a struct that inherits the groups it has.
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/file_uses.h"
#include "config/config.h"
#include "report/output_file.h"
#include "report/progress_log.h"
#include "report/table_output.h"
#include "switch/on_demand/rtl_builder.h"
#include "switch/switch_factory.h"
#include "trace/packet_list.h"

namespace fredsim {

inline constexpr std::uint64_t kMaxOptionNumber = std::numeric_limits<std::uint64_t>::max();

// CONFIG…, --set, --fault.
struct MachineOptions {
  std::vector<MachineFile> machines;   // the base first, where there is one
  std::vector<std::string> overrides;  // "key.path=value"
  std::vector<std::string> faults;     // topology/faults.h
};
struct MachineStrings {
  std::vector<std::string> configs, overrides, faults;
  void add_one_to(CLI::App& app);
  void add_several_to(CLI::App& app, int min);  // the base first
  void add_overrides_to(CLI::App& app);
  void check(MachineOptions& options) const;
};

// --json, --format, --legend, --quiet, --progress.
struct OutputOptions {
  std::string json_file;  // empty: none; "-": standard output
  TableFormat format = TableFormat::kTable;
  bool has_legend = false;
  bool quiet = false;
  std::string progress_file;                    // empty: none
  std::shared_ptr<ProgressLog> progress_log{};  // open while the command runs
};
struct OutputStrings {
  std::string json;
  std::string format = "table";
  bool legend = false;
  bool quiet = false;
  std::string progress;
  void add_json_to(CLI::App& app);
  void add_format_to(CLI::App& app, bool has_astra = false);  // --format and --legend
  void add_quiet_to(CLI::App& app);
  void add_progress_to(CLI::App& app);  // --quiet and --progress
  void check(OutputOptions& options) const;

 private:
  bool has_astra_ = false;
};
// Tables on standard output.
TableOutput table_output(const OutputOptions& options);

// --model, --rtl-instances, --rtl-build.
struct SwitchOptions {
  SwitchModel model = SwitchModel::kTlm;
  std::string rtl_instances;  // empty: none
  RtlBuild rtl_build = RtlBuild::kAuto;
};
struct SwitchStrings {
  std::string model = "tlm";
  std::string rtl_instances;
  std::string rtl_build = "auto";
  void add_to(CLI::App& app);
  void check(SwitchOptions& options) const;
};

// --seed.
struct SeedStrings {
  std::string seed = "1";
  void add_to(CLI::App& app, const char* meaning);
  std::uint64_t checked() const;
};
inline constexpr const char* kPayloadSeed =
    "of the payload, of searched placements and of --skew (default 1)";

// --lanes, --timeout-cycles, --threads, --no-skip: of commands that run collectives. As in FabricOptions.
struct SimulationOptions {
  int lanes = 1;
  std::uint64_t timeout_cycles = 0;  // 0: none
  bool skip = true;
  int switch_threads = 1;
};
struct SimulationStrings {
  std::string lanes = "1";
  std::string threads = "1";
  std::string timeout_cycles;
  bool no_skip = false;
  void add_to(CLI::App& app);
  void check(SimulationOptions& options) const;
};

// --rank-timeout: of commands that several processes may run together.
struct RankStrings {
  std::string timeout = "300";
  void add_to(CLI::App& app);
  void check() const;  // and tells the ranks, if there are any
};

// --engine.
struct EngineStrings {
  std::string engine = "exact";
  void add_to(CLI::App& app);
  bool is_flow() const;  // checked
  // With flows: options of all commands that only flits have.
  static void refuse(const SwitchOptions& options);
  static void refuse(const SimulationOptions& options);
};
inline constexpr const char* kNoPackets = "flows have no packets";
// An option that was given with --engine flow.
void refuse_with_flows(std::string_view option, bool is_given, std::string_view reason);

// --breakdown, --trace-packets.
struct BreakdownStrings {
  bool breakdown = false;
  std::string trace_packets;
  void add_to(CLI::App& app);
  BreakdownOptions checked() const;
};

// --write-placement.
void add_placement_file(CLI::App& app, std::string& file);

// To the files that a command reads: its machine files.
void add_machine_files(const MachineOptions& options, FileUses& files);
// To those that it writes; an empty path: none.
void add_output(const char* option, const std::string& path, FileUses& files);
// The file of --progress, opened at once; an empty path: none.
std::shared_ptr<ProgressLog> open_progress(const std::string& path);
// The option --progress.
void add_progress_file(CLI::App& app, std::string& file);
// The file of an option, tried at once, left whole by Ctrl-C; an empty path: none.
std::optional<OutputFile> open_output(const char* option, const std::string& path);

}  // namespace fredsim
