// SPDX-License-Identifier: Apache-2.0
#include "fabric/window_threads.h"

namespace fredsim {

WindowThreads::WindowThreads(int partitions) : gate_(partitions), barrier_(partitions) {
  for (int partition = 1; partition < partitions; ++partition) {
    threads_.emplace_back([this, partition] {
      for (;;) {
        gate_.arrive_and_wait(partition);
        if (work_ == nullptr) return;
        (*work_)(partition);
        gate_.arrive_and_wait(partition);
      }
    });
  }
}

WindowThreads::~WindowThreads() {
  work_ = nullptr;
  gate_.arrive_and_wait(0);
}

void WindowThreads::run(const std::function<void(int partition)>& work) {
  work_ = &work;
  gate_.arrive_and_wait(0);
  work(0);
  gate_.arrive_and_wait(0);
}

}  // namespace fredsim
