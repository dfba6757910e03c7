// SPDX-License-Identifier: Apache-2.0
#include "cli/study_commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "cli/commands.h"

namespace fredsim {
namespace {

// Options for outputs and execution, and options that a study replaces.
constexpr auto kLeftOut = std::to_array<std::string_view>(
    {"help",       "json",          "format",         "legend",          "quiet",
     "progress",   "timeline",      "timeline-level", "write-placement", "export-et",
     "breakdown",  "trace-packets", "series",         "series-file",     "threads",
     "set",        "fault",         "seed",           "best-base",       "fit",
     "calibration"});
constexpr std::string_view kWaves = "wave";  // prefix of all waveform options

bool is_left_out(std::string_view name) {
  return name.starts_with(kWaves) || std::ranges::find(kLeftOut, name) != kLeftOut.end();
}

OptionForm form_of(const CLI::Option& option) {
  const int most = option.get_items_expected_max();
  if (most == 0) return OptionForm::kFlag;
  return most == 1 ? OptionForm::kValue : OptionForm::kValues;
}

}  // namespace

std::vector<StudyCommand> study_commands() {
  std::vector<StudyCommand> all;
  for (const CommandRow& row : commands()) {
    if (row.point_results == nullptr) continue;
    CLI::App app;
    const std::unique_ptr<Command> command = row.make();
    command->add_to(app);
    StudyCommand& one = all.emplace_back(StudyCommand{
        .name = row.name, .purpose = row.purpose, .options = {}, .document = row.point_results});
    for (const CLI::Option* const option : app.get_options()) {
      const std::vector<std::string>& names = option->get_lnames();
      if (names.empty() || is_left_out(names.front())) continue;
      one.options.push_back({.name = names.front(),
                             .form = form_of(*option),
                             .value = option->get_type_name(),
                             .meaning = option->get_description()});
    }
  }
  return all;
}

}  // namespace fredsim
