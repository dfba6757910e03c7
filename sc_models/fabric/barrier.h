// SPDX-License-Identifier: Apache-2.0
// Barrier for few threads that synchronise often: a thread that arrives early waits as described in
// fabric/adaptive_wait.h.
//
// All that a thread has written before it arrives is visible to all threads after they have left.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/adaptive_wait.h"

namespace fredsim {

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads), waits_(static_cast<std::size_t>(threads)) {}

  // `thread`: number of the calling thread, from 0.
  void arrive_and_wait(int thread) {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    waits_[static_cast<std::size_t>(thread)].wait_while(round_, round);
  }

  const AdaptiveWait& wait(int thread) const { return waits_[static_cast<std::size_t>(thread)]; }

 private:
  int threads_;
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
  std::vector<AdaptiveWait> waits_;  // index: thread
};

}  // namespace fredsim
