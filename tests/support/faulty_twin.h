// SPDX-License-Identifier: Apache-2.0
// A twin with a fault beside the RTL in lockstep, and where and when lockstep sees it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "stalls.h"
#include "switch/lockstep_switch.h"
#include "switch/switch_factory.h"

namespace fredsim::tb {

class FaultyTwin final : public SwitchCore {
 public:
  // Changes the pins after a step, or the state that the twin shows from then on. Returns whether
  // it did.
  using Fault = std::function<bool(FaultyTwin&, SwitchPins&)>;
  FaultyTwin(std::unique_ptr<SwitchCore> inner, Fault fault)
      : inner_(std::move(inner)), fault_(std::move(fault)) {}

  void reset() override {
    inner_->reset();
    cycle_ = 0;
    done_ = false;
    counter_ = nullptr;
    phase_ = nullptr;
  }
  void step(SwitchPins& pins) override {
    inner_->step(pins);
    if (!done_ && cycle_ >= kFrom && fault_(*this, pins)) {
      done_ = true;
      at = cycle_;
    }
    ++cycle_;
  }
  bool idle() const override { return inner_->idle(); }
  std::uint32_t error() const override { return inner_->error(); }
  std::string_view model() const override { return inner_->model(); }
  bool peek_counters(SwitchCounters& into) const override {
    const bool peeked = inner_->peek_counters(into);
    if (counter_ != nullptr) ++(into.*counter_);
    return peeked;
  }
  bool peek_phase(SwitchPhase& into) const override {
    const bool peeked = inner_->peek_phase(into);
    if (phase_ != nullptr) into.*phase_ ^= 1;
    return peeked;
  }
  void miscount(std::uint64_t SwitchCounters::*counter) { counter_ = counter; }
  void misphase(std::uint8_t SwitchPhase::*what) { phase_ = what; }

  static constexpr std::uint64_t kFrom = 150;  // traffic is in flight then
  std::uint64_t at = 0;                        // cycle of the fault

 private:
  std::unique_ptr<SwitchCore> inner_;
  Fault fault_;
  std::uint64_t cycle_ = 0;
  bool done_ = false;
  std::uint64_t SwitchCounters::*counter_ = nullptr;
  std::uint8_t SwitchPhase::*phase_ = nullptr;
};

struct Caught {
  LockstepDifference::Where where;
  std::uint64_t injected = 0;  // cycle
};

// `add_traffic`: queues packets of the driver for some hundreds of cycles.
template <class Driver, class Shape, class AddTraffic>
Caught catch_fault(const Shape& shape, const FaultyTwin::Fault& fault,
                   const AddTraffic& add_traffic) {
  auto twin = std::make_unique<FaultyTwin>(make_twin(shape, "dut"), fault);
  const FaultyTwin& faulty = *twin;
  Driver driver(shape,
                std::make_unique<LockstepSwitch>(make_switch(SwitchModel::kRtl, shape, "dut"),
                                                 std::move(twin), shape, "dut"),
                Stalls{}, 1);
  add_traffic(driver);
  try {
    driver.drain(10'000);
  } catch (const LockstepDifference& difference) {
    return {difference.where(), faulty.at};
  }
  ADD_FAILURE() << "the fault of cycle " << faulty.at << " was not caught";
  return {};
}

}  // namespace fredsim::tb
