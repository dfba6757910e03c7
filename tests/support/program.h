// SPDX-License-Identifier: Apache-2.0
// The program as a child process, for tests: takes arguments, returns exit code and both outputs.
// It runs at the top of the checkout, so that "configs/…" is found.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace fredsim {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

struct Surroundings {
  std::string stdout_file{};           // standard output goes there; empty: into Outcome::out
  std::uint64_t max_file_bytes = 0;    // no file may grow beyond; 0: no limit
  std::uint64_t max_memory_bytes = 0;  // address space; 0: no limit
  const char* columns = nullptr;       // COLUMNS of the environment; null: not set
  std::string cache{};                 // FREDSIM_CACHE of the environment; empty: not set
  std::string program = "fredsim";     // or another one of this build
  const char* called = nullptr;        // word in place of its name; null: its name
};

// Processor time that a process has used; 0: there is none.
std::chrono::nanoseconds processor_time(pid_t process);

// The running program.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& arguments,
                          const Surroundings& around = {});
  ~RunningProgram();  // ends it if it has not been waited for
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  // Until standard output holds the text; false: not within half a minute, or the program has
  // ended.
  bool wait_for_output(const std::string& text);
  bool wait_for_error(const std::string& text);  // likewise for standard error
  // Until it has used so much processor time; false: as above.
  bool wait_for_processor_time(std::chrono::milliseconds time);
  // Until the condition holds; false: as above.
  bool wait_until(const std::function<bool()>& condition);
  void send(int signal) const;
  pid_t process() const { return child_; }
  Outcome wait();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, CloseFile>;

  File out_, err_;
  pid_t child_ = -1;
};

Outcome run_fredsim(const std::vector<std::string>& arguments, const Surroundings& around = {});

// Exit code 2, nothing on standard output, one line on standard error that holds
// every one of `words` and no text of a library.
void expect_refused(const Outcome& outcome, const std::vector<std::string>& words);

// A folder of its own for each test, removed afterwards.
class FolderTest : public testing::Test {
  TemporaryFolder temporary_;

 public:
  FolderTest(const FolderTest&) = delete;
  FolderTest& operator=(const FolderTest&) = delete;

 protected:
  FolderTest() = default;

  std::string path(const std::string& name) const { return temporary_.file(name); }
  std::string write(const std::string& name, const std::string& text) const;  // its path
  std::vector<std::string> files() const;

  const std::filesystem::path folder_ = temporary_.path();
};

std::string read_text(const std::string& path);
std::vector<std::string> lines_of(const std::string& text);

// Arguments followed by more of them.
std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more);

}  // namespace fredsim
