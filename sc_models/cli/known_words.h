// SPDX-License-Identifier: Apache-2.0
// Words of other simulators and benchmarks on a command line, with the words to use here: a table
// of options, a table of options without an equivalent, and the words in the rows of commands
// (CommandRow::aliases) and of keys of machine files.
//
// Errors: none.
#pragma once

#include "cli/spelling.h"

namespace fredsim {

// Hints from these words. `app` must outlive them.
SpellingHints known_words(const CLI::App& app);

}  // namespace fredsim
