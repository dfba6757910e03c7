#include "fabric/switch_threads.h"

#include <utility>

namespace fredsim {

SwitchThreads::SwitchThreads(int threads, std::size_t most)
    : threads_(static_cast<std::size_t>(threads)), team_(threads), taken_(most), failures_(most) {}

void SwitchThreads::run(std::size_t switches, const std::function<void(std::size_t)>& step) {
  for (std::size_t i = 0; i < switches; ++i) taken_[i].store(false, std::memory_order_relaxed);
  std::atomic<bool> fails = false;
  team_.run([&](int thread) {
    const std::size_t first = switches * static_cast<std::size_t>(thread) / threads_;
    for (std::size_t k = 0; k < switches; ++k) {
      const std::size_t i = first + k < switches ? first + k : first + k - switches;
      if (taken_[i].exchange(true, std::memory_order_relaxed)) continue;
      try {
        step(i);
      } catch (...) {
        failures_[i] = std::current_exception();
        fails.store(true, std::memory_order_relaxed);
      }
    }
  });
  if (!fails) return;
  std::exception_ptr first;
  for (std::exception_ptr& failure : failures_) {
    const std::exception_ptr found = std::exchange(failure, nullptr);
    if (first == nullptr) first = found;
  }
  std::rethrow_exception(first);
}

}  // namespace fredsim
