// SPDX-License-Identifier: Apache-2.0
// Work of this process in child processes, whose outputs are caught in memory.
//
// None outlives this process or this object: both end them by SIGTERM, which they take as an
// interruption.
// Errors: RunFailed, where the system gives no process or memory; those of a ChildProcess.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <string>

#include "base/child_process.h"

namespace fredsim {

struct EndedProcess {
  std::size_t id = 0;
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string out, err;
};

class ChildProcesses {
 public:
  ChildProcesses();
  ~ChildProcesses();
  ChildProcesses(const ChildProcesses&) = delete;
  ChildProcesses& operator=(const ChildProcesses&) = delete;

  // `work` gives the exit code.
  void start(std::size_t id, const std::function<int()>& work);
  std::size_t running() const { return children_.size(); }
  // The next one that has ended; none within this time, or before a signal came.
  std::optional<EndedProcess> wait(std::chrono::milliseconds time);

 private:
  // A file in memory that is closed at the end.
  class Memory {
   public:
    Memory();
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    int descriptor() const { return descriptor_; }
    std::string text() const;

   private:
    int descriptor_;
  };
  struct Child {
    Child(std::size_t number, const std::function<int()>& work, const sigset_t& blocked);

    std::size_t id;
    Memory out, err;
    ChildProcess process;
  };

  std::optional<EndedProcess> take_ended();

  std::list<Child> children_;
  sigset_t before_{};  // signals that were blocked before
};

}  // namespace fredsim
