// SPDX-License-Identifier: Apache-2.0
// JSON schema of study files (draft-07), for editors, and a page of their keys in Markdown.
//
// Source: the options of the commands and the keys of machine files. Rules that a schema cannot
// express (zipped axes, the number of points) are checked when a study is read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "study/study_command.h"

namespace fredsim {

nlohmann::ordered_json study_file_schema(std::span<const StudyCommand> commands);
std::string study_reference(std::span<const StudyCommand> commands);

}  // namespace fredsim
