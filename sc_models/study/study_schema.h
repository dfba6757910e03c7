// SPDX-License-Identifier: Apache-2.0
// JSON schema of study files, for editors: draft-07; and their keys as a page in Markdown.
//
// Made from the options of the commands and the keys of machine files. Rules that a schema cannot
// express (axes that are zipped, the number of points) are checked when a study is read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "study/study_command.h"

namespace fredsim {

nlohmann::ordered_json study_file_schema(std::span<const StudyCommand> commands);
std::string study_reference(std::span<const StudyCommand> commands);

}  // namespace fredsim
