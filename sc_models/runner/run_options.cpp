// SPDX-License-Identifier: Apache-2.0
#include "runner/run_options.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "base/error.h"
#include "report/terminal.h"
#include "runner/interrupt.h"
#include "runner/run_ranks.h"

namespace fredsim {

void read_patience(const OptionText& option, MachineOptions& /*options*/,
                   const std::string& given) {
  constexpr std::uint64_t kLongest = 1'000'000;
  const std::uint64_t seconds = parse_number(given, option.name, 1, kLongest);
  if (run_ranks() != nullptr) run_ranks()->set_patience(static_cast<double>(seconds));
}

TableFormat format_of(const std::string& text) { return parse_format(text); }
TableFormat format_with_astra(const std::string& text) {
  return parse_format(text, TableFormat::kAstra);
}
TableFormat format_with_nccl(const std::string& text) {
  return parse_format(text, TableFormat::kNccl);
}

void check_switches(const SwitchOptions& options) {
  if (!options.rtl_instances.empty() && options.model == SwitchModel::kRtl)
    throw BadInput(
        fmt::format("--rtl-instances: found '{}', but with --model rtl every switch runs "
                    "as RTL; allowed: leave it out",
                    options.rtl_instances));
}

bool is_flow_engine(const std::string& text) {
  static constexpr std::array<std::string_view, 2> kEngines{"exact", "flow"};
  static constexpr std::array kAliases{
      Alias{"exact", "cycle cycles cycle_accurate flit slow packet"},
      Alias{"flow", "fast flows fluid analytical analytic congestion_aware"}};
  return parse_word("--engine", text, kEngines, kAliases) == 1;
}

void read_listed_packets(const OptionText& option, BreakdownOptions& options,
                         const std::string& given) {
  constexpr std::string_view kFirst = "first:";
  constexpr std::uint64_t kMaxListed = 10'000;
  options.lists_first = given.starts_with(kFirst);
  options.listed = static_cast<std::size_t>(parse_number(
      given.substr(options.lists_first ? kFirst.size() : 0), option.name, 1, kMaxListed));
}

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
