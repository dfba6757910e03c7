// SPDX-License-Identifier: Apache-2.0
// The lockstep implementation: a fault put into either side is reported in the cycle, port and
// field where it shows; and the factory of implementations.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

#include "base/error.h"
#include "base/random.h"
#include "switch/fred/fred_shape.h"
#include "switch/lockstep_switch.h"
#include "switch/mesh/mesh_shape.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "topology/mesh_address.h"

namespace fredsim {
namespace {

MeshShape mesh_shape() {
  MeshShape shape;
  shape.local_ports = 4;
  shape.io_ports = 2;
  shape.buffers.data_flits = 80;
  return shape;
}

// Fault of the pins after a step; true when there was something to do it to.
using PinFault = std::function<bool(SwitchPins&)>;

// An implementation with one fault: the first time from cycle `from` on that it can show.
class FaultySwitch final : public SwitchCore {
 public:
  explicit FaultySwitch(std::unique_ptr<SwitchCore> inner) : inner_(std::move(inner)) {}

  void reset() override {
    inner_->reset();
    cycle_ = 0;
    struck.reset();
  }
  void step(SwitchPins& pins) override {
    inner_->step(pins);
    if (pin_fault && !struck && cycle_ >= from && pin_fault(pins)) struck = cycle_;
    if (status_from_now()) struck = from;
    ++cycle_;
  }
  bool idle() const override { return inner_->idle() != (wrong_idle && now()); }
  std::uint32_t error() const override {
    return inner_->error() ^ (wrong_error && now() ? 4U : 0U);
  }
  std::string_view model() const override { return inner_->model(); }
  bool peek_counters(SwitchCounters& into) const override {
    if (hidden || !inner_->peek_counters(into)) return false;
    if (counter_fault && now()) counter_fault(into);
    return true;
  }

  std::uint64_t from = 0;
  PinFault pin_fault;
  std::function<void(SwitchCounters&)> counter_fault;
  bool wrong_idle = false, wrong_error = false;
  bool hidden = false;                  // counters can only be read through the register map
  std::optional<std::uint64_t> struck;  // the cycle in which it did

 private:
  bool now() const { return cycle_ > from; }  // after the step of cycle `from`
  bool status_from_now() const {
    return !struck && cycle_ == from && (wrong_idle || wrong_error || counter_fault);
  }

  std::unique_ptr<SwitchCore> inner_;
  std::uint64_t cycle_ = 0;
};

constexpr std::uint32_t kRequested = reg::kCredit + 4 * 5 + 2;

// Random one-flit packets on all ports, every credit given back; a register read every 16 cycles.
void drive(SwitchCore& core, int cycles, const std::function<void(const SwitchPins&)>& look = {}) {
  const MeshShape shape = mesh_shape();
  const int words = flit_words(shape.lanes);
  Random random(7);
  SwitchPins pins(shape.ports(), shape.lanes);
  std::vector<int> credits(static_cast<std::size_t>(shape.ports()), shape.buffers.data_flits);
  core.reset();
  for (int cycle = 0; cycle < cycles; ++cycle) {
    pins.in_valid = 0;
    for (int p = 0; p < shape.ports(); ++p) {
      if (random.below(3) != 0 || credits[p] == 0) continue;
      --credits[p];
      pins.in_valid |= 1U << p;
      // Down for the links, west for the endpoints.
      pack_header({.tag = static_cast<std::uint32_t>(cycle),
                   .dst = mesh_address(0, p == kSouth ? 0 : 1, p == kSouth ? 1 : 0),
                   .vc = kDp,
                   .head = true,
                   .tail = true},
                  &pins.in_flit[p * words]);
    }
    pins.out_ready = static_cast<std::uint32_t>(random.next() | random.next()) & 0x3FF;
    pins.out_credit[kDp] = pins.out_valid;
    pins.reg = {};
    if (cycle % 16 == 5) pins.reg = {true, false, kRequested, 0};
    core.step(pins);
    for (int p = 0; p < shape.ports(); ++p) credits[p] += pins.in_credit[kDp] >> p & 1U;
    if (look) look(pins);
  }
}

struct Fault {
  std::string name;
  std::function<void(FaultySwitch&)> put;
  int port;
  std::string field;
};

PinFault flip(std::uint32_t SwitchPins::*mask, int port) {
  return [=](SwitchPins& pins) {
    pins.*mask ^= 1U << port;
    return true;
  };
}

std::vector<Fault> faults() {
  std::vector<Fault> all{
      {"out_valid", [](FaultySwitch& b) { b.pin_fault = flip(&SwitchPins::out_valid, 6); }, 6,
       "out_valid"},
      {"a_swallowed_credit",
       [](FaultySwitch& b) {
         b.pin_fault = [](SwitchPins& pins) {
           const std::uint32_t before = pins.in_credit[kDp];
           pins.in_credit[kDp] &= ~(1U << 3);
           return pins.in_credit[kDp] != before;
         };
       },
       3, "in_credit VC 2"},
      {"a_credit_for_nothing",
       [](FaultySwitch& b) {
         b.pin_fault = [](SwitchPins& pins) {
           pins.in_credit[kControl] |= 1U << 9;
           return true;
         };
       },
       9, "in_credit VC 3"},
      {"a_bit_of_a_flit",
       [](FaultySwitch& b) {
         b.pin_fault = [](SwitchPins& pins) {
           if ((pins.out_valid >> kSouth & 1U) == 0) return false;
           pins.out_flit[kSouth * flit_words(1) + 3] ^= 1U << 15;
           return true;
         };
       },
       kSouth, "out_flit word 3"},
      {"reg_rdata",
       [](FaultySwitch& b) {
         b.pin_fault = [](SwitchPins& pins) {
           if (!pins.reg.valid) return false;
           pins.reg_rdata ^= 1U << 31;
           return true;
         };
       },
       5, "reg_rdata, credits VC 2"},
      {"idle", [](FaultySwitch& b) { b.wrong_idle = true; }, -1, "idle"},
      {"error", [](FaultySwitch& b) { b.wrong_error = true; }, -1, "error"},
      {"flits_in", [](FaultySwitch& b) { b.counter_fault = [](auto& c) { c.flits_in[8] ^= 1; }; },
       8, "flits_in"},
      {"flits_out",
       [](FaultySwitch& b) { b.counter_fault = [](auto& c) { c.flits_out[2] ^= 1ULL << 63; }; }, 2,
       "flits_out"}};
  const auto counter = [&](const std::string& name, std::uint64_t SwitchCounters::*value) {
    all.push_back(
        {name, [value](FaultySwitch& b) { b.counter_fault = [value](auto& c) { c.*value ^= 1; }; },
         -1, name});
  };
  counter("reductions", &SwitchCounters::reductions);
  counter("phase_changes", &SwitchCounters::phase_changes);
  counter("stall_join", &SwitchCounters::stall_join);
  counter("stall_credit", &SwitchCounters::stall_credit);
  counter("stall_phase", &SwitchCounters::stall_phase);
  counter("stall_arbiter", &SwitchCounters::stall_arbiter);
  counter("stall_link", &SwitchCounters::stall_link);
  return all;
}

enum class Side : bool { kReference, kTwin };
struct Pair {
  std::unique_ptr<LockstepSwitch> lockstep;
  FaultySwitch* faulty;
};

Pair make_pair(Side side) {
  const MeshShape shape = mesh_shape();
  auto faulty = std::make_unique<FaultySwitch>(
      make_switch(side == Side::kTwin ? SwitchModel::kTlm : SwitchModel::kRtl, shape, "n1_2"));
  auto sound =
      make_switch(side == Side::kTwin ? SwitchModel::kRtl : SwitchModel::kTlm, shape, "n1_2");
  Pair pair;
  pair.faulty = faulty.get();
  std::unique_ptr<SwitchCore> other = std::move(faulty);
  if (side == Side::kTwin) std::swap(sound, other);
  pair.lockstep =
      std::make_unique<LockstepSwitch>(std::move(other), std::move(sound), shape, "n1_2");
  return pair;
}

class LockstepFault : public testing::TestWithParam<Fault> {};

TEST_P(LockstepFault, IsReportedWhereItIs) {
  for (const Side side : {Side::kReference, Side::kTwin}) {
    for (const std::uint64_t from : {0U, 1U, 77U, 400U}) {
      SCOPED_TRACE(fmt::format("from cycle {}, side {}", from, static_cast<int>(side)));
      Pair pair = make_pair(side);
      GetParam().put(*pair.faulty);
      pair.faulty->from = from;
      try {
        drive(*pair.lockstep, 600);
        FAIL() << "not seen";
      } catch (const LockstepDifference& difference) {
        const LockstepDifference::Where& w = difference.where();
        ASSERT_TRUE(pair.faulty->struck.has_value());
        EXPECT_EQ(w.cycle, *pair.faulty->struck);
        EXPECT_GE(w.cycle, from);
        EXPECT_EQ(w.instance, "n1_2");
        EXPECT_EQ(w.port, GetParam().port);
        EXPECT_EQ(w.field, GetParam().field);
        EXPECT_NE(w.reference, w.twin);
        EXPECT_EQ(difference.code(), ExitCode::kFailed);
        const std::string what = difference.what();
        for (const std::string& part :
             {std::string("n1_2"), fmt::format("step {} ", w.cycle), w.field,
              w.port < 0 ? std::string() : fmt::format("port {},", w.port), std::string("rtl has "),
              std::string("tlm has ")}) {
          EXPECT_NE(what.find(part), std::string::npos) << what << " lacks " << part;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, LockstepFault, testing::ValuesIn(faults()),
                         [](const auto& fault) { return fault.param.name; });

TEST(Lockstep, SoundImplementationsDoNotDiffer) {
  for (const bool hidden : {false, true}) {
    auto reference =
        std::make_unique<FaultySwitch>(make_switch(SwitchModel::kRtl, mesh_shape(), "n"));
    reference->hidden = hidden;
    LockstepSwitch lockstep(std::move(reference), make_twin(mesh_shape(), "n"), mesh_shape(), "n");
    SwitchCounters counters;
    EXPECT_NE(lockstep.peek_counters(counters), hidden);
    EXPECT_NO_THROW(drive(lockstep, 5000));
    EXPECT_EQ(lockstep.cycle(), 5000U);
  }
}

// A user's own RTL: its counters are read in turn, in the steps in which nobody else reads.
TEST(Lockstep, CountersThatCannotBePeekedAreSwept) {
  const MeshShape shape = mesh_shape();
  Random random(3);
  for (const int address : {reg::kFlitsIn + 0, reg::kFlitsOut + 2 * 9 + 1, int{reg::kStallLink},
                            reg::kCredit + 4 * 9 + 3}) {
    SCOPED_TRACE(address);
    auto reference = std::make_unique<FaultySwitch>(make_switch(SwitchModel::kRtl, shape, "own"));
    reference->hidden = true;
    reference->from = 100 + random.below(200);
    reference->pin_fault = [address](SwitchPins& pins) {
      if (!pins.reg.valid || pins.reg.address != address) return false;
      pins.reg_rdata ^= 1;
      return true;
    };
    FaultySwitch& faulty = *reference;
    LockstepSwitch lockstep(std::move(reference), make_twin(shape, "own"), shape, "own");
    try {
      drive(lockstep, 1000);
      FAIL() << "not seen";
    } catch (const LockstepDifference& difference) {
      EXPECT_EQ(difference.where().cycle, faulty.struck);
      EXPECT_LE(difference.where().cycle, faulty.from + 150);  // registers of ten ports, once
      EXPECT_EQ(difference.where().field.substr(0, 11), "reg_rdata, ");
    }
  }
}

TEST(Lockstep, TheSweepDoesNotShowOutside) {
  auto reference =
      std::make_unique<FaultySwitch>(make_switch(SwitchModel::kRtl, mesh_shape(), "a"));
  reference->hidden = true;
  LockstepSwitch lockstep(std::move(reference), make_twin(mesh_shape(), "a"), mesh_shape(), "a");
  std::vector<std::uint32_t> seen;
  std::vector<std::uint32_t> expected;
  drive(lockstep, 1000, [&](const SwitchPins& pins) { seen.push_back(pins.reg_rdata); });
  const auto rtl = make_switch(SwitchModel::kRtl, mesh_shape(), "b");
  drive(*rtl, 1000, [&](const SwitchPins& pins) { expected.push_back(pins.reg_rdata); });
  EXPECT_EQ(seen, expected);
}

// ------------------------------------------------------------------------------------- counters

TEST(PeekCounters, OurOwnImplementationsGiveWhatTheirRegistersHold) {
  for (const SwitchModel model : {SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep}) {
    SCOPED_TRACE(switch_model_name(model));
    const auto core = make_switch(model, mesh_shape(), "n");
    drive(*core, 500);
    SwitchPins pins(10, 1);
    const auto read = [&](int address) {
      pins.reg = {true, false, static_cast<std::uint16_t>(address), 0};
      core->step(pins);
      return pins.reg_rdata;
    };
    for (int i = 0; i < 3; ++i) core->step(pins);  // links down: the last flits out are counted
    SwitchCounters counters;
    ASSERT_TRUE(core->peek_counters(counters));
    for (int p = 0; p < 10; ++p) {
      EXPECT_EQ(counters.flits_in[p], read(reg::kFlitsIn + 2 * p));
      EXPECT_EQ(counters.flits_out[p], read(reg::kFlitsOut + 2 * p));
      EXPECT_GT(counters.flits_in[p], 0U);
    }
    ASSERT_TRUE(core->peek_counters(counters));  // stalls go on: each read is one edge later
    EXPECT_EQ(counters.stall_credit, read(reg::kStallCredit));
    ASSERT_TRUE(core->peek_counters(counters));
    EXPECT_EQ(counters.stall_arbiter, read(reg::kStallArbiter));
    ASSERT_TRUE(core->peek_counters(counters));
    EXPECT_EQ(counters.stall_link, read(reg::kStallLink));
    EXPECT_GT(counters.stall_link, 0U);
  }
}

// ------------------------------------------------------------------------------------- factory

TEST(SwitchFactory, ModelsHaveNames) {
  for (const SwitchModel model : {SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep}) {
    EXPECT_EQ(make_switch(model, mesh_shape(), "n")->model(), switch_model_name(model));
  }
}

TEST(SwitchFactory, FindsTheRtlInside) {
  const auto inside = [](SwitchModel model) {
    return rtl_inside(*make_switch(model, mesh_shape(), "n")) != nullptr;
  };
  EXPECT_TRUE(inside(SwitchModel::kRtl));
  EXPECT_FALSE(inside(SwitchModel::kTlm));
  EXPECT_TRUE(inside(SwitchModel::kLockstep));
}

TEST(SwitchFactory, TheTwinTakesWhatTheRtlTakes) {
  MeshShape shape = mesh_shape();
  shape.rtl_top = "somebodys_router";
  EXPECT_NO_THROW(make_twin(shape, "n"));
  const auto wrong = [](const std::function<void(MeshShape&)>& change) {
    MeshShape s = mesh_shape();
    change(s);
    EXPECT_THROW(make_twin(s, "n"), BadInput);
  };
  wrong([](MeshShape& s) { s.local_ports = 0; });
  wrong([](MeshShape& s) { s.io_ports = 16; });
  wrong([](MeshShape& s) { s.local_ports = 27; });
  wrong([](MeshShape& s) { s.lanes = 257; });
  wrong([](MeshShape& s) { s.buffers.data_flits = 0; });
  wrong([](MeshShape& s) { s.buffers.control_flits = 0x10000; });
  const auto wrong_fred = [](const std::function<void(FredShape&)>& change) {
    FredShape s;
    s.fred = {12, 3};
    EXPECT_NO_THROW(make_twin(s, "n"));
    change(s);
    EXPECT_THROW(make_twin(s, "n"), BadInput);
  };
  wrong_fred([](FredShape& s) { s.fred.ports = 1; });
  wrong_fred([](FredShape& s) { s.fred.ports = 33; });
  wrong_fred([](FredShape& s) { s.fred.middle = 5; });
  wrong_fred([](FredShape& s) { s.lanes = 0; });
  wrong_fred([](FredShape& s) { s.buffers.data_flits = 0; });
  wrong_fred([](FredShape& s) { s.buffers.output_flits = kPacketFlits - 1; });
}

}  // namespace
}  // namespace fredsim
