// SPDX-License-Identifier: Apache-2.0
// Links that lose or change flits (LinkFaults): a fault affects one flit only, on links of every
// rate, within a partition and between partitions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "fabric/fabric_core.h"
#include "fabric/two_endpoints.h"

namespace fredsim::test {
namespace {

constexpr int kFaultFlits = 40;
constexpr int kFaultDepth = 100;

// Sends numbered flits as the link takes them; records received flits by edge, and returns credits
// at once.
class Sender final : public EndpointCore {
 public:
  void reset() override { edge_ = sent_ = 0; }
  void set_credits(int, int, int) override {}
  void step(SwitchPins& pins) override {
    pins.out_valid = 0;
    pins.in_credit = {};
    if (sends && sent_ < kFaultFlits && (pins.out_ready & 1U) != 0) {
      pack_header({.tag = static_cast<std::uint32_t>(sent_), .vc = kDp, .head = true, .tail = true},
                  pins.out_flit.data());
      pins.out_valid = 1;
      ++sent_;
    }
    if (pins.in_valid != 0) {
      received[edge_] = pins.in_flit[0];
      pins.in_credit[kDp] = 1;
    }
    ++edge_;
  }
  bool idle() const override { return false; }
  bool empty() const override { return true; }
  void describe_waiting(const std::vector<std::string>&, std::vector<std::string>&) const override {
  }

  bool sends = false;
  std::map<int, std::uint32_t> received;  // edge -> tag

 private:
  int edge_ = 0, sent_ = 0;
};

// Loses every third flit, and changes the tag of every fifth of the remaining ones.
class Faults final : public LinkFaults {
 public:
  static constexpr std::uint32_t kChanged = 0x1000;
  static bool loses(std::uint32_t tag) { return tag % 3 == 2; }
  static bool changes(std::uint32_t tag) { return tag % 5 == 4; }
  bool pass(int link, std::uint64_t edge, std::span<std::uint32_t> flit) override {
    EXPECT_EQ(link, 0);
    EXPECT_GE(edge, flit[0]);
    EXPECT_EQ(flit.size(), static_cast<std::size_t>(flit_words(1)));
    if (changes(flit[0])) flit[0] ^= kChanged;
    return !loses(flit[0] & ~kChanged);
  }
};

struct FaultOutcome {
  std::map<int, std::uint32_t> received;
  int outstanding = 0;
  std::uint64_t launched = 0;
};

FaultOutcome run_faulty(Rational rate, const Cut& cut, LinkFaults* faults) {
  const Topology topology = two_endpoints(rate, 5, kFaultDepth);
  FabricCore core(topology, 1, cut);
  Sender sender, receiver;
  sender.sends = true;
  core.attach(0, sender);
  core.attach(1, receiver);
  core.set_faults(0, faults);
  core.reset();
  core.advance(kFaultFlits * (rate.den / rate.num + 2) + 20);
  EXPECT_EQ(core.flits_on_links(), 0);
  EXPECT_EQ(core.credits_on_links(), 0);
  return {receiver.received, core.outstanding(0, kDp), core.count(0).flits};
}

TEST(LinkFaults, OnlyWhatIsLostOrChangedIsAnother) {
  for (const Rational rate :
       {Rational{1, 1}, Rational{125, 128}, Rational{1, 6}, Rational{1, 40}}) {
    for (const Cut& cut : {Cut{}, Cut{0, 1}}) {
      SCOPED_TRACE(fmt::format("{}/{}, {}", rate.num, rate.den, cut.empty() ? "whole" : "cut"));
      const FaultOutcome perfect = run_faulty(rate, cut, nullptr);
      ASSERT_EQ(perfect.received.size(), static_cast<std::size_t>(kFaultFlits));
      EXPECT_EQ(perfect.outstanding, 0);
      std::map<int, std::uint32_t> expected;
      int lost = 0;
      for (const auto& [edge, tag] : perfect.received) {
        if (Faults::loses(tag)) {
          ++lost;
        } else {
          expected[edge] = Faults::changes(tag) ? tag ^ Faults::kChanged : tag;
        }
      }
      Faults faults;
      const FaultOutcome faulty = run_faulty(rate, cut, &faults);
      EXPECT_EQ(faulty.received, expected);
      EXPECT_EQ(faulty.outstanding, lost) << "nobody gives the credit of a lost flit back";
      EXPECT_EQ(faulty.launched, static_cast<std::uint64_t>(kFaultFlits));
    }
  }
}

TEST(LinkFaults, CanBeTakenBack) {
  const Topology topology = two_endpoints({1, 1}, 5, kFaultDepth);
  FabricCore core(topology, 1);
  Sender sender, receiver;
  sender.sends = true;
  core.attach(0, sender);
  core.attach(1, receiver);
  Faults faults;
  core.set_faults(0, &faults);
  core.set_faults(0, nullptr);
  core.reset();
  core.advance(kFaultFlits + 10);
  EXPECT_EQ(receiver.received.size(), static_cast<std::size_t>(kFaultFlits));
}

}  // namespace
}  // namespace fredsim::test
