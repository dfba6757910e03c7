// SPDX-License-Identifier: Apache-2.0
// aggregator_scheduler alone: adder assignment at every edge, against rounds computed here, and the
// guarantees of rounds to a flow that always waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "../bench.h"
#include "Vadders_scheduler_p12k5/Vadders_scheduler_p12k5.h"
#include "Vadders_scheduler_p6k4/Vadders_scheduler_p6k4.h"
#include "base/random.h"
#include "rtl/aggregator_pkg.h"

namespace fredsim {
namespace {

constexpr int kMaxWaiting = static_cast<int>(aggregator_pkg::MAX_WAITING);

// Rounds as lists: whose turn in this one is still to come, who has had it.
class Rounds {
 public:
  explicit Rounds(int flows)
      : waiting_(static_cast<std::size_t>(flows)), served_(waiting_.size()) {}

  int waiting(int flow) const { return waiting_[static_cast<std::size_t>(flow)]; }

  // Returns the flows that get the `adders` free adders at this edge, in that order; then adds the
  // flows that fired.
  std::vector<int> step(int adders, std::uint32_t fired) {
    std::vector<int> turns, again;
    for (int f = 0; f < static_cast<int>(waiting_.size()); ++f) {
      if (waiting(f) != 0) (served_[static_cast<std::size_t>(f)] ? again : turns).push_back(f);
    }
    const bool ends = static_cast<int>(turns.size()) <= adders;  // with these turns the round
    const auto begin_next = static_cast<std::ptrdiff_t>(turns.size());
    turns.insert(turns.end(), again.begin(), again.end());
    if (static_cast<int>(turns.size()) > adders) turns.resize(static_cast<std::size_t>(adders));
    if (!turns.empty()) {
      if (ends) std::fill(served_.begin(), served_.end(), false);
      const auto from = ends ? turns.begin() + begin_next : turns.begin();
      std::for_each(from, turns.end(), [&](int f) { served_[static_cast<std::size_t>(f)] = true; });
    }
    for (const int f : turns) --waiting_[static_cast<std::size_t>(f)];
    for (std::size_t f = 0; f < waiting_.size(); ++f) waiting_[f] += fired >> f & 1U;
    return turns;
  }

 private:
  std::vector<int> waiting_;
  std::vector<bool> served_;
};

// Turns of every flow since flow `of` began to wait without a break; in whole rounds nobody has
// more than it, and of the rounds at both ends one each.
template <int kFlows>
class Leads {
 public:
  void turns(const std::vector<int>& flows, const Rounds& before) {
    for (int of = 0; of < kFlows; ++of) {
      auto& turns = turns_[static_cast<std::size_t>(of)];
      if (before.waiting(of) == 0) {
        turns.fill(0);
        continue;
      }
      for (const int f : flows) ++turns[static_cast<std::size_t>(f)];
      max_ = std::max(max_, *std::ranges::max_element(turns) - turns[static_cast<std::size_t>(of)]);
    }
  }
  int max() const { return max_; }

 private:
  std::array<std::array<int, kFlows>, kFlows> turns_{};
  int max_ = 0;
};

// Flows that fire wherever they may, in `percent` of the edges; adders that are free in
// `free_percent`.
template <class Model, int kFlows, int kAdders>
void share(std::uint64_t percent, std::uint64_t free_percent) {
  Bench<Model> dut;
  dut->fired_i = dut->free_i = 0;
  dut.reset();
  Random random(percent + free_percent);
  Rounds rounds(kFlows);
  Leads<kFlows> leads;
  std::uint32_t fired = 0;  // at the last edge
  for (int e = 0; e < 4000; ++e) {
    const std::string where = "edge " + std::to_string(e);
    std::uint32_t free = 0, fires = 0;
    for (int k = 0; k < kAdders; ++k) free |= random.below(100) < free_percent ? 1U << k : 0;
    set_bits(dut->free_i, 0, kAdders, free);
    dut.settle();
    for (int f = 0; f < kFlows; ++f) {
      const bool may = bits(dut->hold_o, f, 1) == 0;
      ASSERT_EQ(may, rounds.waiting(f) < kMaxWaiting - 1) << where;
      if (may && random.below(100) < percent) fires |= 1U << f;
    }
    const Rounds before = rounds;
    const std::vector<int> turns = rounds.step(std::popcount(free), fired);
    std::size_t turn = 0;
    for (int k = 0; k < kAdders; ++k) {
      std::uint32_t expected = 0;
      if ((free >> k & 1U) != 0 && turn < turns.size()) expected = 1U << turns[turn++];
      ASSERT_EQ(bits(dut->start_o, kFlows * k, kFlows), expected) << where << ", adder " << k;
    }
    leads.turns(turns, before);
    dut.edge();
    fired = fires;
    set_bits(dut->fired_i, 0, kFlows, fired);
  }
  EXPECT_LE(leads.max(), 2);
}

TEST(AggregatorScheduler, GivesEveryFlowItsTurnInEveryRound) {
  for (const std::uint64_t percent : {100, 90, 40}) {
    for (const std::uint64_t free_percent : {100, 60, 20}) {
      SCOPED_TRACE(std::to_string(percent) + " % fire, " + std::to_string(free_percent) +
                   " % free");
      share<Vadders_scheduler_p6k4, 6, 4>(percent, free_percent);
      share<Vadders_scheduler_p12k5, 12, 5>(percent, free_percent);
    }
  }
}

}  // namespace
}  // namespace fredsim
