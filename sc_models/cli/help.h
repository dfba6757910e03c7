// The help texts: kept to the terminal's width, 100 columns at most, with examples that work as typed at the
// top of a checkout.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace fredsim {

// For the program, before its commands are added, which take it over.
std::shared_ptr<CLI::Formatter> help_formatter();

// To the end of the help of every command.
void add_examples(CLI::App& app);

}  // namespace fredsim
