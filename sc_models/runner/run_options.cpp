// SPDX-License-Identifier: Apache-2.0
#include "runner/run_options.h"

#include <cstdio>

#include "report/terminal.h"
#include "runner/interrupt.h"

namespace fredsim {

TableOutput table_output(const OutputOptions& options) {
  return {options.format, terminal_style(stdout), options.has_legend};
}

void add_machine_files(const MachineOptions& options, FileUses& files) {
  for (const MachineFile& file : options.machines) files.inputs.push_back({"CONFIG", file.path});
}

void add_output(const char* option, const std::string& path, FileUses& files) {
  if (!path.empty()) files.outputs.push_back({option, path});
}

std::shared_ptr<ProgressLog> open_progress(const std::string& path) {
  return path.empty() ? nullptr : std::make_shared<ProgressLog>(path, "--progress");
}

std::optional<OutputFile> open_output(const char* option, const std::string& path) {
  std::optional<OutputFile> file;
  if (!path.empty()) file.emplace(path, option, &interrupt_flag());
  return file;
}

}  // namespace fredsim
