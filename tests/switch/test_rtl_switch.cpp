// SPDX-License-Identifier: Apache-2.0
// The Verilated implementations: the list of sizes, reset, idle, and the register map
// against register_map.h.

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/error.h"
#include "rtl/aggregator_pkg.h"
#include "rtl/fred_pkg.h"
#include "rtl/mesh_pkg.h"
#include "rtl/reducing_crossbar_pkg.h"
#include "rtl/voq_crossbar_pkg.h"
#include "switch/fred/fred_shape.h"
#include "switch/register_map.h"
#include "switch/rtl_switch.h"
#include "switch/switch_kind.h"
#include "topology/mesh_address.h"

namespace fredsim {
namespace {

// The inverse of size_entry() for the sizes that are built.
SwitchShape shape_of(const std::string& entry) {
  std::istringstream in(entry);
  std::string word;
  in >> word;
  const SwitchKind& kind = switch_kind(word);
  std::vector<NamedValue> values;
  std::string top;
  while (in >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      top = word;
    } else {
      values.push_back({word.substr(0, equals), std::stoi(word.substr(equals + 1))});
    }
  }
  SwitchShape shape = kind.shape(values);
  shape.rtl_top = top;
  return shape;
}

int depth(const SwitchShape& shape, int vc) {
  return shape.value(vc == kControl ? "CTRL_DEPTH" : "VC_DEPTH");
}

class EverySize : public testing::TestWithParam<std::string> {
 protected:
  std::uint32_t access(bool write, std::uint32_t address, std::uint32_t data = 0) {
    pins_.reg = {true, write, static_cast<std::uint16_t>(address), data};
    core_->step(pins_);
    pins_.reg.valid = false;
    return pins_.reg_rdata;
  }
  std::uint32_t read(std::uint32_t address) { return access(false, address); }

  SwitchShape shape_ = shape_of(GetParam());
  std::unique_ptr<RtlSwitch> core_ = make_rtl_switch(shape_, "dut");
  SwitchPins pins_{shape_.ports(), shape_.lanes()};
};

TEST_P(EverySize, EntryAndShapeAreInverse) { EXPECT_EQ(size_entry(shape_), GetParam()); }

TEST_P(EverySize, IdentityShapeAndCreditsAfterReset) {
  core_->reset();
  EXPECT_TRUE(core_->idle());
  EXPECT_EQ(core_->error(), reg::kErrorNone);
  struct Expected {
    std::uint32_t id;
    const char* low;   // parameters in the shape register, bits 7 to 0
    const char* high;  // and 15 to 8; "": none
  };
  const std::map<std::string, Expected> kinds{
      {"fred", {fred_pkg::FRED_ID, "P", "M"}},
      {"mesh", {mesh_pkg::MESH_ID, "NUM_LOCAL", "NUM_IO"}},
      {"mesh_reducing", {mesh_pkg::MESH_REDUCING_ID, "NUM_LOCAL", "NUM_IO"}},
      {"reducing_crossbar", {reducing_crossbar_pkg::REDUCING_CROSSBAR_ID, "P", ""}},
      {"aggregator", {aggregator_pkg::AGGREGATOR_ID, "P", "ADDERS"}},
      {"voq_crossbar", {voq_crossbar_pkg::VOQ_CROSSBAR_ID, "P", ""}}};
  const Expected expected = kinds.at(shape_.kind->name());
  EXPECT_EQ(read(reg::kId), expected.id);
  const int high = *expected.high == '\0' ? 0 : shape_.value(expected.high);
  EXPECT_EQ(read(reg::kShape), static_cast<std::uint32_t>(shape_.value(expected.low) | high << 8));
  EXPECT_EQ(read(reg::kError), reg::kErrorNone);
  for (int port = 0; port < shape_.ports(); ++port) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      const auto address = static_cast<std::uint32_t>(reg::kCredit + 4 * port + vc);
      EXPECT_EQ(read(address), static_cast<std::uint32_t>(depth(shape_, vc)));
      access(true, address, static_cast<std::uint32_t>(1000 + 4 * port + vc));
    }
  }
  for (int port = 0; port < shape_.ports(); ++port) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      const auto address = static_cast<std::uint32_t>(reg::kCredit + 4 * port + vc);
      EXPECT_EQ(read(address), static_cast<std::uint32_t>(1000 + 4 * port + vc));
    }
  }
  EXPECT_TRUE(core_->idle());
  core_->reset();
  EXPECT_EQ(read(reg::kCredit), static_cast<std::uint32_t>(depth(shape_, 0)));
}

TEST_P(EverySize, PositionAndPhaseStoreReadBack) {
  core_->reset();
  if (shape_.kind->unicast_routes() == UnicastRoutes::kByCoordinates) {
    access(true, reg::kPosition, 5 | 9 << 8);
    EXPECT_EQ(read(reg::kPosition), 5U | 9U << 8);
    const bool has_rings = shape_.kind->keeps_rings_moving();
    access(true, reg::kTorus, 64 | 7 << 8);
    EXPECT_EQ(read(reg::kTorus), has_rings ? 64U | 7U << 8 : 0U);
  }
  if (shape_.kind->num_phases(shape_) == 0) return;
  access(true, reg::kPhaseStore, 0x12345678);
  access(true, reg::kPhaseStore + 1, 0x9ABCDEF0);
  EXPECT_EQ(read(reg::kPhaseStore), 0x12345678U);
  EXPECT_EQ(read(reg::kPhaseStore + 1), 0x9ABCDEF0U);
}

// Content of a row before a reset must not show again behind the first write after it.
TEST_P(EverySize, PhaseStoreIsZeroAfterResetAndAroundAFirstWrite) {
  // A switch without a phase store: reads zero for any write.
  const std::uint32_t word = shape_.kind->num_phases(shape_) == 0 ? 0 : 0x12345678;
  core_->reset();
  for (int i = 0; i < reg::kPhaseStoreWords; ++i) EXPECT_EQ(read(reg::kPhaseStore + i), 0U) << i;
  for (int i = 0; i < reg::kPhaseStoreWords; ++i) access(true, reg::kPhaseStore + i, ~0U);
  core_->reset();
  for (int i = 0; i < reg::kPhaseStoreWords; ++i) EXPECT_EQ(read(reg::kPhaseStore + i), 0U) << i;
  access(true, reg::kPhaseStore + 1, 0x12345678);
  for (int i = 0; i < reg::kPhaseStoreWords; ++i) {
    EXPECT_EQ(read(reg::kPhaseStore + i), i == 1 ? word : 0U) << i;
  }
}

TEST_P(EverySize, AFlitTakesACreditAndAnOverflowIsReported) {
  core_->reset();
  // Nothing may leave: output credits of zero everywhere.
  for (int i = 0; i < 4 * shape_.ports(); ++i) {
    access(true, static_cast<std::uint32_t>(reg::kCredit + i), 0);
  }
  // A fred_switch without a programmed phase keeps the flit and says so; a mesh router
  // without credits keeps it silently. Either way the buffer fills and one flit more than
  // fits is an overflow.
  const int words = flit_words(shape_.lanes());
  pins_.in_valid = 1;
  pack_header({.dst = mesh_address(1, 0, 0), .vc = kControl, .head = true, .tail = true},
              pins_.in_flit.data());
  ASSERT_GE(static_cast<int>(pins_.in_flit.size()), words);
  core_->step(pins_);
  EXPECT_FALSE(core_->idle());
  for (int i = 0; i < depth(shape_, kControl); ++i) core_->step(pins_);
  pins_.in_valid = 0;
  for (int i = 0; i < 4; ++i) core_->step(pins_);  // pin register, buffer, error register
  EXPECT_NE(core_->error(), reg::kErrorNone);
  EXPECT_EQ(read(reg::kError), core_->error());
  EXPECT_EQ(read(reg::kFlitsIn), static_cast<std::uint32_t>(depth(shape_, kControl) + 1));
  core_->reset();
  EXPECT_EQ(core_->error(), reg::kErrorNone);
  EXPECT_TRUE(core_->idle());
}

// Switches whose registers have our names and can be peeked, without a cycle: our own tops; of a
// changed copy that keeps the name of its top nothing is known.
enum class Peek : std::uint8_t { kYes, kNo, kUnknown };
Peek peek_of(const SwitchShape& shape) {
  if (shape.rtl_top.empty()) return Peek::kYes;
  return shape.rtl_top == shape.kind->rtl_top() ? Peek::kUnknown : Peek::kNo;
}

TEST_P(EverySize, CountersOfOurOwnTopsCanBePeeked) {
  core_->reset();
  pins_.in_valid = 1;
  pack_header({.vc = kControl, .head = true, .tail = true}, pins_.in_flit.data());
  core_->step(pins_);
  SwitchCounters counters;
  const bool peeked = core_->peek_counters(counters);
  if (const Peek expected = peek_of(shape_); expected != Peek::kUnknown) {
    ASSERT_EQ(peeked, expected == Peek::kYes);
  }
  if (!peeked) return;
  ASSERT_EQ(std::ssize(counters.flits_in), shape_.ports());
  ASSERT_EQ(std::ssize(counters.flits_out), shape_.ports());
  EXPECT_EQ(counters.flits_in[0], 1U);
  EXPECT_EQ(counters.flits_in[1], 0U);
  EXPECT_EQ(counters.flits_out[0], 0U);
}

TEST_P(EverySize, ThePhaseOfOurOwnSwitchesWithPhasesCanBePeeked) {
  core_->reset();
  SwitchPhase phase{.active = true, .loading = true, .busy = true, .phase = 9, .vc = 2, .next = 7};
  const bool peeked = core_->peek_phase(phase);
  if (const Peek expected = peek_of(shape_); expected != Peek::kUnknown) {
    ASSERT_EQ(peeked, shape_.kind->num_phases(shape_) > 0 && expected == Peek::kYes);
  }
  if (peeked) {
    EXPECT_EQ(phase, SwitchPhase{});
  }
}

INSTANTIATE_TEST_SUITE_P(Built, EverySize, testing::ValuesIn(built_switch_sizes()),
                         [](const auto& param) {
                           std::string name = param.param;
                           for (char& c : name) c = c == ' ' || c == '=' ? '_' : c;
                           return name;
                         });

TEST(RtlSwitch, ASizeThatIsNotBuiltNamesTheEntryAndTheCommand) {
  FredShape shape;
  shape.fred = {31, 4};
  shape.lanes = 7;
  try {
    make_rtl_switch(shape, "l1_0.s0");
    FAIL() << "no error";
  } catch (const BadInput& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("l1_0.s0"), std::string::npos) << what;
    EXPECT_NE(what.find("fred P=31 M=4 LANES=7 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0' && "
                        "cmake --build"),
              std::string::npos)
        << what;
    for (const std::string& size : built_switch_sizes()) {
      EXPECT_NE(what.find(size), std::string::npos) << what;
    }
  }
}

TEST(RtlSwitch, InstancesOfOneContextDoNotDisturbEachOther) {
  const SwitchShape shape = shape_of(built_switch_sizes().front());
  const auto context = std::make_shared<RtlContext>();
  const auto a = make_rtl_switch(shape, "a", context);
  const auto b = make_rtl_switch(shape, "b", context);
  a->reset();
  b->reset();
  SwitchPins pins(shape.ports(), shape.lanes());
  pins.reg = {true, true, reg::kCredit, 99};
  a->step(pins);
  pins.reg = {true, false, reg::kCredit, 0};
  b->step(pins);
  EXPECT_EQ(pins.reg_rdata, static_cast<std::uint32_t>(depth(shape, 0)));
  a->step(pins);
  EXPECT_EQ(pins.reg_rdata, 99U);
}

}  // namespace
}  // namespace fredsim
