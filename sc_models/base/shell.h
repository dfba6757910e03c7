// SPDX-License-Identifier: Apache-2.0
// Words for a command line that a user can paste into a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace fredsim {

// The word unchanged if a shell takes it so, else in single quotes.
std::string shell_quoted(std::string_view word);

}  // namespace fredsim
