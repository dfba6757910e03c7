// SPDX-License-Identifier: Apache-2.0
// Limits of a run: it ends if nothing has moved for the watchdog's limit, at its time-out, or when
// it is asked to stop. The stepper of a fabric checks them between two edges.
//
// Times: the watchdog counts edges at which no flit moved (FabricCore::quiet_cycles()); `cycle` is
// the run's own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "fabric/fabric_core.h"

namespace fredsim {

class RunLimits {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  // The core and the flag outlive it. `timeout`: cycles, 0: none; `stop`: null: never.
  RunLimits(const FabricCore& core, std::uint64_t watchdog, std::uint64_t timeout = 0,
            const std::atomic<bool>* stop = nullptr)
      : core_(core), watchdog_(watchdog), timeout_(timeout), stop_(stop) {}

  void stop_on(const std::atomic<bool>& stop) { stop_ = &stop; }
  std::uint64_t watchdog() const { return watchdog_; }

  bool is_quiet() const { return core_.quiet_cycles() >= watchdog_; }
  bool is_over(std::uint64_t cycle) const { return timeout_ != 0 && cycle > timeout_; }
  // Throws Interrupted if one of several processes is stopped, which cannot end in order by itself:
  // this ends all.
  bool is_stopped() const {
    const bool is_stopped = stop_ != nullptr && stop_->load(std::memory_order_relaxed);
    if (is_stopped && core_.ranks() != nullptr)
      throw Interrupted("interrupted: a run on several processes has no result before its end");
    return is_stopped;
  }
  // Returns true if nothing is in flight any more, or nothing will move again.
  bool is_drained() const { return core_.empty() || is_quiet(); }

  // Edges until the fabric may be quiet; the first cycle beyond the time-out.
  std::uint64_t edges_to_quiet() const {
    return watchdog_ - std::min(watchdog_, core_.quiet_cycles());
  }
  std::uint64_t end() const { return timeout_ != 0 ? timeout_ + 1 : kNever; }

  // Message of a run that is given up: its progress, and its waits (describe_waiting(),
  // engine/diagnosis.h). Since the diagnosis may take edges, the edge at which nothing moved any
  // more, or the time was over, is recorded before.
  struct End {
    std::string what;
    FailureCause cause = FailureCause::kOther;
    std::uint64_t edge = 0;
    RunFailed failure(const std::string& progress, const std::string& waiting) const {
      return RunFailed(fmt::format("{}; {}. What waits:{}", what, progress, waiting), cause, edge);
    }
  };
  End deadlock() const {
    return {fmt::format("deadlock: no flit has moved for {} cycles", watchdog_),
            FailureCause::kDeadlock, quiet_since()};
  }
  End time_out() const {
    return {fmt::format("time-out after {} cycles", timeout_), FailureCause::kOther,
            core_.edge() - 1};
  }
  // the last edge at which a flit moved
  std::uint64_t quiet_since() const { return core_.edge() - 1 - core_.quiet_cycles(); }

 private:
  const FabricCore& core_;
  std::uint64_t watchdog_;
  std::uint64_t timeout_;
  const std::atomic<bool>* stop_;
};

}  // namespace fredsim
