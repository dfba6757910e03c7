// SPDX-License-Identifier: Apache-2.0
// Deferral of signals while this thread writes.
//
// The signals, SIGPIPE among them, are blocked while an object lives, except during poll(). A pipe
// without readers is an error of write(), EPIPE, and no signal.
#pragma once

#include <poll.h>
#include <pthread.h>

#include <csignal>
#include <ctime>
#include <initializer_list>
#include <span>

namespace fredsim {

class SignalsWait {
 public:
  explicit SignalsWait(std::initializer_list<int> signals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    sigset_t waiting;
    ::sigemptyset(&waiting);
    for (const int signal : signals) ::sigaddset(&waiting, signal);
    ::pthread_sigmask(SIG_BLOCK, &waiting, &before_);
  }
  ~SignalsWait() {
    if (::sigismember(&before_, SIGPIPE) == 0) take_sigpipe();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

  // poll() with ppoll()'s result: negative with EINTR after a signal.
  int poll(std::span<pollfd> descriptors, const timespec* time) const {
    return ::ppoll(descriptors.data(), descriptors.size(), time, &before_);
  }

 private:
  static void take_sigpipe() {
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, SIGPIPE);
    const timespec at_once{};
    while (::sigtimedwait(&only, nullptr, &at_once) == SIGPIPE) {
    }
  }

  sigset_t before_{};
};

}  // namespace fredsim
