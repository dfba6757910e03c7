// SPDX-License-Identifier: Apache-2.0
#include "base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/shell.h"

namespace fredsim {
namespace {

constexpr int kNotStarted = 127;  // the exit code of shells

// File descriptor that is closed at the end, and in programs that are started.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read, write;
};

Pipe new_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw RunFailed(fmt::format("a pipe to a child process: the system gives none: {}",
                                std::generic_category().message(errno)));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Bytes up to the end.
std::string text_from(const Descriptor& file) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t length = ::read(file.number(), part.data(), part.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(length));
  }
}

// The environment of this process with another TMPDIR.
std::vector<std::string> environment_with(const std::filesystem::path& temporary) {
  std::vector<std::string> variables;
  if (!temporary.empty()) variables.push_back("TMPDIR=" + temporary.string());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (temporary.empty() || !std::string_view(*variable).starts_with("TMPDIR="))
      variables.emplace_back(*variable);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

[[noreturn]] void refuse(const std::string& program, int error) {
  throw BadInput(
      fmt::format("'{}' cannot be started: {}", program, std::generic_category().message(error)));
}

// Pointers to what the child needs: after the fork it allocates nothing.
struct Start {
  const char* program;
  char* const* words;
  char* const* environment;
  const char* folder;  // null: none
  const ChildSettings* settings;
  pid_t parent;
  int failed;  // errno if the program does not start
};

bool redirect(int from, int to) { return from < 0 || ::dup2(from, to) >= 0; }

// Sets the child up. Returns false on failure; errno says why.
bool settle(const ChildSettings& settings, pid_t parent) {
  if (settings.ends_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(kNotStarted);  // the parent has ended already
  }
  if (settings.own_group) ::setpgid(0, 0);
  if (settings.blocked) ::pthread_sigmask(SIG_SETMASK, &*settings.blocked, nullptr);
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  return redirect(in, STDIN_FILENO) && redirect(settings.out, STDOUT_FILENO) &&
         redirect(settings.err, STDERR_FILENO);
}

// Turns the child into the program.
[[noreturn]] void become(const Start& start) {
  if (settle(*start.settings, start.parent) &&
      (start.folder == nullptr || ::chdir(start.folder) == 0))
    ::execve(start.program, start.words, start.environment);
  const int error = errno;
  if (::write(start.failed, &error, sizeof error) < 0) ::_exit(kNotStarted);
  ::_exit(kNotStarted);
}

// Closes, in the child, all descriptors but standard input, outputs and `kept`.
void close_others(std::vector<int> kept) {
  unsigned next = STDERR_FILENO + 1;
  std::ranges::sort(kept);
  for (const int descriptor : kept) {
    const auto number = static_cast<unsigned>(descriptor);
    if (number < next) continue;
    if (number > next) ::close_range(next, number - 1, 0);
    next = number + 1;
  }
  ::close_range(next, std::numeric_limits<unsigned>::max(), 0);
}

pid_t forked() {
  std::fflush(stdout);  // what waits there is written once
  const pid_t child = ::fork();
  if (child < 0)
    throw RunFailed(fmt::format("a child process: the system gives none: {}",
                                std::generic_category().message(errno)));
  return child;
}

ChildEnd end_of(int status) {
  if (WIFSIGNALED(status)) return {.exit_code = -1, .signal = WTERMSIG(status)};
  return {.exit_code = WEXITSTATUS(status), .signal = 0};
}

}  // namespace

std::string command_text(const ChildCommand& command) {
  std::string text = "cd " + shell_quoted(command.folder.string()) + " &&";
  for (const std::string& word : command.words) text += " " + shell_quoted(word);
  return text;
}

std::string ChildEnd::failure() const {
  if (signal != 0) return fmt::format("signal {}", signal);
  return exit_code == 0 ? "" : fmt::format("exit code {}", exit_code);
}

ChildProcess::ChildProcess(const ChildCommand& command, const ChildSettings& settings)
    : own_group_(settings.own_group) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> variables = environment_with(settings.temporary);
  const std::vector<char*> argv = pointers(words), environment = pointers(variables);
  const std::string program = settings.program.empty() ? words.front() : settings.program;
  const std::string folder = command.folder.string();
  Pipe failed = new_pipe();
  const Start start{.program = program.c_str(),
                    .words = argv.data(),
                    .environment = environment.data(),
                    .folder = folder.empty() ? nullptr : folder.c_str(),
                    .settings = &settings,
                    .parent = ::getpid(),
                    .failed = failed.write.number()};
  child_ = forked();
  if (child_ == 0) become(start);
  if (own_group_) ::setpgid(child_, child_);  // set before anybody sends a signal to it
  failed.write.close();
  const std::string error = text_from(failed.read);
  if (error.size() != sizeof(int)) return;
  wait();
  int number = 0;
  error.copy(reinterpret_cast<char*>(&number), sizeof number);
  refuse(program, number);
}

ChildProcess::ChildProcess(const std::function<int()>& work, const ChildSettings& settings,
                           const std::vector<int>& kept)
    : own_group_(settings.own_group) {
  const pid_t parent = ::getpid();
  child_ = forked();
  if (child_ != 0) return;
  if (!settle(settings, parent)) ::_exit(kNotStarted);
  close_others(kept);
  ::_exit(work());
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : child_(std::exchange(other.child_, -1)), own_group_(other.own_group_) {}

ChildProcess::~ChildProcess() {
  if (child_ < 0) return;
  send(SIGKILL);
  wait();
}

std::optional<ChildEnd> ChildProcess::ended() {
  int status = 0;
  const pid_t found = ::waitpid(child_, &status, WNOHANG);
  if (found == 0 || (found < 0 && errno == EINTR)) return std::nullopt;
  child_ = -1;
  return found < 0 ? ChildEnd{} : end_of(status);
}

ChildEnd ChildProcess::wait() {
  int status = 0;
  pid_t found = -1;
  do {
    found = ::waitpid(child_, &status, 0);
  } while (found < 0 && errno == EINTR);
  child_ = -1;
  return found < 0 ? ChildEnd{} : end_of(status);
}

void ChildProcess::send(int signal) const { ::kill(own_group_ ? -child_ : child_, signal); }

ChildProcess start_to_file(const ChildCommand& command, const std::filesystem::path& output,
                           bool own_group) {
  const Descriptor file(::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) refuse(command.words.front(), errno);
  return {command,
          {.out = file.number(),
           .err = file.number(),
           .own_group = own_group,
           .temporary = output.parent_path()}};
}

std::optional<std::string> output_of(const ChildCommand& command) {
  Pipe output = new_pipe();
  ChildProcess child(command, {.out = output.write.number()});
  output.write.close();
  std::string text = text_from(output.read);
  return child.wait().failure().empty() ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace fredsim
