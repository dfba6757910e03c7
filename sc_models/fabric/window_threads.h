// SPDX-License-Identifier: Apache-2.0
// Threads, the caller's among them, that run the same work at the same time, one for each partition or share of it, and
// meet as often as it asks.
//
// Threads start with the object and end with it; between two runs they sleep.
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

  // work(partition) of all of them; returns when all are done. It must not throw.
  void run(const std::function<void(int partition)>& work);
  // Called in work(partition); returns when all are here.
  void meet(int partition) { meeting_.arrive_and_wait(partition); }

 private:
  Barrier gate_, meeting_;
  const std::function<void(int)>* work_ = nullptr;  // null at the gate: the end
  std::vector<std::jthread> threads_;
};

}  // namespace fredsim
