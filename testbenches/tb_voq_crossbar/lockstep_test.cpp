// Lockstep over many seeds, and faults put into the twin: seen in the cycle in which they show.

#include "lockstep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "switch/lockstep_switch.h"
#include "switch/switch_factory.h"
#include "voq_driver.h"

namespace fredsim::tb {
namespace {

TEST(VoqLockstep, HalfAMillionCyclesWithoutADifference) {
  std::uint64_t cycles = 0;
  for (std::uint64_t seed = 1; cycles < 500'000; ++seed) {
    try {
      cycles += run_lockstep(seed);
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what();
    }
  }
  RecordProperty("cycles", std::to_string(cycles));
}

// A twin whose pins `fault` may change after a step.
class Faulty final : public SwitchCore {
 public:
  using Fault = std::function<bool(SwitchPins&)>;  // true: it did something
  Faulty(std::unique_ptr<SwitchCore> inner, Fault fault)
      : inner_(std::move(inner)), fault_(std::move(fault)) {}
  void reset() override { inner_->reset(); }
  void step(SwitchPins& pins) override {
    inner_->step(pins);
    if (!done && cycle_ >= kFrom && fault_(pins)) {
      done = true;
      at = cycle_;
    }
    ++cycle_;
  }
  bool idle() const override { return inner_->idle(); }
  std::uint32_t error() const override { return inner_->error(); }
  std::string_view model() const override { return inner_->model(); }
  bool peek_counters(SwitchCounters& into) const override {
    const bool peeked = inner_->peek_counters(into);
    if (done) into.stall_arbiter += miscount;
    return peeked;
  }

  static constexpr std::uint64_t kFrom = 150;  // traffic is under way then
  std::uint64_t at = 0;                        // cycle of the fault
  bool done = false;
  std::uint64_t miscount = 0;

 private:
  std::unique_ptr<SwitchCore> inner_;
  Fault fault_;
  std::uint64_t cycle_ = 0;
};

void expect_caught(const std::string& field,
                   const std::function<bool(Faulty&, SwitchPins&)>& fault) {
  const SwitchShape shape = voq_shape({{"P", 4}});
  Faulty* faulty = nullptr;
  auto twin = std::make_unique<Faulty>(make_twin(shape, "dut"),
                                       [&](SwitchPins& pins) { return fault(*faulty, pins); });
  faulty = twin.get();
  VoqDriver driver(shape,
                   std::make_unique<LockstepSwitch>(make_switch(SwitchModel::kRtl, shape, "dut"),
                                                    std::move(twin), shape, "dut"),
                   {}, 1);
  driver.add_random_packets(400);
  try {
    driver.drain(10'000);
    ADD_FAILURE() << "the fault of cycle " << faulty->at << " was not caught";
  } catch (const LockstepDifference& difference) {
    EXPECT_EQ(difference.where().cycle, faulty->at);
    EXPECT_EQ(difference.where().field, field);
  }
}

TEST(VoqLockstep, CatchesFaultsInTheirCycle) {
  expect_caught("out_flit word 3", [](Faulty&, SwitchPins& pins) {
    if ((pins.out_valid & 2U) == 0) return false;
    pins.out_flit[flit_words(1) + kHeaderWords] ^= 4;
    return true;
  });
  expect_caught("in_credit VC 2", [](Faulty&, SwitchPins& pins) {
    return std::exchange(pins.in_credit[kDp], 0) != 0;
  });
  expect_caught("out_valid",
                [](Faulty&, SwitchPins& pins) { return std::exchange(pins.out_valid, 0) != 0; });
  expect_caught("stall_arbiter", [](Faulty& faulty, SwitchPins&) {
    faulty.miscount = 1;
    return true;
  });
}

}  // namespace
}  // namespace fredsim::tb
