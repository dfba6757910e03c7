// SPDX-License-Identifier: Apache-2.0
// Words of other simulators and benchmarks on a command line, and what to write here: a table of
// options, one of options that have nothing here in their place, and those of the rows of commands
// (CommandRow::aliases) and of keys of machine files.
// Errors: none.
#pragma once

#include "cli/spelling.h"

namespace fredsim {

// `app` outlives them.
SpellingHints known_words(const CLI::App& app);

}  // namespace fredsim
