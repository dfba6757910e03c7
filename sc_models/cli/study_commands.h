// SPDX-License-Identifier: Apache-2.0
// Commands that a point of a study can be, from the table of commands: with the options that say
// what is run. Those for outputs, for how it is run and for more than one machine are left out.
// Errors: none.
#pragma once

#include <vector>

#include "study/study_command.h"

namespace fredsim {

std::vector<StudyCommand> study_commands();

}  // namespace fredsim
