// A barrier for few threads that meet often: who comes early looks for a while before it sleeps.
//
// What a thread has written before it arrives, all see after they have left.
#pragma once

#include <atomic>
#include <cstdint>

namespace fredsim {

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  void arrive_and_wait() {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int look = 0; look < kLooks; ++look) {
      if (round_.load(std::memory_order_acquire) != round) return;
      relax();
    }
    while (round_.load(std::memory_order_acquire) == round) {
      round_.wait(round, std::memory_order_acquire);
    }
  }

 private:
  // Tells the processor that this thread only waits.
  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  static constexpr int kLooks = 2000;  // some tens of microseconds

  int threads_;
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
};

}  // namespace fredsim
