// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first SIGINT, SIGTERM or SIGHUP asks the command to end in order, the second ends the
// program at once (exit code 130 both; OutputFile keeps files whole).
#pragma once

#include <atomic>

namespace fredsim {

// From the first call on, the signals set the flag. A signal that the program was started with
// ignored (`nohup`, background jobs of scripts) stays ignored.
const std::atomic<bool>& interrupt_flag();

// While this lives, interrupt_flag() of this thread is `flag`, and signals are left alone: they are
// those of the program in whose process a question is answered.
class OwnInterrupt {
 public:
  explicit OwnInterrupt(const std::atomic<bool>& flag);
  ~OwnInterrupt();
  OwnInterrupt(const OwnInterrupt&) = delete;
  OwnInterrupt& operator=(const OwnInterrupt&) = delete;
};

// Work that does not ask for the flag and leaves nothing to keep, such as planning: while this
// lives the first signal ends the program at once too, after a message. Nothing may wait in the
// buffer of standard output.
// Errors: Interrupted, where a signal came before.
class InterruptEndsPlanning {
 public:
  InterruptEndsPlanning();
  ~InterruptEndsPlanning();
  InterruptEndsPlanning(const InterruptEndsPlanning&) = delete;
  InterruptEndsPlanning& operator=(const InterruptEndsPlanning&) = delete;
};

}  // namespace fredsim
