// SPDX-License-Identifier: Apache-2.0
// Answer to a question while the interpreter goes on: by a thread of this process, or in a process
// forked from it.
//
// Results are written to the descriptor `out`, as the text of --json, a message to `err`. The
//   interpreter is not needed meanwhile.
// SystemC is elaborated once in a process: questions of works and training in this one are answered
//   once, in forked ones any number of times as long as none was in this one. A fork takes no other
//   thread along: one that is in the middle of a first use of something may leave it locked.
// Errors: RunFailed if the system gives no process or thread; errors of a question are its exit
//   code and message.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/child_process.h"
#include "cli/answer.h"

namespace fredsim {

class Answering {
 public:
  // `words`: words of the command. `program`: path of the program, beside which machine files are.
  // `kept`: descriptors that the words name.
  Answering(const std::vector<std::string>& words, const std::string& program, bool in_process,
            int out, int err, const std::vector<int>& kept);
  ~Answering();  // kill()
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  // The exit code, below 0 the signal that ended it; none: not within this time, in seconds, below
  // 0: any.
  std::optional<int> wait(double seconds);
  void interrupt();
  // Ends the process at once; a thread runs to its end first.
  void kill();

 private:
  AskedQuestion question_;
  std::atomic<bool> is_interrupted_{false};
  std::optional<ChildProcess> child_;
  std::future<int> thread_;
  std::optional<int> code_;
};

}  // namespace fredsim
