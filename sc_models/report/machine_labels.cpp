// SPDX-License-Identifier: Apache-2.0
#include "report/machine_labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/setting.h"

namespace fredsim {
namespace {

constexpr std::size_t kWidestLabel = 28;  // leaves room for figures in 80 columns

std::string name_among(std::span<const ReportedRun> runs, const RunResult& r) {
  const bool needs_path = std::ranges::any_of(runs, [&](const ReportedRun& run) {
    const RunResult& other = run.result;
    return other.fabric == r.fabric && other.config != r.config;
  });
  return needs_path ? r.config : r.fabric;
}

std::string list_of(std::span<const Setting> settings) {
  std::string text;
  for (const auto& [key, value] : settings) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value);
  }
  return text;
}

}  // namespace

MachineLabels machine_labels(std::span<const ReportedRun> runs) {
  MachineLabels labels;
  bool is_short = true;
  for (const ReportedRun& run : runs) {
    const std::vector<Setting>& own = run.result.settings.own;
    const std::string& label =
        labels.labels.emplace_back(with_settings(name_among(runs, run.result), own));
    is_short = is_short && (own.empty() || label.size() <= kWidestLabel);
  }
  if (is_short) return labels;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunResult& r = runs[i].result;
    if (r.settings.own.empty()) continue;
    labels.labels[i] = fmt::format("{} [{}]", name_among(runs, r), labels.notes.size() + 1);
    labels.notes.push_back(fmt::format("{}: {}", labels.labels[i], list_of(r.settings.own)));
  }
  return labels;
}

}  // namespace fredsim
