// SPDX-License-Identifier: Apache-2.0
// Commands that a study's point can be, from the table of commands, with the options that define
// the work. Options for outputs, for execution and for more than one machine are omitted.
//
// Errors: none.
#pragma once

#include <vector>

#include "study/study_command.h"

namespace fredsim {

std::vector<StudyCommand> study_commands();

}  // namespace fredsim
