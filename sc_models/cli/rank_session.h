// SPDX-License-Identifier: Apache-2.0
// Session of the processes of one command line, as started by `mpirun -n K fredsim …`: rank 0
// prints and writes files, the remaining ranks are silent; all leave with the same exit code and
// the message of the rank that failed.
//
// Order: launch() before there are threads; a session from before the command line is parsed to the
//   end of the program.
// Errors: BadInput from begin() if ranks were started with different builds, command lines or input
//   files, or with a command that runs in one process.
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
  // Forks, if a launcher has started several processes: the launched process guards its child and
  // does not return (ranks/rank_guard.h); the call returns in the child, which does the work and is
  // silent unless its rank is 0.
  static void launch(const char* program);

  RankSession();
  ~RankSession();
  RankSession(const RankSession&) = delete;
  RankSession& operator=(const RankSession&) = delete;

  // Checks the command; called before it runs.
  void begin(const ParsedCommand& command);
  // Agrees on the common end of all processes, given the end of this one; called once. The text is
  // to be printed if `prints`.
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
