// SPDX-License-Identifier: Apache-2.0
// From the words of a command line to a command that is ready to run.
//
// Errors: BadInput naming the option, what was found and what is allowed; a misspelt option or
// command is one, with the nearest right one suggested; an output that is an input, or another
// output.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cli/command.h"
#include "cli/commands.h"

namespace fredsim {

struct ParsedCommand {
  std::string name;
  std::unique_ptr<Command> command;
  Invocation invocation;
  bool runs_on_ranks = false;
  void run() const { command->run(invocation); }
};

// Nothing to do (`help`, `--help`, `--version`: printed to standard output) gives no command.
// `rows`: commands that are known; a message may name others.
std::optional<ParsedCommand> parse_command_line(int argc, const char* const* argv,
                                                std::span<const CommandRow> rows = commands());

}  // namespace fredsim
