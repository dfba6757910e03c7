// SPDX-License-Identifier: Apache-2.0
// All commands of the program but `help`, in the order in which the help text lists them.
#pragma once

#include <span>

#include "cli/command.h"

namespace fredsim {

std::span<const CommandRow> commands();

}  // namespace fredsim
