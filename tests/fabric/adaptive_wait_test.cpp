// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other: the spin limit adapts to the outcome of the last waits. No test
// reads a clock: the awaited thread arrives once the other one sleeps.

#include "fabric/adaptive_wait.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "fabric/barrier.h"

namespace fredsim::test {
namespace {

// Spins of `waits` waits that all end in a sleep: until the limit has fallen, at the lowest limit,
// and of probes.
constexpr std::uint64_t max_spins(std::uint64_t waits) {
  return 2 * AdaptiveWait::kMaxSpins + waits * AdaptiveWait::kMinSpins +
         waits / AdaptiveWait::kProbe * AdaptiveWait::kMaxSpins;
}

void until_sleeps(const AdaptiveWait& wait, std::uint64_t times) {
  while (wait.sleeps() < times) std::this_thread::yield();
}

TEST(AdaptiveWait, ReturnsAtOnceIfTheWordHasChanged) {
  AdaptiveWait wait;
  const std::atomic<std::uint32_t> word = 1;
  wait.wait_while(word, 0);
  EXPECT_EQ(wait.spins(), 0U);
  EXPECT_EQ(wait.sleeps(), 0U);
}

TEST(AdaptiveWait, SpinsLittleIfTheOtherIsAlwaysLate) {
  constexpr std::uint32_t kWaits = 1000;
  AdaptiveWait wait;
  std::atomic<std::uint32_t> word = 0;
  std::jthread late([&] {
    for (std::uint32_t i = 0; i < kWaits; ++i) {
      until_sleeps(wait, i + 1);
      word.store(i + 1, std::memory_order_release);
      word.notify_all();
    }
  });
  for (std::uint32_t i = 0; i < kWaits; ++i) wait.wait_while(word, i);
  EXPECT_EQ(wait.sleeps(), kWaits);
  EXPECT_LE(wait.spins(), max_spins(kWaits));
  EXPECT_GE(wait.spins(), 10U * AdaptiveWait::kMaxSpins) << "probes";
}

TEST(AdaptiveWait, TheLimitRisesAgainIfTheOtherIsInTime) {
  AdaptiveWait wait;
  std::atomic<std::uint32_t> word = 0;
  const auto spins_in_vain = [&] {
    const std::uint64_t before = wait.spins();
    std::jthread late([&, times = wait.sleeps() + 1] {
      until_sleeps(wait, times);
      ++word;
      word.notify_all();
    });
    wait.wait_while(word, word.load());
    return wait.spins() - before;
  };
  constexpr std::uint64_t kMax = AdaptiveWait::kMaxSpins, kMin = AdaptiveWait::kMinSpins;
  EXPECT_EQ(spins_in_vain(), kMax);
  for (int i = 0; i < 20; ++i) spins_in_vain();
  EXPECT_EQ(spins_in_vain(), kMin);
  wait.wait_while(word, word.load() - 1);
  EXPECT_EQ(spins_in_vain(), 2 * kMin);
  for (int i = 0; i < 20; ++i) wait.wait_while(word, word.load() - 1);
  EXPECT_EQ(spins_in_vain(), kMax);
}

// Two threads that synchronise often, the second one always late.
TEST(Barrier, AThreadThatIsEarlySleeps) {
  constexpr std::uint64_t kMeetings = 1000;
  Barrier barrier(2);
  std::uint64_t written = 0;
  std::jthread late([&] {
    for (std::uint64_t meeting = 1; meeting <= kMeetings; ++meeting) {
      until_sleeps(barrier.wait(0), meeting);
      written = meeting;
      barrier.arrive_and_wait(1);
    }
  });
  for (std::uint64_t meeting = 1; meeting <= kMeetings; ++meeting) {
    barrier.arrive_and_wait(0);
    EXPECT_EQ(written, meeting);
  }
  EXPECT_LE(barrier.wait(0).spins(), max_spins(kMeetings));
  EXPECT_EQ(barrier.wait(1).spins(), 0U) << "the last to arrive does not wait";
}

}  // namespace
}  // namespace fredsim::test
