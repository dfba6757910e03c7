// SPDX-License-Identifier: Apache-2.0
#include "runner/child_processes.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr std::chrono::seconds kPatience{5};  // for children to end after SIGTERM

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
  action.sa_handler = SIG_DFL;  // if it were ignored, children could not be waited for
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGCHLD, &action, nullptr);
  const sigset_t signals = child_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

ChildProcesses::~ChildProcesses() {
  for (const Child& child : children_) child.process.send(SIGTERM);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!children_.empty() && std::chrono::steady_clock::now() < end)
    wait(std::chrono::milliseconds(100));
  children_.clear();  // kills children with SIGKILL
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

ChildProcesses::Child::Child(std::size_t number, const std::function<int()>& work,
                             const sigset_t& blocked)
    : id(number),
      process(work, {.out = out.descriptor(),
                     .err = err.descriptor(),
                     .ends_with_parent = true,
                     .blocked = blocked}) {}

void ChildProcesses::start(std::size_t id, const std::function<int()>& work) {
  children_.emplace_back(id, work, before_);
}

std::optional<EndedProcess> ChildProcesses::take_ended() {
  for (auto child = children_.begin(); child != children_.end(); ++child) {
    const std::optional<ChildEnd> end = child->process.ended();
    if (!end) continue;
    EndedProcess ended{.id = child->id,
                       .exit_code = end->exit_code,
                       .signal = end->signal,
                       .out = child->out.text(),
                       .err = child->err.text()};
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
