// SPDX-License-Identifier: Apache-2.0
// Parses the words of a command line into a command that is ready to run.
//
// Errors: BadInput with the option, the found value and the allowed values. A misspelt option or
//   command is an error, with the nearest correct one suggested; so is an output that is an input
//   or another output.
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

// Parses the command line. Returns no command if the output is complete (`help`, `--help`,
// `--version`). `rows`: known commands; a message may name further ones.
std::optional<ParsedCommand> parse_command_line(int argc, const char* const* argv,
                                                std::span<const CommandRow> rows = commands());

}  // namespace fredsim
