// SPDX-License-Identifier: Apache-2.0
#include "schedule_files/schedule_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_text.h"
#include "base/suggest.h"
#include "schedule_files/schedule_check.h"
#include "schedule_files/schedule_format.h"

namespace fredsim {
namespace {

constexpr std::size_t kMaxScheduleBytes = std::size_t{1} << 28;
constexpr auto kEndings = std::to_array<std::string_view>({".json", ".xml", ".et"});

}  // namespace

bool names_schedule(std::string_view word) {
  return std::ranges::any_of(kEndings,
                             [&](const std::string_view ending) { return word.ends_with(ending); });
}

std::string schedule_endings() { return join_words(kEndings); }

std::string schedule_format_names() {
  std::vector<std::string_view> names;
  for (const ScheduleFormat* format : schedule_formats()) names.push_back(format->meaning);
  return join_words(names);
}

CollectiveSchedule schedule_of(const std::string& path, std::string text) {
  const ScheduleText file{path, std::move(text)};
  const auto format = std::ranges::find_if(
      schedule_formats(), [&](const ScheduleFormat* known) { return known->is(file); });
  if (format == schedule_formats().end())
    throw BadInput(
        fmt::format("{}: found no schedule; allowed: {}", path, schedule_format_names()));
  CollectiveSchedule schedule = (*format)->read(file);
  schedule.file = path;
  schedule.format = (*format)->name;
  check_schedule(schedule);
  return schedule;
}

CollectiveSchedule read_schedule(const std::string& path) {
  std::optional<std::string> text = file_text(path, kMaxScheduleBytes);
  if (!text)
    throw BadInput(
        fmt::format("{}: {}; allowed: a schedule", path, std::generic_category().message(errno)));
  return schedule_of(path, std::move(*text));
}

}  // namespace fredsim
