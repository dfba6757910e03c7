// SPDX-License-Identifier: Apache-2.0
// Parallel steps of the switches of one clock edge, for switches with a long step: Verilated RTL.
//
// Threads start and end with the object. Each begins with its own share of the switches and then
//   takes remaining ones of other shares, so that a switch's state stays in the cache of one core
//   while all threads have work.
// The caller never waits for a thread that has not begun. If a thread comes late because the cores
//   are busy, others have done its share. Between two edges threads wait as in
//   fabric/adaptive_wait.h.
// Errors: exceptions of steps; if several throw, that of the first switch, once all have been
// stepped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "fabric/adaptive_wait.h"

namespace fredsim {

class SwitchThreads {
 public:
  // `threads`: 2 or more, the caller's included; for at most `max` switches.
  SwitchThreads(int threads, std::size_t max);
  ~SwitchThreads();
  SwitchThreads(const SwitchThreads&) = delete;
  SwitchThreads& operator=(const SwitchThreads&) = delete;

  // Calls step(i) for each i below `switches`, by any thread; returns when all are done.
  void run(std::size_t switches, const std::function<void(std::size_t)>& step);

  // Edges at which other threads were called; waits of each thread (of the caller, 0: for other
  // threads).
  std::uint32_t rounds() const { return round_.load(std::memory_order_relaxed); }
  const AdaptiveWait& wait(int thread) const { return waits_[static_cast<std::size_t>(thread)]; }

 private:
  void serve(std::size_t thread);
  bool join();
  void leave();
  void take_switches(std::size_t thread);
  void rethrow_first();

  std::size_t threads_;
  // Work of the edge; written while no other thread has joined.
  std::size_t switches_ = 0;
  const std::function<void(std::size_t)>* step_ = nullptr;
  std::atomic<bool> ends_ = false;
  std::vector<std::atomic<bool>> taken_;
  std::vector<std::exception_ptr> failures_;  // index: switch
  std::atomic<bool> fails_ = false;

  alignas(64) std::atomic<std::uint32_t> round_ = 0;  // incremented when there is work
  // kOpen while threads may join, plus kMember for each that has joined.
  alignas(64) std::atomic<std::uint32_t> members_ = 0;
  std::vector<AdaptiveWait> waits_;  // index: thread
  std::vector<std::jthread> team_;
};

}  // namespace fredsim
