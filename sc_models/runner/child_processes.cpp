// SPDX-License-Identifier: Apache-2.0
#include "runner/child_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "runner/program_name.h"

namespace fredsim {
namespace {

constexpr std::chrono::seconds kPatience{5};  // for children that are asked to end
constexpr int kNotStarted = 127;              // as shells have it

[[noreturn]] void fail(const char* what) {
  throw RunFailed(
      fmt::format("{}: the system gives none: {}", what, std::generic_category().message(errno)));
}

sigset_t child_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGCHLD);
  return signals;
}

// In the child: becomes this program anew.
[[noreturn]] void become(char* const* argv, pid_t parent, int out, int err,
                         const sigset_t& signals) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kNotStarted);  // it has gone before
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  ::execv("/proc/self/exe", argv);
  ::_exit(kNotStarted);
}

}  // namespace

ChildProcesses::Memory::Memory() : descriptor_(::memfd_create("fredsim", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail("memory for the output of a child process");
}

ChildProcesses::Memory::~Memory() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string ChildProcesses::Memory::text() const {
  std::string text;
  std::array<char, std::size_t{1} << 16> part{};
  for (;;) {
    const ssize_t length =
        ::pread(descriptor_, part.data(), part.size(), static_cast<off_t>(text.size()));
    if (length <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(length));
  }
}

ChildProcesses::ChildProcesses() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;  // ignored, children could not be waited for
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGCHLD, &action, nullptr);
  const sigset_t signals = child_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

ChildProcesses::~ChildProcesses() {
  for (const Child& child : children_) ::kill(child.process, SIGTERM);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!children_.empty() && std::chrono::steady_clock::now() < end)
    wait(std::chrono::milliseconds(100));
  for (const Child& child : children_) {
    ::kill(child.process, SIGKILL);
    ::waitpid(child.process, nullptr, 0);
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void ChildProcesses::start(std::size_t id, const std::vector<std::string>& words) {
  std::vector<std::string> all{program_name()};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  argv.reserve(all.size() + 1);
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::list<Child> started(1);  // nothing can fail once the child is there
  Child& child = started.front();
  child.id = id;
  const pid_t parent = ::getpid();
  child.process = ::fork();
  if (child.process < 0) fail("a child process");
  if (child.process == 0)
    become(argv.data(), parent, child.out.descriptor(), child.err.descriptor(), before_);
  children_.splice(children_.end(), started);
}

std::optional<EndedProcess> ChildProcesses::take_ended() {
  for (auto child = children_.begin(); child != children_.end(); ++child) {
    int status = 0;
    if (::waitpid(child->process, &status, WNOHANG) != child->process) continue;
    EndedProcess ended{.id = child->id, .out = child->out.text(), .err = child->err.text()};
    if (WIFEXITED(status)) {
      ended.exit_code = WEXITSTATUS(status);
    } else {
      ended.signal = WTERMSIG(status);
    }
    children_.erase(child);
    return ended;
  }
  return std::nullopt;
}

std::optional<EndedProcess> ChildProcesses::wait(std::chrono::milliseconds time) {
  if (auto ended = take_ended()) return ended;
  const sigset_t signals = child_signals();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec patience{
      .tv_sec = seconds.count(),
      .tv_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(time - seconds).count()};
  ::sigtimedwait(&signals, nullptr, &patience);
  return take_ended();
}

}  // namespace fredsim
