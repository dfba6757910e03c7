// SPDX-License-Identifier: Apache-2.0
#include "ranks/rank_guard.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace fredsim {
namespace {

volatile pid_t guarded = 0;
volatile sig_atomic_t passed_on = 0;  // last signal passed on

void pass_on(int signal) {
  passed_on = signal;
  if (guarded > 0) ::kill(guarded, signal);
}

}  // namespace

void guard_rank(int rank, const char* program) {
  const pid_t guard = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return;  // works without a guard
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != guard) ::_exit(1);  // the guard has ended already
    return;
  }
  guarded = child;
  struct sigaction action {};
  action.sa_handler = pass_on;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == passed_on) ::_exit(1);
  fmt::print(stderr, "{}: rank {} was ended by signal {} ({})\n", program, rank, signal,
             ::strsignal(signal));
  std::fflush(stderr);
  ::_exit(1);
}

}  // namespace fredsim
