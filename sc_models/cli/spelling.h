// SPDX-License-Identifier: Apache-2.0
// Spelling of the command line, looked at before CLI11 parses it: unknown commands and options get
// the nearest right one, an option without its value is told from a value that is an option or
// empty, and a flag has none.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/suggest.h"

namespace fredsim {

// Hints about words that are no command and no option.
struct SpellingHints {
  std::span<const Alias> commands = {};
  std::span<const Alias> options = {};
  // The end of a message about an option that is none, such as "leave it out: one run is enough";
  // empty: nothing is known.
  std::function<std::string(std::string_view option, const CLI::App& command)> answer = {};
};

// `arguments` without the program's name. Errors: BadInput.
void check_spelling(const CLI::App& app, std::span<const char* const> arguments,
                    const SpellingHints& hints = {});

}  // namespace fredsim
