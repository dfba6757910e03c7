// SPDX-License-Identifier: Apache-2.0
// Guard of a rank: it reports the cause of its rank's end, except for signals that it passes on.
#include "ranks/rank_guard.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace fredsim {
namespace {

// A guard whose rank waits for signals.
class Guarded {
 public:
  Guarded() {
    if (::pipe(ends_) != 0) return;
    guard_ = ::fork();
    if (guard_ == 0) {
      ::dup2(ends_[1], STDERR_FILENO);
      ::close(ends_[0]);
      ::close(ends_[1]);
      guard_rank(3, "fredsim");
      for (;;) ::pause();
    }
    ::close(ends_[1]);
  }

  // Waits until the guard catches SIGTERM.
  bool is_up() const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      std::ifstream status("/proc/" + std::to_string(guard_) + "/status");
      for (std::string line; std::getline(status, line);) {
        if (!line.starts_with("SigCgt:")) continue;
        if (((std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1)) & 1) != 0) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  pid_t rank() const {
    std::ifstream children("/proc/" + std::to_string(guard_) + "/task/" + std::to_string(guard_) +
                           "/children");
    pid_t rank = 0;
    children >> rank;
    return rank;
  }
  pid_t guard() const { return guard_; }

  // Text of its messages, once it is gone.
  std::string end() {
    std::string said;
    char text[256];
    for (ssize_t n = 0; (n = ::read(ends_[0], text, sizeof text)) > 0;)
      said.append(text, static_cast<std::size_t>(n));
    ::close(ends_[0]);
    ::waitpid(guard_, &status_, 0);
    return said;
  }
  int status() const { return status_; }

 private:
  int ends_[2] = {-1, -1};
  pid_t guard_ = -1;
  int status_ = 0;
};

TEST(RankGuard, ReportsASignalThatEndsItsRank) {
  Guarded guarded;
  ASSERT_TRUE(guarded.is_up());
  ASSERT_GT(guarded.rank(), 0);
  ::kill(guarded.rank(), SIGTERM);
  EXPECT_EQ(guarded.end(), "fredsim: rank 3 was ended by signal 15 (Terminated)\n");
  EXPECT_TRUE(WIFEXITED(guarded.status()));
  EXPECT_EQ(WEXITSTATUS(guarded.status()), 1);
}

// Launchers end the other ranks this way once one has left: a report would hide the cause.
TEST(RankGuard, IsSilentAboutASignalItPassesOn) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    SCOPED_TRACE(signal);
    Guarded guarded;
    ASSERT_TRUE(guarded.is_up());
    ::kill(guarded.guard(), signal);
    EXPECT_EQ(guarded.end(), "");
    EXPECT_TRUE(WIFEXITED(guarded.status()));
    EXPECT_EQ(WEXITSTATUS(guarded.status()), 1);
  }
}

}  // namespace
}  // namespace fredsim
