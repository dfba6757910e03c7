// SPDX-License-Identifier: Apache-2.0
// Triggers of waveforms, flit by flit and edge by edge: against rules written down here, on random
// flits and counters, from seeds.
#include "trace/wave_trigger.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "nic/packet_extension.h"

namespace fredsim {
namespace {

// A switch of which only the counters matter.
class CountingSwitch final : public SwitchCore {
 public:
  explicit CountingSwitch(bool has_counters = true) : has_counters_(has_counters) {}
  void reset() override {}
  void step(SwitchPins&) override {}
  bool idle() const override { return true; }
  std::uint32_t error() const override { return 0; }
  std::string_view model() const override { return "tlm"; }
  bool peek_counters(SwitchCounters& into) const override {
    into = counters;
    return has_counters_;
  }
  SwitchCounters counters;

 private:
  bool has_counters_;
};

FlitHeader flit(int vc, bool tail, std::uint32_t tag = 0) {
  FlitHeader header;
  header.vc = static_cast<std::uint8_t>(vc);
  header.tail = tail;
  header.tag = tag;
  return header;
}

// VCs with an open packet, by link; a literal rule of pre-emption.
bool preempts(std::set<std::pair<int, int>>& open, const VcOrder& order, int link,
              const FlitHeader& header) {
  const auto rank = [&](int vc) { return std::ranges::find(order, vc) - order.begin(); };
  const bool found = std::ranges::any_of(open, [&](const std::pair<int, int>& in_flight) {
    return in_flight.first == link && rank(in_flight.second) > rank(header.vc);
  });
  if (header.tail)
    open.erase({link, header.vc});
  else
    open.insert({link, header.vc});
  return found;
}

TEST(TriggerWatch, APreemptionIsAFlitBetweenThoseOfAPacketOfLowerPriority) {
  constexpr int kLinks = 3;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    VcOrder order = kDefaultVcOrder;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    TriggerWatch watch({.kind = WaveTriggerKind::kPreemption}, {}, kLinks, order);
    for (int run = 0; run < 2; ++run) {
      watch.begin_run();
      std::set<std::pair<int, int>> open;
      bool expected = false;
      for (int edge = 0; edge < 30 && !expected; ++edge) {
        for (int link = 0; link < kLinks; ++link) {
          if (random.below(3) != 0) continue;
          const FlitHeader header =
              flit(static_cast<int>(random.below(kNumVcs)), random.below(2) == 0);
          watch.launch(link, header);
          expected |= preempts(open, order, link, header);
        }
        ASSERT_EQ(watch.edge(), expected) << "run " << run << " edge " << edge;
      }
    }
  }
}

TEST(TriggerWatch, PacketsAndStreamsAreToldByTheirTags) {
  const std::uint32_t tag = 5U << kStreamShift | 17U;
  TriggerWatch packet({.kind = WaveTriggerKind::kPacket, .argument = tag}, {}, 1, kDefaultVcOrder);
  TriggerWatch stream({.kind = WaveTriggerKind::kStream, .argument = 5}, {}, 1, kDefaultVcOrder);
  for (TriggerWatch* watch : {&packet, &stream}) {
    watch->begin_run();
    watch->launch(0, flit(0, true, 6U << kStreamShift | 17U));
    EXPECT_FALSE(watch->edge());
  }
  packet.launch(0, flit(0, true, 5U << kStreamShift | 16U));
  EXPECT_FALSE(packet.edge());
  stream.launch(0, flit(0, true, 5U << kStreamShift | 16U));
  EXPECT_TRUE(stream.edge());
  packet.launch(0, flit(0, false, tag));
  EXPECT_TRUE(packet.edge());
  // A second run begins without the state of the first.
  stream.begin_run();
  EXPECT_FALSE(stream.edge());
}

TEST(TriggerWatch, AStallLastsMoreCyclesInARowThanAsked) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    std::vector<CountingSwitch> switches(3);
    std::vector<const SwitchCore*> cores;
    for (const CountingSwitch& one : switches) cores.push_back(&one);
    const std::uint64_t max = random.below(6);
    TriggerWatch watch({.kind = WaveTriggerKind::kStall, .argument = max}, cores, 0,
                       kDefaultVcOrder);
    watch.begin_run();
    std::vector<std::uint64_t> in_row(switches.size());
    bool expected = false;
    for (int edge = 0; edge < 60 && !expected; ++edge) {
      for (std::size_t s = 0; s < switches.size(); ++s) {
        // Stalls for any reason; other events do not count.
        const bool stalls = random.below(2) == 0;
        SwitchCounters& counters = switches[s].counters;
        ++counters.reductions;
        if (stalls) ++(random.below(2) == 0 ? counters.stall_credit : counters.stall_link);
        in_row[s] = stalls ? in_row[s] + 1 : 0;
        expected |= in_row[s] > max;
      }
      ASSERT_EQ(watch.edge(), expected) << "edge " << edge;
    }
  }
}

TEST(TriggerWatch, APhaseChangeIsSeenAtItsEdge) {
  CountingSwitch one;
  TriggerWatch watch({.kind = WaveTriggerKind::kPhaseChange}, {&one}, 0, kDefaultVcOrder);
  watch.begin_run();
  one.counters.stall_join = 9;
  EXPECT_FALSE(watch.edge());
  one.counters.phase_changes = 1;
  EXPECT_TRUE(watch.edge());
}

TEST(TriggerWatch, NeedsASwitchThatTellsItsCounters) {
  const CountingSwitch silent(false);
  for (const WaveTriggerKind kind : {WaveTriggerKind::kStall, WaveTriggerKind::kPhaseChange}) {
    try {
      const TriggerWatch watch({.kind = kind}, {&silent}, 0, kDefaultVcOrder);
      FAIL() << "not refused";
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find("--wave-trigger: found one on the counters"),
                std::string::npos)
          << error.what();
    }
  }
  const TriggerWatch others({.kind = WaveTriggerKind::kPacket}, {&silent}, 0, kDefaultVcOrder);
}

}  // namespace
}  // namespace fredsim
