// SPDX-License-Identifier: Apache-2.0
#include "runner/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "base/error.h"
#include "runner/program_name.h"

namespace fredsim {

namespace {

// State that a signal handler can reach.
std::atomic<bool> interrupted{false};
std::atomic<bool> is_planning{false};
thread_local const std::atomic<bool>* own_flag = nullptr;
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr const char* kDuringPlanning = "interrupted during planning";

void say_during_planning() {
  for (const std::string_view text : {program_name(), ": ", kDuringPlanning, "\n"}) {
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
  }
}

void on_signal(int) {
  const bool is_first = !interrupted.exchange(true);
  if (is_first && !is_planning) return;
  if (is_first) say_during_planning();
  ::_exit(static_cast<int>(ExitCode::kInterrupted));
}

void handle(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

const std::atomic<bool>& interrupt_flag() {
  if (own_flag != nullptr) return *own_flag;
  static const bool installed = (handle(SIGINT), handle(SIGTERM), handle(SIGHUP), true);
  static_cast<void>(installed);
  return interrupted;
}

OwnInterrupt::OwnInterrupt(const std::atomic<bool>& flag) { own_flag = &flag; }

OwnInterrupt::~OwnInterrupt() { own_flag = nullptr; }

InterruptEndsPlanning::InterruptEndsPlanning() {
  is_planning = true;
  if (!interrupt_flag()) return;
  is_planning = false;
  throw Interrupted(kDuringPlanning);
}

InterruptEndsPlanning::~InterruptEndsPlanning() { is_planning = false; }

}  // namespace fredsim
