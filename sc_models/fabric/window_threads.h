// SPDX-License-Identifier: Apache-2.0
// Threads, the caller's included, that run the same work at the same time, one for each partition
// or share, with a barrier that the work calls.
//
// Threads start and end with the object; between two runs they sleep.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "fabric/barrier.h"

namespace fredsim {

class WindowThreads {
 public:
  explicit WindowThreads(int partitions);
  ~WindowThreads();
  WindowThreads(const WindowThreads&) = delete;
  WindowThreads& operator=(const WindowThreads&) = delete;

  // Runs work(partition) on all threads; returns when all are done. It must not throw.
  void run(const std::function<void(int partition)>& work);
  // Barrier, called in work(partition): returns when all threads are here.
  void synchronise(int partition) { barrier_.arrive_and_wait(partition); }

 private:
  Barrier gate_, barrier_;
  const std::function<void(int)>* work_ = nullptr;  // null when the threads start: they end
  std::vector<std::jthread> threads_;
};

}  // namespace fredsim
