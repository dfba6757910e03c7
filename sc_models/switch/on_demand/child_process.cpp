// SPDX-License-Identifier: Apache-2.0
#include "switch/on_demand/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/shell.h"

namespace fredsim {
namespace {

class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

// The environment of this process with another TMPDIR.
std::vector<std::string> environment_with(const std::filesystem::path& temporary) {
  std::vector<std::string> variables{"TMPDIR=" + temporary.string()};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("TMPDIR=")) variables.emplace_back(*variable);
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

// Starts it with what `settings` say and standard input empty.
pid_t spawn(const ChildCommand& command, SpawnSettings& settings, char** environment) {
  ::posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addchdir_np(&settings.actions, command.folder.c_str());
  std::vector<std::string> words = command.words;
  pid_t child = -1;
  const int error = ::posix_spawn(&child, words.front().c_str(), &settings.actions,
                                  &settings.attributes, pointers(words).data(), environment);
  if (error != 0) {
    throw BadInput(fmt::format("'{}' cannot be started: {}", command.words.front(),
                               std::generic_category().message(error)));
  }
  return child;
}

std::string failure_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

std::string command_text(const ChildCommand& command) {
  std::string text = "cd " + shell_quoted(command.folder.string()) + " &&";
  for (const std::string& word : command.words) text += " " + shell_quoted(word);
  return text;
}

ChildProcess::ChildProcess(const ChildCommand& command, const std::filesystem::path& output,
                           bool own_group)
    : own_group_(own_group) {
  SpawnSettings settings;
  ::posix_spawn_file_actions_addopen(&settings.actions, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::posix_spawn_file_actions_adddup2(&settings.actions, STDOUT_FILENO, STDERR_FILENO);
  if (own_group) ::posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> variables = environment_with(output.parent_path());
  child_ = spawn(command, settings, pointers(variables).data());
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : child_(std::exchange(other.child_, -1)), own_group_(other.own_group_) {}

ChildProcess::~ChildProcess() {
  if (child_ < 0) return;
  ::kill(own_group_ ? -child_ : child_, SIGKILL);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
}

std::optional<std::string> ChildProcess::failure() {
  int status = 0;
  const pid_t ended = ::waitpid(child_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
  child_ = -1;
  return ended < 0 ? "no child of this process" : failure_of(status);
}

std::optional<std::string> output_of(const ChildCommand& command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  SpawnSettings settings;
  ::posix_spawn_file_actions_adddup2(&settings.actions, ends[1], STDOUT_FILENO);
  pid_t child = -1;
  try {
    child = spawn(command, settings, environ);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t length = ::read(ends[0], part.data(), part.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(length));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return failure_of(status).empty() ? std::optional(text) : std::nullopt;
}

}  // namespace fredsim
