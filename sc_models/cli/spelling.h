// SPDX-License-Identifier: Apache-2.0
// Checks the spelling of the command line before CLI11 parses it: unknown commands and options get
// the nearest correct one as a hint, a missing value is distinguished from a value that is an
// option or empty, and a flag takes no value.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/suggest.h"

namespace fredsim {

// Hints about words that are neither a command nor an option.
struct SpellingHints {
  std::span<const Alias> commands = {};
  std::span<const Alias> options = {};
  // End of the message about an unknown option, such as "leave it out: one run is enough"; empty:
  // no hint.
  std::function<std::string(std::string_view option, const CLI::App& command)> answer = {};
};

// Checks the words. `arguments`: without the program's name. Errors: BadInput.
void check_spelling(const CLI::App& app, std::span<const char* const> arguments,
                    const SpellingHints& hints = {});

}  // namespace fredsim
