// SPDX-License-Identifier: Apache-2.0
#include "fabric/switch_threads.h"

#include <utility>

namespace fredsim {
namespace {

constexpr std::uint32_t kOpen = 1;
constexpr std::uint32_t kMember = 2;

}  // namespace

SwitchThreads::SwitchThreads(int threads, std::size_t max)
    : threads_(static_cast<std::size_t>(threads)), taken_(max), failures_(max), waits_(threads_) {
  for (std::size_t thread = 1; thread < threads_; ++thread) {
    team_.emplace_back([this, thread] { serve(thread); });
  }
}

SwitchThreads::~SwitchThreads() {
  ends_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void SwitchThreads::serve(std::size_t thread) {
  for (std::uint32_t round = 0;;) {
    waits_[thread].wait_while(round_, round);
    round = round_.load(std::memory_order_acquire);
    if (ends_.load(std::memory_order_relaxed)) return;
    if (!join()) continue;
    take_switches(thread);
    leave();
  }
}

bool SwitchThreads::join() {
  std::uint32_t members = members_.load(std::memory_order_relaxed);
  while ((members & kOpen) != 0) {
    if (members_.compare_exchange_weak(members, members + kMember, std::memory_order_acquire,
                                       std::memory_order_relaxed))
      return true;
  }
  return false;
}

void SwitchThreads::leave() {
  if (members_.fetch_sub(kMember, std::memory_order_release) == kMember) members_.notify_one();
}

void SwitchThreads::take_switches(std::size_t thread) {
  const std::size_t first = switches_ * thread / threads_;
  for (std::size_t k = 0; k < switches_; ++k) {
    const std::size_t i = first + k < switches_ ? first + k : first + k - switches_;
    if (taken_[i].exchange(true, std::memory_order_relaxed)) continue;
    try {
      (*step_)(i);
    } catch (...) {
      failures_[i] = std::current_exception();
      fails_.store(true, std::memory_order_relaxed);
    }
  }
}

void SwitchThreads::run(std::size_t switches, const std::function<void(std::size_t)>& step) {
  switches_ = switches;
  step_ = &step;
  for (std::size_t i = 0; i < switches; ++i) taken_[i].store(false, std::memory_order_relaxed);
  if (switches < 2) {
    take_switches(0);
  } else {
    members_.store(kOpen, std::memory_order_release);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    take_switches(0);
    std::uint32_t members = members_.fetch_and(~kOpen, std::memory_order_acquire) & ~kOpen;
    for (; members != 0; members = members_.load(std::memory_order_acquire)) {
      waits_[0].wait_while(members_, members);
    }
  }
  if (fails_.load(std::memory_order_relaxed)) rethrow_first();
}

void SwitchThreads::rethrow_first() {
  fails_.store(false, std::memory_order_relaxed);
  std::exception_ptr first;
  for (std::exception_ptr& failure : failures_) {
    const std::exception_ptr found = std::exchange(failure, nullptr);
    if (first == nullptr) first = found;
  }
  std::rethrow_exception(first);
}

}  // namespace fredsim
