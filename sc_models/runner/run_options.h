// SPDX-License-Identifier: Apache-2.0
// Options that several questions share, checked: machines, outputs, switches, limits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "report/output_file.h"
#include "report/progress_log.h"
#include "report/table_output.h"
#include "runner/file_uses.h"
#include "switch/on_demand/rtl_builder.h"
#include "switch/switch_factory.h"

namespace fredsim {

// CONFIG…, --set, --fault.
struct MachineOptions {
  std::vector<MachineFile> machines;   // the base first, where there is one
  std::vector<std::string> overrides;  // "key.path=value"
  std::vector<std::string> faults;     // topology/faults.h
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

// Tables on standard output.
TableOutput table_output(const OutputOptions& options);

// --model, --rtl-instances, --rtl-build.
struct SwitchOptions {
  SwitchModel model = SwitchModel::kTlm;
  std::string rtl_instances;  // empty: none
  RtlBuild rtl_build = RtlBuild::kAuto;
};

// --lanes, --timeout-cycles, --threads, --no-skip: of commands that run collectives. As in FabricOptions.
struct SimulationOptions {
  int lanes = 1;
  std::uint64_t timeout_cycles = 0;  // 0: none
  bool skip = true;
  int switch_threads = 1;
};

// Adds the files that a command reads: its machine files.
void add_machine_files(const MachineOptions& options, FileUses& files);
// Adds a file that it writes; an empty path: none.
void add_output(const char* option, const std::string& path, FileUses& files);
// The file of --progress, opened at once; an empty path: none.
std::shared_ptr<ProgressLog> open_progress(const std::string& path);

// The file of an option, tried at once, left whole by Ctrl-C; an empty path: none.
std::optional<OutputFile> open_output(const char* option, const std::string& path);

}  // namespace fredsim
