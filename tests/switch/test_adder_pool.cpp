// SPDX-License-Identifier: Apache-2.0
// The pool of adders of an aggregator's twin against a reference that keeps every flit of a sum by
// the edges of its path, written from rtl/aggregator/aggregator_interconnect.sv,
// aggregator_scheduler.sv and aggregator_table.sv.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "switch/aggregator/adder_pool.h"

namespace fredsim {
namespace {

using Ports = std::uint32_t;

// Edges from that at which an adder takes a flit of n operands: to its last operand, and into the
// staging.
int last_operand(int operands) { return operands - 1; }
int to_staging(int operands) { return operands + 4; }

class PoolReference {
 public:
  PoolReference(int adders, const PhasedRow& row) : adders_(adders) { take(row); }

  Ports hold() const {
    if (pending_ != nullptr) return ~Ports{0};
    Ports held = 0;
    for (const auto& [code, sum] : sums_)
      if (waiting(sum).size() >= 2) held |= sum.flow.inputs;
    return held;
  }
  // A unicast that moves at this edge would be at the output together with a sum.
  Ports closed() const {
    Ports outputs = 0;
    for (const auto& [code, sum] : sums_)
      for (const long taken : sum.taken)
        if (taken + last_operand(sum.operands()) == now_) outputs |= sum.flow.outputs;
    return outputs;
  }
  Ports in_flight() const {
    Ports outputs = 0;
    for (const auto& [code, sum] : sums_)
      if (!sum.fired.empty() || adding(sum)) outputs |= sum.flow.outputs;
    return outputs;
  }
  int vc() const { return vc_; }
  bool idle() const { return in_flight() == 0 && pending_ == nullptr && now_ > taken_at_ + 2; }
  // (edge, tag) by output: flits that reach the staging.
  const std::map<int, std::vector<std::pair<long, std::uint32_t>>>& arrivals() const {
    return arrivals_;
  }

  void step(Ports fired, std::uint32_t tag, const PhasedRow* change) {
    if (change != nullptr) pending_ = change;
    const bool takes = pending_ != nullptr && in_flight() == 0;
    hand_out();
    for (auto& [code, sum] : sums_)
      if ((fired & sum.flow.inputs) != 0) sum.fired.push_back({now_, tag});
    if (takes) {
      take(*pending_);
      pending_ = nullptr;
      taken_at_ = now_;
    }
    ++now_;
  }

 private:
  struct Flit {
    long edge = 0;
    std::uint32_t tag = 0;
  };
  struct Sum {
    PhasedRow::Flow flow;
    std::deque<Flit> fired;   // without an adder
    std::vector<long> taken;  // edges at which adders took one
    int operands() const { return std::popcount(flow.inputs); }
  };

  // A flit that fired at an edge can be taken two edges later.
  std::vector<Flit> waiting(const Sum& sum) const {
    std::vector<Flit> ready;
    for (const Flit& flit : sum.fired)
      if (flit.edge + 2 <= now_) ready.push_back(flit);
    return ready;
  }
  bool adding(const Sum& sum) const {
    return std::ranges::any_of(
        sum.taken, [&](long edge) { return edge + last_operand(sum.operands()) >= now_; });
  }
  int free() const {
    int free = adders_;
    for (const auto& [code, sum] : sums_) {
      free -= static_cast<int>(std::ranges::count_if(
          sum.taken, [&](long edge) { return edge + last_operand(sum.operands()) > now_; }));
    }
    return free;
  }
  void hand_out() {
    std::vector<int> in_turn, again;
    for (const auto& [code, sum] : sums_) {
      if (waiting(sum).empty()) continue;
      (had_turn_.contains(code) ? again : in_turn).push_back(code);
    }
    int left = free();
    std::set<int> first, second;
    for (const int code : in_turn)
      if (left > 0 && left-- > 0) first.insert(code);
    for (const int code : again)
      if (left > 0 && left-- > 0) second.insert(code);
    for (const auto* codes : {&first, &second})
      for (const int code : *codes) start(code);
    if (first.empty() && second.empty()) return;
    // A round ends when nobody who has flits waits for a first turn in it.
    if (first.size() == in_turn.size()) {
      had_turn_ = second;
    } else {
      had_turn_.insert(first.begin(), first.end());
    }
  }
  void start(int code) {
    Sum& sum = sums_.at(code);
    const std::uint32_t tag = sum.fired.front().tag;
    sum.fired.pop_front();
    sum.taken.push_back(now_);
    for (int p = 0; p < 32; ++p) {
      if ((sum.flow.outputs >> p & 1U) != 0)
        arrivals_[p].emplace_back(now_ + to_staging(sum.operands()), tag);
    }
  }
  void take(const PhasedRow& row) {
    sums_.clear();
    vc_ = row.vc;
    for (const PhasedRow::Flow& flow : row.flows)
      if (!std::has_single_bit(flow.inputs)) sums_[flow.code].flow = flow;
  }

  int adders_;
  long now_ = 0, taken_at_ = -10;
  std::map<int, Sum> sums_;  // by code
  std::set<int> had_turn_;
  int vc_ = 0;
  const PhasedRow* pending_ = nullptr;
  std::map<int, std::vector<std::pair<long, std::uint32_t>>> arrivals_;
};

PhasedRow random_pool_flows(int ports, Random& random) {
  PhasedRow row;
  row.vc = static_cast<int>(random.below(3));
  const std::uint64_t max = 1 + random.below(static_cast<std::uint64_t>(ports));
  std::vector<Ports> inputs(static_cast<std::size_t>(ports) + 1), outputs(inputs.size());
  for (int p = 0; p < ports; ++p) {
    inputs[random.below(max + 1)] |= 1U << p;
    outputs[random.below(max + 1)] |= 1U << p;
  }
  for (int code = 1; code <= ports; ++code)
    if (inputs[code] != 0 && outputs[code] != 0)
      row.flows.push_back({inputs[code], outputs[code], code, std::popcount(inputs[code]) - 1});
  return row;
}

class PoolBench {
 public:
  PoolBench(int ports, int adders, std::uint64_t seed)
      : ports_(ports),
        random_(seed),
        pool_(ports, adders),
        outputs_(ports, shape(), 3, pool_.longest()),
        reference_(adders, PhasedRow{}) {}

  void run(int edges) {
    for (int i = 0; i < edges; ++i) {
      const int place = i % 90;
      if (place == 0) percent_ = 20 + random_.below(81);
      // Most rows change during sums, some while idle, and some are replaced before they are taken.
      const bool changes = place == 0 || (place == 89 && random_.below(3) == 0);
      const bool rests = place > 60 && i / 90 % 3 == 0;
      edge(changes, rests);
      if (testing::Test::HasFatalFailure()) return;
    }
    for (int i = 0; i < 120; ++i) edge(false, true);
    EXPECT_TRUE(pool_.idle());
    EXPECT_EQ(seen_, reference_.arrivals());
  }
  std::size_t sums() const {
    std::size_t all = 0;
    for (const auto& [port, flits] : seen_) all += flits.size();
    return all;
  }

 private:
  static PhasedShape shape() {
    PhasedShape shape;
    shape.buffers.output_flits = 64;
    shape.buffers.data_flits = 10'000;
    return shape;
  }

  void edge(bool changes, bool rests) {
    ASSERT_EQ(pool_.hold(), reference_.hold()) << "edge " << now_;
    ASSERT_EQ(pool_.closed(), reference_.closed()) << "edge " << now_;
    ASSERT_EQ(pool_.in_flight(), reference_.in_flight()) << "edge " << now_;
    ASSERT_EQ(pool_.in_flight_vc(), reference_.vc()) << "edge " << now_;
    ASSERT_EQ(pool_.idle(), reference_.idle()) << "edge " << now_;
    outputs_.drive<0>(pins_);
    for (int p = 0; p < ports_; ++p) {
      // Into the staging at one edge, on the pins at the next.
      if ((pins_.out_valid >> p & 1U) != 0)
        seen_[p].emplace_back(now_ - 1, pins_.out_flit[static_cast<std::size_t>(p) * kWords]);
    }
    const PhasedRow* change = nullptr;
    if (changes) {
      rows_.push_back(std::make_unique<PhasedRow>(random_pool_flows(ports_, random_)));
      change = rows_.back().get();
    }
    Ports fired = 0;
    if (!changes && !rests && !rows_.empty()) {
      for (const PhasedRow::Flow& flow : rows_.back()->flows) {
        if ((flow.inputs & pool_.hold()) == 0 && random_.below(100) < percent_) {
          fired |= flow.inputs;
          if (std::has_single_bit(flow.inputs)) continue;
          std::array<std::uint32_t, kWords> flit{};
          pack_header({.tag = static_cast<std::uint32_t>(now_),
                       .vc = static_cast<std::uint8_t>(rows_.back()->vc),
                       .head = true,
                       .tail = true},
                      flit.data());
          outputs_.reserve(rows_.back()->vc, flow.outputs);
          outputs_.stage<0>(rows_.back()->vc, flow.outputs, flit.data());
        }
      }
    }
    pool_.step(fired, change, outputs_);
    reference_.step(fired, static_cast<std::uint32_t>(now_), change);
    outputs_.deliver();
    pins_.out_ready = ~0U;
    outputs_.launch(pins_);
    ++now_;
  }

  static constexpr int kWords = kHeaderWords + 1;
  int ports_;
  Random random_;
  AdderPool pool_;
  PhasedOutputs outputs_;
  PoolReference reference_;
  SwitchPins pins_{32, 1};
  std::vector<std::unique_ptr<PhasedRow>> rows_;
  std::map<int, std::vector<std::pair<long, std::uint32_t>>> seen_;
  std::uint64_t percent_ = 0;
  long now_ = 0;
};

TEST(AdderPool, FollowsItsReference) {
  std::uint64_t seed = 0;
  for (const auto& [ports, adders] :
       {std::pair(2, 1), {4, 1}, {5, 2}, {7, 3}, {12, 4}, {12, 32}, {32, 1}, {32, 5}, {32, 31}}) {
    std::size_t sums = 0;
    for (int run = 0; run < 4; ++run) {
      SCOPED_TRACE(fmt::format("{} ports, {} adders, seed {}", ports, adders, ++seed));
      PoolBench bench(ports, adders, seed);
      bench.run(1500);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
      sums += bench.sums();
    }
    EXPECT_GT(sums, 300U) << ports << " ports, " << adders << " adders";
  }
}

// One sum of n inputs, always ready: a pool of a adders adds min(1, a / (n - 1)) flits of it per
// edge.
TEST(AdderPool, RunsASumAtTheRateOfItsAdders) {
  for (const int operands : {2, 3, 5, 12, 32}) {
    for (const int adders : {1, 2, 4, 31}) {
      SCOPED_TRACE(fmt::format("{} operands, {} adders", operands, adders));
      AdderPool pool(32, adders);
      PhasedOutputs outputs(32, PhasedShape{}, 3, pool.longest());
      PhasedRow row;
      row.flows = {{~0U >> (32 - operands), 1, 1, operands - 1}};
      pool.step(0, &row, outputs);
      constexpr int kEdges = 3100;
      int fired = 0;
      for (int i = 0; i < kEdges; ++i) {
        const bool fires = (pool.hold() & 1U) == 0;
        fired += fires ? 1 : 0;
        pool.step(fires ? row.flows[0].inputs : 0, nullptr, outputs);
      }
      const double rate = std::min(1.0, static_cast<double>(adders) / (operands - 1));
      EXPECT_NEAR(fired, kEdges * rate, 40);
    }
  }
}

StateDigest digest_of(const AdderPool& pool) {
  StateDigest digest(0);
  pool.add_state(digest);
  return digest;
}

// Recurring states: the digest ignores the edge, and includes all state that determines the future.
TEST(AdderPool, TheStateIsRelativeToTheEdge) {
  PhasedRow row;
  row.flows = {{0b0111, 0b0001, 1, 2}, {0b11000, 0b0110, 2, 1}};
  const auto after = [&](int rest, const std::vector<Ports>& fires) {
    AdderPool pool(5, 1);
    PhasedOutputs outputs(5, PhasedShape{}, 3, pool.longest());
    pool.step(0, &row, outputs);
    for (int i = 0; i < rest; ++i) pool.step(0, nullptr, outputs);
    for (const Ports fired : fires) pool.step(fired, nullptr, outputs);
    return digest_of(pool);
  };
  const std::vector<std::vector<Ports>> histories{{0},
                                                  {0b0111},
                                                  {0b11000},
                                                  {0b0111, 0},
                                                  {0b0111, 0, 0},
                                                  {0b0111, 0, 0, 0},
                                                  {0b11111},
                                                  {0b11111, 0, 0},
                                                  {0b11111, 0, 0, 0, 0},
                                                  {0b11111, 0b0111}};
  std::set<StateDigest> states;
  for (const auto& history : histories) {
    EXPECT_EQ(after(3, history), after(36, history));
    EXPECT_TRUE(states.insert(after(3, history)).second) << "of history " << states.size();
  }
  EXPECT_NE(after(0, {}), after(1, {})) << "the row is not in use yet";
}

TEST(AdderPool, ResetForgetsSumsAndRows) {
  PhasedRow row;
  row.flows = {{0b011, 0b1, 1, 1}};
  AdderPool pool(3, 2);
  PhasedOutputs outputs(3, PhasedShape{}, 3, pool.longest());
  const StateDigest fresh = digest_of(pool);
  pool.step(0, &row, outputs);
  pool.step(0b011, nullptr, outputs);
  pool.step(0, &row, outputs);
  EXPECT_EQ(pool.hold(), ~0U);
  EXPECT_FALSE(pool.idle());
  pool.reset();
  EXPECT_TRUE(pool.idle());
  EXPECT_EQ(pool.hold() | pool.closed() | pool.in_flight(), 0U);
  EXPECT_EQ(digest_of(pool), fresh);
}

}  // namespace
}  // namespace fredsim
