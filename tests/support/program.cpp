// SPDX-License-Identifier: Apache-2.0
#include "support/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "support/sanitized.h"

namespace fredsim {

namespace {

constexpr std::chrono::seconds kHangs{300};  // no test runs so long, with sanitizers neither

// Without touching the place at which the program writes.
std::string all_of(std::FILE* file) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t length =
        ::pread(::fileno(file), part.data(), part.size(), static_cast<off_t>(text.size()));
    if (length <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(length));
  }
}

// Standard error without the note of the address sanitizer for the first exception on the stack of
// a SystemC thread, which it does not know.
std::string without_notes(std::string err) {
  if (!kIsSanitized) return err;
  static const std::regex kNote(
      "==\\d+==WARNING: ASan is ignoring requested __asan_handle_no_return.*\\n"
      "False positive.*\\nFor details.*\\n");
  return std::regex_replace(err, kNote, "");
}

// Child side: never returns.
[[noreturn]] void become_program(std::vector<char*>& argv, int out, int err,
                                 const Surroundings& around) {
  const int in = ::open("/dev/null", O_RDONLY);
  if (!around.stdout_file.empty()) out = ::open(around.stdout_file.c_str(), O_WRONLY);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (around.max_file_bytes > 0) {
    const rlimit limit{.rlim_cur = around.max_file_bytes, .rlim_max = around.max_file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (around.max_memory_bytes > 0) {
    const rlimit limit{.rlim_cur = around.max_memory_bytes, .rlim_max = around.max_memory_bytes};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  // The user who runs the tests may have set these.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  ::unsetenv("COLUMNS");
  if (around.columns != nullptr) ::setenv("COLUMNS", around.columns, 1);
  if (!around.cache.empty()) ::setenv("FREDSIM_CACHE", around.cache.c_str(), 1);
  const std::filesystem::path program =
      around.program == "fredsim" ? std::filesystem::path(FREDSIM_PROGRAM)
                                  : std::filesystem::path(FREDSIM_PROGRAMS) / around.program;
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

}  // namespace

RunningProgram::RunningProgram(const std::vector<std::string>& arguments,
                               const Surroundings& around)
    : out_(std::tmpfile()), err_(std::tmpfile()) {
  std::vector<std::string> words{around.called != nullptr ? around.called : around.program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  child_ = ::fork();
  if (child_ == 0) become_program(argv, ::fileno(out_.get()), ::fileno(err_.get()), around);
}

RunningProgram::~RunningProgram() {
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  wait();
}

std::chrono::nanoseconds processor_time(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    return std::chrono::nanoseconds(0);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

bool RunningProgram::wait_for_output(const std::string& text) {
  return wait_until([&] { return all_of(out_.get()).find(text) != std::string::npos; });
}

bool RunningProgram::wait_for_error(const std::string& text) {
  return wait_until([&] { return all_of(err_.get()).find(text) != std::string::npos; });
}

bool RunningProgram::wait_for_processor_time(std::chrono::milliseconds time) {
  return wait_until([&] { return processor_time(child_) >= time; });
}

bool RunningProgram::wait_until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  siginfo_t info{};
  while (!condition()) {
    info.si_pid = 0;
    ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid != 0 || std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

void RunningProgram::send(int signal) const { ::kill(child_, signal); }

Outcome RunningProgram::wait() {
  int status = 0;
  const auto end = std::chrono::steady_clock::now() + kHangs;
  while (::waitpid(child_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      ADD_FAILURE() << "still runs after " << kHangs.count() << " s";
      ::kill(child_, SIGKILL);
      ::waitpid(child_, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  child_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, all_of(out_.get()),
          without_notes(all_of(err_.get()))};
}

Outcome run_fredsim(const std::vector<std::string>& arguments, const Surroundings& around) {
  return RunningProgram(arguments, around).wait();
}

void expect_refused(const Outcome& outcome, const std::vector<std::string>& words) {
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.err.rfind("fredsim: ", 0), 0U) << outcome.err;
  for (const std::string& word : words) {
    EXPECT_NE(outcome.err.find(word), std::string::npos) << "'" << word << "' in " << outcome.err;
  }
  for (const char* text : {"json.exception", "yaml-cpp", "filesystem error", "std::", "bad_alloc",
                           "required", "internal error", "illegal", "not expected"}) {
    EXPECT_EQ(outcome.err.find(text), std::string::npos) << "a library's text: " << outcome.err;
  }
}

std::string FolderTest::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name)) << text;
  return path(name);
}

std::vector<std::string> FolderTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace fredsim
