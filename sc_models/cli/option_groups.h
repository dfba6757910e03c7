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

#include "runner/run_options.h"
#include "trace/packet_list.h"

namespace fredsim {

inline constexpr std::uint64_t kMaxOptionNumber = std::numeric_limits<std::uint64_t>::max();

struct MachineStrings {
  std::vector<std::string> configs, overrides, faults;
  void add_one_to(CLI::App& app);
  void add_several_to(CLI::App& app, int min);  // the base first
  void add_overrides_to(CLI::App& app);
  void check(MachineOptions& options) const;
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

// The option --progress.
void add_progress_file(CLI::App& app, std::string& file);
}  // namespace fredsim
