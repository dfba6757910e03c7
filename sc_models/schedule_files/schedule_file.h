// SPDX-License-Identifier: Apache-2.0
// Schedules from files of any format (schedule_files/schedule_format.h), checked.
//
// Errors: BadInput, beginning with the file: a file that is not there, that no format knows, or
//   whose schedule is not right (schedule_files/schedule_check.h).
#pragma once

#include <string>
#include <string_view>

#include "schedule_files/schedule.h"

namespace fredsim {

// True for a word that names a schedule's file, by its ending: .json, .xml or .et.
bool names_schedule(std::string_view word);

CollectiveSchedule read_schedule(const std::string& path);
// Variant for a text, with `path` in messages and for the files beside it.
CollectiveSchedule schedule_of(const std::string& path, std::string text);

// Lists for messages: endings of names, and formats.
std::string schedule_endings();
std::string schedule_format_names();

}  // namespace fredsim
