// SPDX-License-Identifier: Apache-2.0
// Command of the program: a row of the table in commands.h, and the request of one command line.
//
// A command has its own file, <name>_command.cpp: options, checks, files, run, help and examples.
// No other code compares its name. Results go to standard output, progress to standard error.
// Errors: BadInput, RoutingConflict and RunFailed (base/error.h); --json is not written then.
//   Interrupted, after the results so far are printed and written.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "results/fields/field.h"
#include "runner/file_uses.h"
#include "runner/question.h"

namespace fredsim {

// Parts of a command line that all commands have.
struct Invocation {
  std::string command_line;  // complete and quoted for a shell: "fredsim run …"
  FileUses files;            // known before machines are read
};

class Command {
 public:
  Command() = default;
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Adds arguments and options in the order of the help text. Given values are kept as text.
  virtual void add_to(CLI::App& app) = 0;
  // Checks the parsed command line. BadInput with the option, the found value and the allowed
  // values, for checks that need no machine.
  virtual void check() = 0;
  // Files of the command; called after check().
  virtual FileUses files() const = 0;
  // Question of the command, after check(); none if it asks none.
  virtual std::optional<Question> question() const { return std::nullopt; }
  // Runs the command once per process, during SystemC elaboration.
  virtual void run(const Invocation& invocation) = 0;
};

struct CommandRow {
  const char* name;
  const char* purpose;       // one sentence
  const char* aliases = "";  // names in other simulators, separated by blanks, for hints
  const char* several = "";  // the command for several machines, if this one takes one
  // Options of --help, most important first, separated by blanks; empty: all. --help-all shows all.
  const char* main_options = "";
  const char* examples;  // command lines, indented by two; --help shows the first two (help.h)
  std::unique_ptr<Command> (*make)();
  // True if several processes may run it together (ranks/ranks.h).
  bool runs_on_ranks = false;
  // Kind of its results (report/fields/all.h), if a study's point can be this command with one
  // machine.
  const fields::Object* point_results = nullptr;
};

}  // namespace fredsim
