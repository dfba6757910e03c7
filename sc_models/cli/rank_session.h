// SPDX-License-Identifier: Apache-2.0
// Processes of one command line, as `mpirun -n K fredsim …` starts them: rank 0 prints and writes
// files, the others are silent; all leave with the same exit code, and the message of the one that
// failed.
//
// Order: launch() before there are threads; a session from before the command line is parsed to the
//   end of the program.
// Errors: BadInput from begin() where ranks were started by different builds, command lines or
//   input files, or with a command that runs in one process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/parse_command.h"
#include "ranks/ranks.h"
#include "runner/run_ranks.h"

namespace fredsim {

class RankSession {
 public:
  // Returns in the process that does the work, silent unless it is the first (ranks/rank_guard.h).
  // Where no launcher has started several: does nothing.
  static void launch(const char* program);

  RankSession();
  ~RankSession();
  RankSession(const RankSession&) = delete;
  RankSession& operator=(const RankSession&) = delete;

  // Before a command runs.
  void begin(const ParsedCommand& command);
  // Once, with the end of this process: that of all. The text is to be printed where `prints`.
  struct End {
    ExitCode code = ExitCode::kDone;
    std::string text;
    bool prints = true;
  };
  End end(ExitCode code, const std::string& text, bool by_other);

 private:
  std::unique_ptr<Ranks> ranks_;  // null: one process
};

}  // namespace fredsim
