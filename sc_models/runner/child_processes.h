// SPDX-License-Identifier: Apache-2.0
// Runs work of this process in child processes and captures their outputs in memory.
//
// No child outlives this process or this object: both end children by SIGTERM, which a child
// handles as an interruption.
// Errors: RunFailed if the system gives no process or memory; errors of a ChildProcess.
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

  // `work` returns the exit code.
  void start(std::size_t id, const std::function<int()>& work);
  std::size_t running() const { return children_.size(); }
  // The next child that has ended; none if the time is over or a signal came first.
  std::optional<EndedProcess> wait(std::chrono::milliseconds time);

 private:
  // A file in memory, closed by the destructor.
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
