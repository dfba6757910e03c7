// SPDX-License-Identifier: Apache-2.0
// A program under way as a child process, without a shell; it reads nothing.
//
// Errors: BadInput where the program cannot be started, with the system's reason; RunFailed where there is no process for it.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fredsim {

struct ChildCommand {
  std::vector<std::string> words = {};  // path of the program first
  std::filesystem::path folder = {};    // in which it runs; empty: this process's
};

// For a shell: "cd FOLDER && PROGRAM WORD…".
std::string command_text(const ChildCommand& command);

struct ChildSettings {
  std::string program = {};  // file that is run; empty: the first word
  int out = -1, err = -1;    // descriptors that get its output; -1: those of this process
  bool own_group =
      false;  // a process group of its own, as Ctrl-C on a terminal is for whoever watches it
  bool ends_with_parent = false;         // gets SIGTERM when this process ends
  std::filesystem::path temporary = {};  // TMPDIR; empty: this process's
  std::optional<sigset_t> blocked = {};  // signals; none: those of this process
};

struct ChildEnd {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;

  std::string failure() const;  // "exit code 2", "signal 9"; "" where it ended in order
};

class ChildProcess {
 public:
  ChildProcess(const ChildCommand& command, const ChildSettings& settings);
  ~ChildProcess();  // ends it by SIGKILL, and in a group of its own all that it started
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // None while it runs; afterwards it is gone, and nothing may be asked again.
  std::optional<ChildEnd> ended();
  ChildEnd wait();
  void send(int signal) const;

 private:
  pid_t child_ = -1;
  bool own_group_;
};

// Its output goes to a file, beside which its temporary files are.
ChildProcess start_to_file(const ChildCommand& command, const std::filesystem::path& output,
                           bool own_group);

// The output of a program that ends within a moment, as its --version; none if it fails.
std::optional<std::string> output_of(const ChildCommand& command);

}  // namespace fredsim
