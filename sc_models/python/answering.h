// SPDX-License-Identifier: Apache-2.0
// Runs a question while the interpreter goes on, in a thread of this process or in a forked
// process.
//
// Output: results go to the descriptor `out`, as the text of --json, messages to `err`. The
//   interpreter is not needed meanwhile.
// SystemC: it can be elaborated once per process. This process can therefore answer one question of
//   works or training. Forked processes can answer any number, as long as none was answered in this
//   process. A fork copies only its own thread: if another thread holds a lock at that time, such
//   as one for a first use, the lock stays taken in the child.
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
  // `words`: words of the command. `program`: path of the program, next to which the machine files
  // are. `kept`: descriptors that the words name.
  Answering(const std::vector<std::string>& words, const std::string& program, bool in_process,
            int out, int err, const std::vector<int>& kept);
  ~Answering();  // kill()
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  // Waits up to `seconds`; without a limit if below 0. Returns the exit code, or the number of the
  // signal that ended the process, negated; no value if it has not ended.
  std::optional<int> wait(double seconds);
  void interrupt();
  // Kills the process at once; a thread is interrupted and waited for.
  void kill();

 private:
  AskedQuestion question_;
  std::atomic<bool> is_interrupted_{false};
  std::optional<ChildProcess> child_;
  std::future<int> thread_;
  std::optional<int> code_;
};

}  // namespace fredsim
