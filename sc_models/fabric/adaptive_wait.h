// SPDX-License-Identifier: Apache-2.0
// Wait of a thread for another that it synchronises with often: it spins for a while, then it
// sleeps.
//
// Spinning saves the time to wake a thread if the other thread runs meanwhile. On a busy core it
//   does not run, and spinning takes the core that it needs. So the limit of spins follows from the
//   outcome of the last waits: doubled when the other thread came in time, halved when it did not.
//   After kProbe sleeps in a row at the lowest limit one wait has the highest, to detect that cores
//   are free again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace fredsim {

class alignas(64) AdaptiveWait {
 public:
  static constexpr int kMaxSpins = 2000;  // some tens of microseconds
  static constexpr int kMinSpins = 16;
  static constexpr int kProbe = 64;

  // Returns once the word differs from `old`; the thread that changes it calls notify().
  void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t old) {
    const bool probes = limit_ == kMinSpins && sleeps_in_a_row_ >= kProbe;
    if (probes) {
      limit_ = kMaxSpins;
      sleeps_in_a_row_ = 0;
    }
    for (int spin = 0; spin < limit_; ++spin) {
      if (word.load(std::memory_order_acquire) != old) {
        limit_ = std::min(2 * limit_, kMaxSpins);
        sleeps_in_a_row_ = 0;
        return;
      }
      count(spins_);
      relax();
    }
    limit_ = probes ? kMinSpins : std::max(limit_ / 2, kMinSpins);
    ++sleeps_in_a_row_;
    count(sleeps_);
    while (word.load(std::memory_order_acquire) == old) word.wait(old, std::memory_order_acquire);
  }

  // Futile spins and sleeps so far; any thread may call.
  std::uint64_t spins() const { return spins_.load(std::memory_order_acquire); }
  std::uint64_t sleeps() const { return sleeps_.load(std::memory_order_acquire); }

 private:
  static void count(std::atomic<std::uint64_t>& counter) {  // written by one thread only
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  // Tells the processor that this thread only waits.
  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  int limit_ = kMaxSpins;
  int sleeps_in_a_row_ = 0;
  std::atomic<std::uint64_t> spins_ = 0, sleeps_ = 0;
};

}  // namespace fredsim
