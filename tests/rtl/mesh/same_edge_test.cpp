// SPDX-License-Identifier: Apache-2.0
// Coincidences at one edge of a mesh_router, on the RTL, on the twin and on both: an overflow and a
// pop of one VC, a credit register that is written while flits leave. Pins by hand; expectations
// follow from the contracts of mesh_router.sv and switch_core.h.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "switch/register_map.h"
#include "tb_mesh_router/router_implementations.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {
namespace {

constexpr int kX = 2, kY = 3;
constexpr std::uint16_t kEastward = mesh_address(kX + 1, kY, 0);

class Bench {
 public:
  explicit Bench(const RouterImplementation& router) : router_(router), core_(router.make()) {
    core_->reset();
    write(reg::kPosition, kX | kY << 8);
  }
  int depth(int vc) const { return router_.shape.buffers.depth(vc); }
  SwitchCore& core() { return *core_; }
  // A packet of one flit to the east, at the next step.
  void put(int port, std::uint32_t tag, int vc) {
    pins.in_valid |= 1U << port;
    pack_header({.tag = tag,
                 .dst = kEastward,
                 .vc = static_cast<std::uint8_t>(vc),
                 .head = true,
                 .tail = true},
                &pins.in_flit[port * flit_words(router_.shape.lanes)]);
  }
  void step() {
    core_->step(pins);
    pins.in_valid = 0;
    pins.out_credit = {};
    pins.reg = {};
    if (launched()) tags.push_back(pins.out_flit[kEast * flit_words(router_.shape.lanes)]);
  }
  void write(int address, std::uint32_t value) {
    pins.reg = {true, true, static_cast<std::uint16_t>(address), value};
    step();
  }
  std::uint32_t read(int address) {
    pins.reg = {true, false, static_cast<std::uint16_t>(address), 0};
    step();
    return pins.reg_rdata;
  }
  bool launched() const { return (pins.out_valid >> kEast & 1U) != 0; }
  bool popped(int vc) const { return (pins.in_credit[vc] >> kWest & 1U) != 0; }

  SwitchPins pins{32, 3};
  std::vector<std::uint32_t> tags;  // tags of the flits that have left to the east

 private:
  RouterImplementation router_;
  std::unique_ptr<SwitchCore> core_;
};

class RouterSameEdge : public testing::TestWithParam<SwitchModel> {};
INSTANTIATE_TEST_SUITE_P(Models, RouterSameEdge, testing::ValuesIn(kModels), [](const auto& test) {
  return std::string(switch_model_name(test.param));
});

// The buffer is full; at step 3 its first flit leaves; one more arrives before, with or after that.
TEST_P(RouterSameEdge, AnOverflowThatMeetsAPopOfItsVcIsOneAllTheSame) {
  for (const RouterImplementation& router : {wafer_router(GetParam()), even_router(GetParam()),
                                             small_router(GetParam()), full_router(GetParam())}) {
    for (const int vc : {kMp, kDp, kControl}) {
      for (const int extra : {2, 3, 4}) {
        SCOPED_TRACE(fmt::format("{} VC {}, one more at step {}", router.name, vc, extra));
        Bench bench(router);
        bench.write(reg::kCredit + 4 * kEast + vc, 1000);
        std::uint32_t tag = 0;
        for (; tag < static_cast<std::uint32_t>(bench.depth(vc)); ++tag) {
          bench.put(kWest, tag, vc);
          bench.step();
        }
        ASSERT_TRUE(bench.tags.empty());
        const std::uint32_t lost = tag;
        for (int step = 0; step < 8; ++step) {
          bench.pins.out_ready = step == 3 ? 1U << kEast : 0;
          if (step == extra) bench.put(kWest, tag++, vc);
          bench.step();
          EXPECT_EQ(bench.popped(vc), step == 3);
        }
        const bool overflows = extra <= 3;
        EXPECT_EQ(bench.core().error(), overflows ? reg::kErrorOverflow : reg::kErrorNone);
        bench.pins.out_ready = 1U << kEast;
        bench.step();
        bench.put(kWest, tag++, vc);  // there is room again
        for (int i = 0; i < 100; ++i) bench.step();
        std::vector<std::uint32_t> due;
        for (std::uint32_t t = 0; t < tag; ++t) {
          if (t != lost || !overflows) due.push_back(t);
        }
        EXPECT_EQ(bench.tags, due);
        EXPECT_TRUE(bench.core().idle());
      }
    }
  }
}

// Flits that leave with `credits` at hand and none coming back: a head of a data packet needs room
// for a whole packet, or, where the receiver is smaller than that, all of it.
std::uint32_t flits_of_credits(int vc, std::uint32_t credits) {
  if (vc == kControl || credits == 0) return credits;
  return credits < kPacketFlits ? 1 : credits - kPacketFlits + 1;
}

TEST_P(RouterSameEdge, ACreditThatIsWrittenWhileFlitsLeaveIsTheValueWritten) {
  for (const int vc : {kPp, kControl}) {
    for (const bool returned : {false, true}) {
      for (const std::uint32_t value : {0U, 1U, 2U, 7U, 8U, 9U, 30U}) {
        SCOPED_TRACE(
            fmt::format("VC {}: {} written{}", vc, value, returned ? ", a credit comes back" : ""));
        const int credit = reg::kCredit + 4 * kEast + vc;
        Bench bench(wafer_router(GetParam()));
        bench.pins.out_ready = 1U << kEast;
        bench.write(credit, 1000);
        int at_hand = bench.depth(vc);
        std::uint32_t tag = 0;
        const auto send = [&] {
          if (at_hand == 0) return;
          bench.put(kWest, tag++, vc);
          --at_hand;
        };
        const auto after = [&] { at_hand += bench.popped(vc) ? 1 : 0; };
        for (int i = 0; i < 10; ++i) {
          send();
          bench.step();
          after();
        }
        ASSERT_TRUE(bench.popped(vc));
        send();
        if (returned) bench.pins.out_credit[vc] = 1U << kEast;
        bench.write(credit, value);
        after();
        EXPECT_TRUE(bench.popped(vc)) << "with a credit from before";
        std::uint32_t left = 0;
        const auto count = [&] { left += bench.popped(vc) ? 1 : 0; };
        send();
        EXPECT_EQ(bench.read(credit), value);
        after();
        count();
        for (int i = 0; i < 60; ++i) {
          send();
          bench.step();
          after();
          count();
        }
        const std::uint32_t due = flits_of_credits(vc, value);
        EXPECT_EQ(left, due);
        EXPECT_EQ(bench.read(credit), value - due);
        bench.pins.out_credit[vc] = 1U << kEast;
        for (int i = 0; i < 5; ++i) {
          bench.step();
          count();
        }
        EXPECT_EQ(left, due + 1U);
      }
    }
  }
}

// … and leaves the credits of other VCs and ports unchanged, even while they are spent.
TEST_P(RouterSameEdge, ACreditThatIsWrittenIsThatOfItsPortAndVcAlone) {
  Bench bench(wafer_router(GetParam()));
  bench.pins.out_ready = 1U << kEast;
  for (std::uint32_t tag = 0; tag < 20; ++tag) {
    bench.put(kWest, tag, kDp);
    if (tag == 12) bench.pins.out_credit[kDp] = 1U << kEast;
    if (tag < 10 || tag > 13) {
      bench.step();
    } else {  // around the edge with a credit
      bench.write(reg::kCredit + 4 * (tag % 2 == 0 ? kEast : kSouth) + (tag % 2 == 0 ? kPp : kDp),
                  tag);
      EXPECT_TRUE(bench.launched());
    }
  }
  for (int i = 0; i < 10; ++i) bench.step();
  EXPECT_EQ(bench.tags.size(), 20U);
  EXPECT_EQ(bench.read(reg::kCredit + 4 * kEast + kDp), 80U - 20 + 1);
  EXPECT_EQ(bench.read(reg::kCredit + 4 * kEast + kPp), 12U);
  EXPECT_EQ(bench.read(reg::kCredit + 4 * kSouth + kDp), 13U);
  EXPECT_EQ(bench.read(reg::kCredit + 4 * kEast + kMp), 80U);
  EXPECT_EQ(bench.read(reg::kCredit + 4 * kSouth + kPp), 80U);
}

}  // namespace
}  // namespace fredsim::tb
