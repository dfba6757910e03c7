// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first SIGINT, SIGTERM or SIGHUP asks the command to end in order, the second ends the
// program at once (exit code 130 both; OutputFile keeps files whole).
#pragma once

#include <atomic>

namespace fredsim {

// Installs the handlers on the first call; from then on signals set the flag. A signal that was
// ignored when the program started (`nohup`, background jobs of scripts) stays ignored.
const std::atomic<bool>& interrupt_flag();

// While an object lives, interrupt_flag() of this thread is `flag`, and signal handlers are not
// installed: signals belong to the program in whose process a question is answered.
class OwnInterrupt {
 public:
  explicit OwnInterrupt(const std::atomic<bool>& flag);
  ~OwnInterrupt();
  OwnInterrupt(const OwnInterrupt&) = delete;
  OwnInterrupt& operator=(const OwnInterrupt&) = delete;
};

// Guards work that does not check the flag and has no results to keep, such as planning: while an
// object lives, the first signal also ends the program at once, after a message. The buffer of
// standard output must be empty.
// Errors: Interrupted, if a signal came before.
class InterruptEndsPlanning {
 public:
  InterruptEndsPlanning();
  ~InterruptEndsPlanning();
  InterruptEndsPlanning(const InterruptEndsPlanning&) = delete;
  InterruptEndsPlanning& operator=(const InterruptEndsPlanning&) = delete;
};

}  // namespace fredsim
