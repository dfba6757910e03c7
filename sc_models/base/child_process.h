// SPDX-License-Identifier: Apache-2.0
// A program, or work of this program, that runs as a child process, without a shell; it has no
// input.
//
// Errors: BadInput if the program cannot be started, with the system's reason; RunFailed if the
// system has no process for it.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fredsim {

struct ChildCommand {
  std::vector<std::string> words = {};  // path of the program first
  std::filesystem::path folder = {};    // working directory; empty: this process's
};

// Text for a shell: "cd FOLDER && PROGRAM WORD…".
std::string command_text(const ChildCommand& command);

struct ChildSettings {
  std::string program = {};  // file that is run; empty: the first word
  int out = -1, err = -1;    // descriptors that get its output; -1: those of this process
  bool own_group =
      false;  // a process group of its own, as a foreground program has on a terminal (Ctrl-C)
  bool ends_with_parent = false;         // gets SIGTERM when this process ends
  std::filesystem::path temporary = {};  // TMPDIR; empty: this process's
  std::optional<sigset_t> blocked = {};  // signals; none: those of this process
};

struct ChildEnd {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;

  std::string failure() const;  // "exit code 2", "signal 9"; "" after a normal end
};

class ChildProcess {
 public:
  ChildProcess(const ChildCommand& command, const ChildSettings& settings);
  // A copy of this process in which `work` gives the exit code. It keeps no descriptors but its
  // output and `kept`. Other threads are not copied: a lock that one holds is never released there.
  ChildProcess(const std::function<int()>& work, const ChildSettings& settings,
               const std::vector<int>& kept = {});
  ~ChildProcess();  // kills the child by SIGKILL, and with a group of its own all that it started
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Returns no value while the child runs; once it has ended, no member may be called again.
  std::optional<ChildEnd> ended();
  ChildEnd wait();
  void send(int signal) const;

 private:
  pid_t child_ = -1;
  bool own_group_;
};

// Starts a program whose output goes to a file; its temporary files are beside this file.
ChildProcess start_to_file(const ChildCommand& command, const std::filesystem::path& output,
                           bool own_group);

// Output of a program that ends within a moment, such as its --version; no value if it fails.
std::optional<std::string> output_of(const ChildCommand& command);

}  // namespace fredsim
