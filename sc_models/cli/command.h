// SPDX-License-Identifier: Apache-2.0
// A command of the program: a row of the table in commands.h, and what one command line asks of it.
//
// A command is a file of its own, <name>_command.cpp: options, checks, files, run, help and
// examples. Nothing else compares its name. Results go to standard output, progress to standard
// error.
// Errors: BadInput, RoutingConflict and RunFailed (base/error.h); nothing is written to --json
// then. Interrupted after all that was measured so far is printed and written.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "results/fields/field.h"
#include "runner/file_uses.h"
#include "runner/question.h"

namespace fredsim {

// A command line, as far as all commands have it.
struct Invocation {
  std::string command_line;  // all of it, as a shell takes it: "fredsim run …"
  FileUses files;            // known without a machine
};

class Command {
 public:
  Command() = default;
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Arguments and options, in the order of the help text. What the user gives is kept as text.
  virtual void add_to(CLI::App& app) = 0;
  // After the command line was parsed. BadInput naming the option, what was found and what is
  // allowed, as far as that can be told without reading a machine.
  virtual void check() = 0;
  // After check().
  virtual FileUses files() const = 0;
  // The question that it puts, after check(); none: it puts none.
  virtual std::optional<Question> question() const { return std::nullopt; }
  // Once in a process, during SystemC elaboration.
  virtual void run(const Invocation& invocation) = 0;
};

struct CommandRow {
  const char* name;
  const char* purpose;       // a sentence
  const char* aliases = "";  // names that others have for it, blanks between, for hints
  const char* several = "";  // the command that takes several machines, where this one takes one
  // Options of --help, the most important first, blanks between them; empty: all. --help-all has
  // all.
  const char* main_options = "";
  const char* examples;  // command lines, indented by two; --help has the first two (help.h)
  std::unique_ptr<Command> (*make)();
  // Several processes may run it together (ranks/ranks.h).
  bool runs_on_ranks = false;
  // Kind of its results (report/fields/all.h), where a point of a study can be such a command, with
  // one machine.
  const fields::Object* point_results = nullptr;
};

}  // namespace fredsim
