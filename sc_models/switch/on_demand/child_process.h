// SPDX-License-Identifier: Apache-2.0
// A program under way, without a shell: its output goes to a file, beside which its temporary files are; it reads nothing.
//
// Errors: BadInput where the program cannot be started, with the system's reason.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fredsim {

struct ChildCommand {
  std::vector<std::string> words;  // path of the program first
  std::filesystem::path folder;    // in which it runs
};

// For a shell: "cd FOLDER && PROGRAM WORD…".
std::string command_text(const ChildCommand& command);

class ChildProcess {
 public:
  // `own_group`: it gets a process group of its own, as Ctrl-C on a terminal is for whoever watches it.
  ChildProcess(const ChildCommand& command, const std::filesystem::path& output, bool own_group);
  ~ChildProcess();  // ends it, and in a group of its own all that it started
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // "exit code 2", "signal 9" once it has ended, "" if it did so in order; none while it runs.
  std::optional<std::string> failure();

 private:
  pid_t child_ = -1;
  bool own_group_;
};

// The output of a program that ends within a moment, as its --version; none if it fails.
std::optional<std::string> output_of(const ChildCommand& command);

}  // namespace fredsim
