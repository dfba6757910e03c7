// SPDX-License-Identifier: Apache-2.0
// Formats of schedule files.
//
// A format is a file schedule_files/formats/<name>.cpp, which defines `const ScheduleFormat&
//   <name>_format()`, and its name in schedule_files/formats.cmake.
// Errors of read(): BadInput with the file, the place in it, what was found and what is allowed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "schedule_files/schedule.h"

namespace fredsim {

struct ScheduleText {
  std::string path;
  std::string text;  // whole file
};

struct ScheduleFormat {
  std::string_view name;
  std::string_view meaning;              // for lists
  bool (*is)(const ScheduleText& file);  // known by its text or its name
  CollectiveSchedule (*read)(const ScheduleText& file);
};

std::span<const ScheduleFormat* const> schedule_formats();  // in the order of formats.cmake

}  // namespace fredsim
