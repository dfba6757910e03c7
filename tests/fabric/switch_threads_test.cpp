// Switches stepped side by side: each once, by several threads, and the failure of the first.

#include "fabric/switch_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace fredsim::test {
namespace {

TEST(SwitchThreads, EachSwitchIsSteppedOnce) {
  constexpr std::size_t kMost = 37;
  SwitchThreads threads(3, kMost);
  for (std::size_t switches = 0; switches <= kMost; ++switches) {
    std::vector<std::atomic<int>> steps(kMost);
    threads.run(switches, [&](std::size_t i) { ++steps[i]; });
    for (std::size_t i = 0; i < kMost; ++i) EXPECT_EQ(steps[i], i < switches ? 1 : 0) << i;
  }
}

// The caller waits in its first step for one that another thread does: alone it would never come back.
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

}  // namespace
}  // namespace fredsim::test
