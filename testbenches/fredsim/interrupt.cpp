#include "interrupt.h"

#include <unistd.h>

#include <csignal>

#include "base/error.h"

namespace fredsim {

namespace {

// The one thing that a signal handler can reach.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  if (interrupted.exchange(true)) ::_exit(static_cast<int>(ExitCode::kInterrupted));
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
  static const bool installed = (handle(SIGINT), handle(SIGTERM), true);
  static_cast<void>(installed);
  return interrupted;
}

}  // namespace fredsim
