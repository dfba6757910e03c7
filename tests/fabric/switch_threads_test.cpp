// SPDX-License-Identifier: Apache-2.0
// Switches stepped side by side: each once, by several threads, and the failure of the first.

#include "fabric/switch_threads.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace fredsim::test {
namespace {

TEST(SwitchThreads, EachSwitchIsSteppedOnce) {
  constexpr std::size_t kMax = 37;
  SwitchThreads threads(3, kMax);
  for (std::size_t switches = 0; switches <= kMax; ++switches) {
    std::vector<std::atomic<int>> steps(kMax);
    threads.run(switches, [&](std::size_t i) { ++steps[i]; });
    for (std::size_t i = 0; i < kMax; ++i) EXPECT_EQ(steps[i], i < switches ? 1 : 0) << i;
  }
}

// The caller waits in its first step for one that another thread does: alone it would never come
// back.
TEST(SwitchThreads, StepAtTheSameTime) {
  SwitchThreads threads(2, 2);
  std::set<std::thread::id> seen;
  std::mutex lock;
  std::atomic<int> here = 0;
  threads.run(2, [&](std::size_t) {
    ++here;
    while (here < 2) std::this_thread::yield();
    const std::lock_guard guard(lock);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(seen.size(), 2U);
}

TEST(SwitchThreads, TheFailureOfTheFirstIsThrownAndAllHaveStepped) {
  SwitchThreads threads(4, 8);
  for (int again = 0; again < 100; ++again) {
    std::atomic<int> steps = 0;
    try {
      threads.run(8, [&](std::size_t i) {
        ++steps;
        if (i == 3 || i == 6) throw std::runtime_error(std::to_string(i));
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
    EXPECT_EQ(steps, 8);
  }
  int steps = 0;
  threads.run(1, [&](std::size_t) { ++steps; });
  EXPECT_EQ(steps, 1) << "a failure is thrown once";
}

// A thread that does not run, as on a busy core: held in a signal handler until it is let go.
std::atomic<bool> held, let_go, gave_up;

void hold(int) {
  held = true;
  for (int i = 0; !let_go; ++i) {
    if (i == 20'000) gave_up = let_go = true;  // a run() that waits for it would never come back
    const timespec pause = {.tv_sec = 0, .tv_nsec = 100'000};
    nanosleep(&pause, nullptr);
  }
}

TEST(SwitchThreads, AThreadThatDoesNotRunIsNotWaitedFor) {
  held = let_go = gave_up = false;
  SwitchThreads threads(2, 8);
  const pthread_t caller = pthread_self();
  pthread_t other = caller;
  std::atomic<int> here = 0;
  threads.run(2, [&](std::size_t) {
    if (pthread_equal(pthread_self(), caller) == 0) other = pthread_self();
    ++here;
    while (here < 2) std::this_thread::yield();
  });
  struct sigaction action = {}, before = {};
  action.sa_handler = hold;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  ASSERT_EQ(pthread_kill(other, SIGUSR1), 0);
  while (!held) std::this_thread::yield();
  for (int again = 0; again < 100; ++again) {
    int steps = 0;
    threads.run(8, [&](std::size_t) { ++steps; });
    EXPECT_EQ(steps, 8);
  }
  EXPECT_FALSE(gave_up);
  let_go = true;
  ASSERT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
}

// The next edge comes once the other thread sleeps.
TEST(SwitchThreads, SpinLittleBetweenEdgesThatAreFarApart) {
  constexpr std::uint64_t kEdges = 1000;
  SwitchThreads threads(2, 2);
  const AdaptiveWait& other = threads.wait(1);
  for (std::uint64_t edge = 1; edge <= kEdges; ++edge) {
    while (other.sleeps() < edge) std::this_thread::yield();
    threads.run(2, [](std::size_t) {});
  }
  EXPECT_LE(other.spins(), 2 * AdaptiveWait::kMaxSpins + kEdges * AdaptiveWait::kMinSpins +
                               kEdges / AdaptiveWait::kProbe * AdaptiveWait::kMaxSpins);
}

// One switch is not worth waking a thread.
TEST(SwitchThreads, OneSwitchIsSteppedByTheCaller) {
  SwitchThreads threads(3, 4);
  for (int again = 0; again < 10; ++again) {
    threads.run(1, [&, caller = std::this_thread::get_id()](std::size_t) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
    });
    threads.run(0, [](std::size_t) { FAIL(); });
  }
  EXPECT_EQ(threads.rounds(), 0U);
}

}  // namespace
}  // namespace fredsim::test
