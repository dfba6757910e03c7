// Lockstep over many seeds, and faults put into one of the two implementations: seen in the cycle in which they
// show, at the right port and field.

#include "lockstep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "switch/lockstep_switch.h"
#include "switch/switch_factory.h"
#include "switch_driver.h"

namespace fredsim::tb {
namespace {

TEST(Lockstep, AMillionCyclesWithoutADifference) {
  std::uint64_t cycles = 0;
  for (std::uint64_t seed = 1; cycles < 1'000'000; ++seed) {
    try {
      cycles += run_lockstep(seed);
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what();
    }
  }
  RecordProperty("cycles", std::to_string(cycles));
}

// A twin with a fault: `fault` may change the pins or the counters after a step.
class Faulty final : public SwitchCore {
 public:
  using Fault = std::function<bool(SwitchPins&)>;  // true: it did something
  Faulty(std::unique_ptr<SwitchCore> inner, Fault fault)
      : inner_(std::move(inner)), fault_(std::move(fault)) {}
  void reset() override {
    inner_->reset();
    cycle_ = 0;
    done_ = miscounts_ = misphases_ = false;
  }
  void step(SwitchPins& pins) override {
    inner_->step(pins);
    if (!done_ && cycle_ >= kFrom && fault_(pins)) {
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
    if (miscounts_) ++into.reductions;
    return peeked;
  }
  bool peek_phase(SwitchPhase& into) const override {
    const bool peeked = inner_->peek_phase(into);
    if (misphases_) into.*phase_fault_ ^= 1;
    return peeked;
  }
  void miscount() { miscounts_ = true; }
  void misphase(std::uint8_t SwitchPhase::*what) {
    misphases_ = true;
    phase_fault_ = what;
  }

  static constexpr std::uint64_t kFrom = 150;  // traffic is under way then
  std::uint64_t at = 0;                        // cycle of the fault

 private:
  std::unique_ptr<SwitchCore> inner_;
  Fault fault_;
  std::uint64_t cycle_ = 0;
  bool done_ = false;
  bool miscounts_ = false, misphases_ = false;
  std::uint8_t SwitchPhase::*phase_fault_ = nullptr;
};

struct Caught {
  LockstepDifference::Where where;
  std::uint64_t injected = 0;
};

Caught catch_fault(const std::function<bool(Faulty&, SwitchPins&)>& fault) {
  TestedSwitch shape;
  shape.fred = {12, 3};
  Faulty* faulty = nullptr;
  auto twin = std::make_unique<Faulty>(make_twin(shape, "dut"),
                                       [&](SwitchPins& pins) { return fault(*faulty, pins); });
  faulty = twin.get();
  SwitchDriver driver(shape,
                      std::make_unique<LockstepSwitch>(make_switch(SwitchModel::kRtl, shape, "dut"),
                                                       std::move(twin), shape, "dut"),
                      {}, 1);
  Phase phase;
  phase.flows = {{0x00F, 0x0F0}, {0xF00, 0x001}};
  phase.route = shape.route(phase.flows);
  driver.add_phase(phase);
  for (int i = 0; i < 100; ++i) {
    driver.add_packet(0, 0, kPacketFlits);
    driver.add_packet(0, 1, kPacketFlits);
  }
  try {
    driver.drain(10'000);
  } catch (const LockstepDifference& difference) {
    return {difference.where(), faulty->at};
  }
  ADD_FAILURE() << "the fault of cycle " << faulty->at << " was not caught";
  return {};
}

TEST(Lockstep, CatchesAWrongLaneInItsCycle) {
  const Caught caught = catch_fault([](Faulty&, SwitchPins& pins) {
    if ((pins.out_valid >> 5 & 1U) == 0) return false;
    pins.out_flit[5 * flit_words(1) + kHeaderWords] ^= 4;
    return true;
  });
  EXPECT_EQ(caught.where.cycle, caught.injected);
  EXPECT_EQ(caught.where.port, 5);
  EXPECT_EQ(caught.where.field, "out_flit word 3");
  EXPECT_EQ(caught.where.reference ^ caught.where.twin, 4U);
}

TEST(Lockstep, CatchesASwallowedCreditInItsCycle) {
  const Caught caught = catch_fault([](Faulty&, SwitchPins& pins) {
    if ((pins.in_credit[kDp] >> 2 & 1U) == 0) return false;
    pins.in_credit[kDp] &= ~4U;
    return true;
  });
  EXPECT_EQ(caught.where.cycle, caught.injected);
  EXPECT_EQ(caught.where.port, 2);
  EXPECT_EQ(caught.where.field, "in_credit VC 2");
}

TEST(Lockstep, CatchesAMissingFlitInItsCycle) {
  const Caught caught = catch_fault([](Faulty&, SwitchPins& pins) {
    if ((pins.out_valid & 1U) == 0) return false;
    pins.out_valid &= ~1U;
    return true;
  });
  EXPECT_EQ(caught.where.cycle, caught.injected);
  EXPECT_EQ(caught.where.port, 0);
  EXPECT_EQ(caught.where.field, "out_valid");
}

TEST(Lockstep, CatchesAWrongCounterInItsCycle) {
  const Caught caught = catch_fault([](Faulty& faulty, SwitchPins&) {
    faulty.miscount();
    return true;
  });
  EXPECT_EQ(caught.where.cycle, caught.injected);
  EXPECT_EQ(caught.where.field, "reductions");
  EXPECT_EQ(caught.where.reference + 1, caught.where.twin);
}

TEST(Lockstep, CatchesAWrongPhaseInItsCycle) {
  using Field = std::uint8_t SwitchPhase::*;
  for (const auto& [what, name] : {std::pair{Field{&SwitchPhase::phase}, "phase"},
                                   {&SwitchPhase::vc, "VC"},
                                   {&SwitchPhase::next, "next phase"}}) {
    const Caught caught = catch_fault([what = what](Faulty& faulty, SwitchPins&) {
      faulty.misphase(what);
      return true;
    });
    EXPECT_EQ(caught.where.cycle, caught.injected);
    EXPECT_EQ(caught.where.field, std::string("control unit, ") + name);
  }
}

// A phase of MP comes while one of DP is busy: what the control unit shows, edge by edge, in lockstep.
TEST(ControlUnit, ShowsThePhaseInUseAndItsPreEmption) {
  TestedSwitch shape;
  shape.fred = {4, 3};
  SwitchDriver driver(shape, make_switch(SwitchModel::kLockstep, shape, "dut"), {}, 1);
  for (const int vc : {kDp, kMp}) {
    Phase phase;
    phase.vc = vc;
    phase.flows = {{0x3, 0xC}};
    phase.route = shape.route(phase.flows);
    driver.add_phase(phase);
  }
  SwitchPhase now;
  ASSERT_TRUE(driver.core().peek_phase(now));
  EXPECT_EQ(now, SwitchPhase{});
  for (int i = 0; i < 20; ++i) driver.add_packet(0, 0, kPacketFlits);
  std::vector<SwitchPhase> seen{now};
  const auto step = [&] {
    driver.step();
    ASSERT_TRUE(driver.core().peek_phase(now));
    if (now != seen.back()) seen.push_back(now);
  };
  for (int i = 0; i < 30; ++i) step();
  driver.add_packet(1, 0, kPacketFlits);
  for (int i = 0; i < 300; ++i) step();
  std::vector<SwitchPhase> loads;
  for (const SwitchPhase& p : seen) {
    if (p.loading) loads.push_back(p);
  }
  ASSERT_EQ(loads.size(), 3U);
  EXPECT_FALSE(loads[0].active);
  EXPECT_EQ(loads[0].next, 0);
  EXPECT_TRUE(loads[1].active);
  EXPECT_TRUE(loads[1].busy) << "pre-empted, not silent";
  EXPECT_EQ(loads[1].phase, 0);
  EXPECT_EQ(loads[1].vc, kDp);
  EXPECT_EQ(loads[1].next, 1);
  EXPECT_EQ(loads[2].phase, 1);
  EXPECT_EQ(loads[2].vc, kMp);
  EXPECT_FALSE(loads[2].busy) << "gives way to a lower priority when silent";
  EXPECT_EQ(loads[2].next, 0);
  EXPECT_FALSE(seen.back().busy);
  EXPECT_EQ(seen.back().phase, 0);
}

}  // namespace
}  // namespace fredsim::tb
