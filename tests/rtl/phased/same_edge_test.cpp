// SPDX-License-Identifier: Apache-2.0
// Coincidences at one edge of a fred_switch, on the RTL, on the twin and on both: an overflow and a
// pop of one VC, a credit register that is written while flits leave; and flits that a flow must
// not add, bit by bit. Pins by hand; expectations follow from the contracts of the RTL's modules
// and of switch_core.h.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "routing/fred_routing.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "tb_fred_switch/tested_switch.h"

namespace fredsim::tb {
namespace {

constexpr int kIn = 0, kOut = 1;  // flow of one input and one output

// A switch with one phase on the DP channel.
class Bench {
 public:
  Bench(SwitchModel model, int ports, const std::vector<Flow>& flows) {
    shape_ = TestedSwitch(ports, 3);
    core_ = make_switch(model, shape_, "dut");
    core_->reset();
    const auto row = shape_.row(shape_.phase(kDp, flows));
    for (std::size_t w = 0; w < row.size(); ++w)
      write(static_cast<int>(reg::kPhaseStore + w), row[w]);
  }
  int depth() const { return shape_.buffers.data_flits; }
  int staging() const { return shape_.buffers.output_flits; }
  SwitchCore& core() { return *core_; }

  // At the next step.
  void put(int port, const FlitHeader& header) {
    pins.in_valid |= 1U << port;
    pack_header(header, &pins.in_flit[port * flit_words(1)]);
  }
  void put(int port, std::uint32_t tag, int vc = kDp) {
    put(port, {.tag = tag, .vc = static_cast<std::uint8_t>(vc), .head = true, .tail = true});
  }
  void step() {
    core_->step(pins);
    pins.in_valid = 0;
    pins.out_credit = {};
    pins.reg = {};
    if ((pins.out_valid >> kOut & 1U) != 0) tags.push_back(pins.out_flit[kOut * flit_words(1)]);
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
  bool popped(int port, int vc = kDp) const { return (pins.in_credit[vc] >> port & 1U) != 0; }
  bool launched() const { return (pins.out_valid >> kOut & 1U) != 0; }

  SwitchPins pins{32, 1};
  std::vector<std::uint32_t> tags;  // tags of the flits that have left by kOut

 private:
  TestedSwitch shape_;
  std::unique_ptr<SwitchCore> core_;
};

class SameEdge : public testing::TestWithParam<SwitchModel> {};
INSTANTIATE_TEST_SUITE_P(
    Models, SameEdge, testing::Values(SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep),
    [](const auto& test) { return std::string(switch_model_name(test.param)); });

// Input `kIn` is filled while the link is idle; then the link goes on, and at step `extra` from
// there on one flit more arrives. Returns the step at which the first flit leaves the full buffer.
int fill_and_release(Bench& bench, std::optional<int> extra, int extra_vc,
                     std::uint32_t& next_tag) {
  // Packets leave the buffer while the staging has room; further ones fill it.
  const int fits = bench.staging() - kPacketFlits + 1 + bench.depth();
  bench.pins.out_ready = 0;
  for (int i = 0; i < fits; ++i) {
    bench.put(kIn, next_tag++);
    bench.step();
  }
  for (int i = 0; i < 20; ++i) bench.step();
  EXPECT_EQ(bench.core().error(), reg::kErrorNone);
  EXPECT_TRUE(bench.tags.empty());
  bench.pins.out_ready = 1U << kOut;
  int first = -1;
  for (int step = 0; step < 10; ++step) {
    if (step == extra) bench.put(kIn, next_tag++, extra_vc);
    bench.step();
    if (first < 0 && bench.popped(kIn)) first = step;
  }
  return first;
}

// Expects all flits except `lost`, in order, and nothing else.
void expect_all_but(Bench& bench, std::uint32_t sent, std::optional<std::uint32_t> lost) {
  for (int i = 0; i < 400; ++i) {
    bench.step();
    if (bench.launched()) bench.pins.out_credit[kDp] = 1U << kOut;
  }
  std::vector<std::uint32_t> due;
  for (std::uint32_t tag = 0; tag < sent; ++tag) {
    if (tag != lost) due.push_back(tag);
  }
  EXPECT_EQ(bench.tags, due);
  EXPECT_TRUE(bench.core().idle());
}

TEST_P(SameEdge, AnOverflowThatMeetsAPopOfItsVcIsOneAllTheSame) {
  const auto make = [] { return Bench(GetParam(), 4, {{1U << kIn, 1U << kOut}}); };
  int pop = -1;
  {
    Bench bench = make();
    bench.write(reg::kCredit + 4 * kOut + kDp, 1000);
    std::uint32_t tag = 0;
    pop = fill_and_release(bench, {}, kDp, tag);
    ASSERT_GE(pop, 0);
    expect_all_but(bench, tag, {});
    EXPECT_EQ(bench.core().error(), reg::kErrorNone);
  }
  // Full before the edge: the flit is lost, whether or not one leaves at this edge. After it there
  // is room.
  for (const int extra : {pop - 1, pop, pop + 1}) {
    if (extra < 0) continue;
    SCOPED_TRACE(fmt::format("the first flit leaves at step {}, one arrives at {}", pop, extra));
    Bench bench = make();
    bench.write(reg::kCredit + 4 * kOut + kDp, 1000);
    std::uint32_t tag = 0;
    EXPECT_EQ(fill_and_release(bench, extra, kDp, tag), pop);
    const bool overflows = extra <= pop;
    EXPECT_EQ(bench.core().error(), overflows ? reg::kErrorOverflow : reg::kErrorNone);
    const std::uint32_t lost = tag - 1;
    bench.put(kIn, tag++);  // the place of the flit that has left is free
    bench.step();
    expect_all_but(bench, tag, overflows ? std::optional(lost) : std::nullopt);
  }
  // A full VC does not concern another one.
  Bench bench = make();
  std::uint32_t tag = 0;
  fill_and_release(bench, pop, kControl, tag);
  EXPECT_EQ(bench.core().error(), reg::kErrorPhase) << "no phase of the control channel is there";
}

// A stream of one-flit packets leaves by `kOut` without credits coming back; at step 20 the
// register of its credits is written. The written value overrides credits spent or returned at that
// edge.
TEST_P(SameEdge, ACreditThatIsWrittenWhileFlitsLeaveIsTheValueWritten) {
  const int credit = reg::kCredit + 4 * kOut + kDp;
  for (const bool returned : {false, true}) {
    for (const std::uint32_t value : {0U, 1U, 2U, 9U, 30U}) {
      SCOPED_TRACE(fmt::format("{} written{}", value, returned ? ", a credit comes back" : ""));
      Bench bench(GetParam(), 4, {{1U << kIn, 1U << kOut}});
      bench.pins.out_ready = 1U << kOut;
      bench.write(credit, 1000);
      int at_hand = bench.depth();
      std::uint32_t tag = 0;
      const auto send = [&] {
        if (at_hand > 0) {
          bench.put(kIn, tag++);
          --at_hand;
        }
      };
      const auto after = [&] { at_hand += bench.popped(kIn) ? 1 : 0; };
      for (int i = 0; i < 20; ++i) {
        send();
        bench.step();
        after();
      }
      ASSERT_TRUE(bench.launched());
      send();
      if (returned) bench.pins.out_credit[kDp] = 1U << kOut;
      bench.write(credit, value);
      after();
      send();
      EXPECT_EQ(bench.read(credit), value);
      after();
      EXPECT_TRUE(bench.launched())
          << "decided at the edge of the write, with a credit from before";
      bench.tags.clear();
      for (int i = 0; i < 100; ++i) {
        send();
        bench.step();
        after();
      }
      EXPECT_EQ(bench.tags.size(), value);
      EXPECT_EQ(bench.read(credit), 0U);
      bench.pins.out_credit[kDp] = 1U << kOut;
      for (int i = 0; i < 5; ++i) bench.step();
      EXPECT_EQ(bench.tags.size(), value + 1U);
    }
  }
}

// … and leaves the credits of other VCs and ports unchanged, even while they are spent.
TEST_P(SameEdge, ACreditThatIsWrittenIsThatOfItsPortAndVcAlone) {
  Bench bench(GetParam(), 4, {{1U << kIn, 1U << kOut}});
  bench.pins.out_ready = 1U << kOut;
  for (std::uint32_t tag = 0; tag < 30; ++tag) {
    bench.put(kIn, tag);
    if (tag == 20) bench.pins.out_credit[kDp] = 1U << kOut;
    if (tag < 18 || tag > 21) {
      bench.step();
    } else {  // around the edge with a credit
      bench.write(reg::kCredit + 4 * (tag % 2 == 0 ? kOut : 3) + (tag % 2 == 0 ? kPp : kDp), tag);
      EXPECT_TRUE(bench.launched());
    }
  }
  for (int i = 0; i < 20; ++i) bench.step();
  EXPECT_EQ(bench.tags.size(), 30U);
  EXPECT_EQ(bench.read(reg::kCredit + 4 * kOut + kDp),
            static_cast<std::uint32_t>(bench.depth() - 30 + 1));
  EXPECT_EQ(bench.read(reg::kCredit + 4 * kOut + kPp), 20U);
  EXPECT_EQ(bench.read(reg::kCredit + 4 * 3 + kDp), 21U);
  EXPECT_EQ(bench.read(reg::kCredit + 4 * kOut + kMp), static_cast<std::uint32_t>(bench.depth()));
  EXPECT_EQ(bench.read(reg::kCredit + 4 * 2 + kDp), static_cast<std::uint32_t>(bench.depth()));
}

// Flits of a sum: `odd` at input `at`, `header` at all other inputs. Returns the resulting error.
std::uint32_t error_of_join(SwitchModel model, const std::vector<Flow>& flows,
                            const FlitHeader& header, int at, const FlitHeader& odd) {
  Bench bench(model, 12, flows);
  for (const Flow& flow : flows) {
    for (int p = 0; p < 12; ++p) {
      if ((flow.inputs >> p & 1U) != 0) bench.put(p, p == at ? odd : header);
    }
  }
  for (int i = 0; i < 20; ++i) bench.step();
  return bench.core().error();
}

TEST_P(SameEdge, FlitsThatAreAddedMustAgreeInEveryBitOfTheTag) {
  const FlitHeader header{.tag = 0x5A5A'0F0F, .vc = kDp, .head = true, .tail = true};
  for (int bit = 0; bit < 32; ++bit) {
    for (const int at : {0, 1}) {
      FlitHeader odd = header;
      odd.tag ^= 1U << bit;
      EXPECT_EQ(error_of_join(GetParam(), {{0x003, 0x003}}, header, at, odd), reg::kErrorJoin)
          << "bit " << bit << " at input " << at;
    }
  }
}

// At whichever input of whichever flow, in sums of two, three and five.
TEST_P(SameEdge, AllFlitsOfASumMustAgree) {
  const std::vector<Flow> flows{{0x003, 0x003}, {0x01C, 0x004}, {0xBE0, 0xFE0}};
  FlitHeader header{.tag = 7, .vc = kDp, .head = true, .tail = true};
  EXPECT_EQ(error_of_join(GetParam(), flows, header, -1, header), reg::kErrorNone);
  for (const Flow& flow : flows) {
    for (int p = 0; p < 12; ++p) {
      if ((flow.inputs >> p & 1U) == 0) continue;
      SCOPED_TRACE(p);
      FlitHeader odd = header;
      odd.tag |= 1U << 31;
      EXPECT_EQ(error_of_join(GetParam(), flows, header, p, odd), reg::kErrorJoin);
      odd = header;
      odd.tail = false;
      EXPECT_EQ(error_of_join(GetParam(), flows, header, p, odd), reg::kErrorJoin);
      header.tail = false;
      odd.tail = true;
      EXPECT_EQ(error_of_join(GetParam(), flows, header, p, odd), reg::kErrorJoin);
      odd = header;
      EXPECT_EQ(error_of_join(GetParam(), flows, header, p, odd), reg::kErrorNone);
      header.tail = true;
      // Senders differ, and so may their sequence numbers.
      odd = header;
      odd.src = 0x8000;
      odd.dst = 3;
      odd.seq = 5;
      EXPECT_EQ(error_of_join(GetParam(), flows, header, p, odd), reg::kErrorNone);
    }
  }
}

// Flits that a flow only passes on or copies agree with nobody.
TEST_P(SameEdge, FlitsOfDifferentFlowsNeedNotAgree) {
  const FlitHeader header{.tag = 7, .vc = kDp, .head = true, .tail = true};
  FlitHeader odd = header;
  odd.tag = 8;
  odd.tail = false;
  for (const int at : {0, 1, 2})
    EXPECT_EQ(error_of_join(GetParam(), {{0x001, 0x030}, {0x002, 0x001}, {0x004, 0x00E}}, header,
                            at, odd),
              reg::kErrorNone);
}

// Flits in the middle of a packet, likewise: tags and tails are compared flit by flit.
TEST_P(SameEdge, LaterFlitsOfAPacketMustAgreeToo) {
  for (const int wrong : {0, 1, 2}) {
    for (const bool tail : {false, true}) {
      Bench bench(GetParam(), 4, {{0x3, 0x3}});
      bool inside = false;  // a packet, at input 1
      for (int flit = 0; flit < 3; ++flit) {
        FlitHeader header{.tag = 1, .vc = kDp, .head = flit == 0, .tail = flit == 2};
        bench.put(0, header);
        if (flit == wrong && tail) header.tail = !header.tail;
        if (flit == wrong && !tail) header.tag ^= 0x0100'0000;
        header.head = !inside;
        inside = !header.tail;
        bench.put(1, header);
        bench.step();
      }
      for (int i = 0; i < 20; ++i) bench.step();
      EXPECT_EQ(bench.core().error(), reg::kErrorJoin) << wrong << (tail ? " tail" : " tag");
    }
  }
}

}  // namespace
}  // namespace fredsim::tb
