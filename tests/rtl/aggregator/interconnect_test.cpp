// SPDX-License-Identifier: Apache-2.0
// aggregator_interconnect alone, against sums computed here and the timing in its contract:
// latency, rate of a flow, shares of several flows, delays of a phase change, unicasts beside sums,
// and its assertions.
#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "../bench.h"
#include "Vadders_p12k11/Vadders_p12k11.h"
#include "Vadders_p12k5/Vadders_p12k5.h"
#include "Vadders_p4k1/Vadders_p4k1.h"
#include "Vadders_p5k2/Vadders_p5k2.h"
#include "Vadders_p8k3/Vadders_p8k3.h"
#include "base/flit.h"
#include "base/fp.h"
#include "base/random.h"
#include "routing/phase_row.h"
#include "rtl/cover_counts.h"
#include "rtl/cover_list.h"
#include "rtl/phased_pkg.h"

namespace fredsim {
namespace {

template <class Model, int kPortsOf, int kAddersOf, int kLanes, FpFormat kFormat>
class Adders {
 public:
  static constexpr int kPorts = kPortsOf, kAdders = kAddersOf;
  using Ports = std::uint32_t;

  explicit Adders(std::uint64_t seed) : random_(seed) {
    bench_->change_i = 0;
    bench_.reset();
  }
  Bench<Model>& bench() { return bench_; }
  Random& random() { return random_; }
  long now() const { return now_; }  // the edge to come
  long flits(std::size_t flow) const { return done_.at(flow); }
  long last_sum() const { return last_sum_; }  // edge after which one was on an output
  bool empty() const { return expected_ == 0; }

  Ports hold() { return port_bits(bench_->hold_o); }
  Ports closed() { return port_bits(bench_->closed_o); }
  Ports in_flight() { return port_bits(bench_->in_flight_o); }

  // Activates the phase of the given flows at the next edge.
  void change(const std::vector<Flow>& flows, int vc) {
    bench_->change_i = 1;
    const std::vector<std::uint32_t> row = phase_row(kPorts, vc, flows, {});
    const int row_bits = phased_pkg::ROW_FLOWS_LSB + 2 * kPorts * std::bit_width(unsigned{kPorts});
    for (int b = 0; b < row_bits; ++b) {
      set_bit(bench_->row_i, b, (row[static_cast<std::size_t>(b) / 32] >> (b % 32) & 1U) != 0);
    }
    flows_ = flows;
    done_.assign(flows.size(), 0);
  }
  // At the next edge a flit of the flow fires, where nothing holds it back.
  bool fire(std::size_t f) {
    const Flow& flow = flows_[f];
    if ((hold() & flow.inputs) != 0) return false;
    force(f);
    return true;
  }
  void force(std::size_t f) {
    const Flow& flow = flows_[f];
    put(flow.inputs);
    in_ |= flow.inputs;
    out_ |= flow.outputs;
    const bool adds = !std::has_single_bit(flow.inputs);
    const Flit flit = sum(flow.inputs);
    for (int o = 0; o < kPorts; ++o) {
      if (!bit(flow.outputs, o)) continue;
      if (adds) {
        sums_[static_cast<std::size_t>(o)].push_back({f, flit});
      } else {
        passing_[{now_ + 4, o}] = flit;
      }
      ++expected_;
    }
  }
  // At the next edge a unicast moves, if it may.
  bool unicast(int in, int out, int vc) {
    const bool later = vc == static_cast<int>(bench_->in_flight_vc_o) && bit(in_flight(), out);
    if (bit(in_, in) || bit(out_, out) || bit(closed(), out) || later) return false;
    force_unicast(in, out);
    return true;
  }
  void force_unicast(int in, int out) {
    put(1U << in);
    in_ |= 1U << in;
    out_ |= 1U << out;
    unicast_ |= 1U << in;
    entering_.back().to[static_cast<std::size_t>(in)] = out;
    passing_[{now_ + 4, out}] = flits_[static_cast<std::size_t>(in)];
    ++expected_;
  }
  // Ignores the outputs from now on.
  void ignore_outputs() { ignores_outputs_ = true; }
  // Drops an input from the flits that fire at the next edge.
  void lose(int input) { entering_.back().flits.erase(input); }

  void edge() {
    drive();
    bench_.edge();
    collect();
    bench_->change_i = 0;
    fired_in_ = in_ & ~unicast_;
    fired_out_ = 0;
    for (const Flow& flow : flows_) {
      if ((flow.inputs & fired_in_) != 0) fired_out_ |= flow.outputs;
    }
    in_ = out_ = unicast_ = 0;
    entering_.pop_front();
    entering_.emplace_back();
    ++now_;
  }
  void edges(int count) {
    for (int n = 0; n < count; ++n) edge();
  }

 private:
  static constexpr int kFlitBits = noc_pkg::HEADER_W + 32 * ((kLanes + 1) / 2);
  using Flit = std::array<std::uint32_t, kFlitBits / 32>;
  struct Entering {
    std::map<int, Flit> flits;            // by input
    std::array<int, kPorts> to = none();  // outputs of unicasts
    static std::array<int, kPorts> none() {
      std::array<int, kPorts> all{};
      all.fill(-1);
      return all;
    }
  };
  struct Sum {
    std::size_t flow;
    Flit flit;
  };

  template <class Signal>
  static Ports port_bits(const Signal& signal) {
    return static_cast<Ports>(bits(signal, 0, kPorts));
  }
  void put(Ports inputs) {
    for (int p = 0; p < kPorts; ++p) {
      if (!bit(inputs, p)) continue;
      Flit& flit = flits_[static_cast<std::size_t>(p)];
      for (auto& word : flit) word = static_cast<std::uint32_t>(random_.next());
      if (kLanes % 2 == 1) flit.back() &= 0xFFFF;
      entering_.back().flits[p] = flit;
    }
  }
  // Sum in ascending input order, from left to right, with the header of the first.
  Flit sum(Ports inputs) const {
    Flit total = flits_[static_cast<std::size_t>(std::countr_zero(inputs))];
    for (int p = std::countr_zero(inputs) + 1; p < kPorts; ++p) {
      if (!bit(inputs, p)) continue;
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto word = static_cast<std::size_t>(3 + lane / 2);
        const int shift = lane % 2 * 16;
        const auto lane_of = [&](const Flit& flit) {
          return static_cast<std::uint16_t>(flit[word] >> shift);
        };
        const std::uint32_t added =
            fp_add(kFormat, lane_of(total), lane_of(flits_[static_cast<std::size_t>(p)]));
        total[word] = (total[word] & ~(0xFFFFU << shift)) | added << shift;
      }
    }
    return total;
  }
  void drive() {
    set_bits(bench_->fire_in_i, 0, kPorts, fired_in_);
    set_bits(bench_->fire_out_i, 0, kPorts, fired_out_);
    set_bits(bench_->in_valid_i, 0, kPorts, 0);
    for (int b = 0; b < kPorts * kPorts; ++b) set_bit(bench_->unicast_i, b, false);
    for (const auto& [p, flit] : entering_.front().flits) {
      set_bit(bench_->in_valid_i, p, true);
      const int to = entering_.front().to[static_cast<std::size_t>(p)];
      if (to >= 0) set_bit(bench_->unicast_i, kPorts * p + to, true);
      for (std::size_t w = 0; w < flit.size(); ++w) {
        set_bits(bench_->in_flit_i, p * kFlitBits + static_cast<int>(w) * 32, 32, flit[w]);
      }
    }
  }
  // Collects the outputs after this edge.
  void collect() {
    if (ignores_outputs_) return;
    for (int o = 0; o < kPorts; ++o) {
      const auto passing = passing_.find({now_, o});
      const bool passes = passing != passing_.end();
      if (!bit(bench_->out_valid_o, o)) {
        EXPECT_FALSE(passes) << "edge " << now_ << ", output " << o;
        continue;
      }
      Flit got;
      for (std::size_t w = 0; w < got.size(); ++w) {
        const int lsb = o * kFlitBits + static_cast<int>(w) * 32;
        got[w] = static_cast<std::uint32_t>(bits(bench_->out_flit_o, lsb, 32));
      }
      --expected_;
      if (passes) {
        EXPECT_EQ(got, passing->second) << "edge " << now_ << ", output " << o;
        passing_.erase(passing);
        continue;
      }
      auto& sums = sums_[static_cast<std::size_t>(o)];
      ASSERT_FALSE(sums.empty()) << "edge " << now_ << ", output " << o;
      EXPECT_EQ(got, sums.front().flit) << "edge " << now_ << ", output " << o;
      const std::size_t flow = sums.front().flow;
      if (flow < flows_.size() && o == std::countr_zero(flows_[flow].outputs)) ++done_[flow];
      last_sum_ = now_;
      sums.pop_front();
    }
  }

  Bench<Model> bench_;
  Random random_;
  std::vector<Flow> flows_;
  std::vector<long> done_;
  bool ignores_outputs_ = false;
  long now_ = 0, last_sum_ = -1, expected_ = 0;
  Ports in_ = 0, out_ = 0, unicast_ = 0;  // ports of the fires and moves at the next edge
  Ports fired_in_ = 0, fired_out_ = 0;
  std::array<Flit, kPorts> flits_{};
  std::deque<Entering> entering_ = std::deque<Entering>(4);  // at this edge, …, three edges later
  std::map<std::pair<long, int>, Flit> passing_;             // by edge and output
  std::array<std::deque<Sum>, kPorts> sums_;                 // by output
};

using Adders4 = Adders<Vadders_p4k1, 4, 1, 2, FpFormat::kFp16>;
using Adders5 = Adders<Vadders_p5k2, 5, 2, 3, FpFormat::kBf16>;
using Adders8 = Adders<Vadders_p8k3, 8, 3, 1, FpFormat::kFp16>;
using Adders12k5 = Adders<Vadders_p12k5, 12, 5, 1, FpFormat::kFp16>;
using Adders12 = Adders<Vadders_p12k11, 12, 11, 1, FpFormat::kFp16>;

template <class Dut>
class AggregatorInterconnect : public testing::Test {
 protected:
  static void settle(Dut& dut) {
    dut.edges(200);
    EXPECT_TRUE(dut.empty());
    EXPECT_EQ(dut.bench()->busy_o, 0);
  }
};
using Sizes = testing::Types<Adders4, Adders5, Adders8, Adders12>;
TYPED_TEST_SUITE(AggregatorInterconnect, Sizes);

// One flit of n inputs, and one that passes the adders.
TYPED_TEST(AggregatorInterconnect, SumTakesACyclePerOperandAndFourMore) {
  TypeParam dut(1);
  for (int n = 2; n <= TypeParam::kPorts; ++n) {
    dut.change({{(1U << n) - 1, 2U}}, kDp);
    dut.edge();
    const long fired = dut.now();
    ASSERT_TRUE(dut.fire(0));
    dut.edges(100);
    EXPECT_EQ(dut.last_sum(), fired + n + 5) << n << " inputs";
  }
  this->settle(dut);
}

// A flow alone that always has flits: min(1, adders / (n - 1)) flits per cycle.
TYPED_TEST(AggregatorInterconnect, RateOfAFlowIsAddersByAdditions) {
  for (int n = 2; n <= TypeParam::kPorts; ++n) {
    TypeParam dut(2);
    dut.change({{(1U << n) - 1, 4U}}, kDp);
    dut.edge();
    constexpr int kWindow = 1320;
    const auto run = [&](int edges) {
      for (int e = 0; e < edges; ++e) {
        dut.fire(0);
        dut.edge();
      }
      return dut.flits(0);
    };
    const long before = run(100);
    const long flits = run(kWindow) - before;
    const long max = std::min(kWindow, kWindow * TypeParam::kAdders / (n - 1));
    EXPECT_NEAR(static_cast<double>(flits), static_cast<double>(max), TypeParam::kAdders) << n;
    this->settle(dut);
  }
}

// Several flows that always have flits: equal shares, and no adder ever free while together they
// want more.
TYPED_TEST(AggregatorInterconnect, FlowsShareTheAddersFairly) {
  constexpr int kPorts = TypeParam::kPorts;
  constexpr int kWindow = 1200;
  const std::vector<int> widths =
      kPorts == 12 ? std::vector<int>{6, 4, 2} : std::vector<int>{kPorts - 2, 2};
  std::vector<Flow> flows;
  int port = 0;
  for (const int width : widths) {
    flows.push_back({((1U << width) - 1) << port, 1U << port});
    port += width;
  }
  TypeParam dut(3);
  dut.change(flows, kDp);
  dut.edge();
  std::vector<long> before(flows.size());
  for (int e = 0; e < 100 + kWindow; ++e) {
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (e == 100) before[f] = dut.flits(f);
      dut.fire(f);
    }
    dut.edge();
  }
  long additions = 0, wanted = 0;
  std::vector<long> share;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    share.push_back(dut.flits(f) - before[f]);
    additions += share[f] * (widths[f] - 1);
    wanted += widths[f] - 1;
  }
  const long max = std::min<long>(TypeParam::kAdders, wanted) * kWindow;
  EXPECT_NEAR(static_cast<double>(additions), static_cast<double>(max), 12.0 * TypeParam::kAdders);
  if (wanted >= TypeParam::kAdders) {
    const auto [min, greatest] = std::ranges::minmax(share);
    EXPECT_LE(greatest - min, TypeParam::kAdders) << min << " to " << greatest;
  }
  this->settle(dut);
}

std::vector<Flow> random_flows(int ports, Random& random) {
  std::vector<Flow> flows(1 + random.below(static_cast<std::uint64_t>(ports) / 2 + 1));
  for (int p = 0; p < ports; ++p) {
    const auto in = random.below(flows.size() + 1), out = random.below(flows.size() + 1);
    if (in < flows.size()) flows[in].inputs |= 1U << p;
    if (out < flows.size()) flows[out].outputs |= 1U << p;
  }
  std::erase_if(flows, [](const Flow& flow) { return flow.inputs == 0 || flow.outputs == 0; });
  return flows;
}

template <class Dut>
void settle(Dut& dut, int edges = 200) {
  dut.edges(edges);
  EXPECT_TRUE(dut.empty());
  EXPECT_EQ(dut.bench()->busy_o, 0);
}

// Random phases, flows and unicasts, with changes while sums are in progress: every flit bit by
// bit, in the order of its flow.
template <class Dut>
void add_what_fires() {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dut dut(seed);
    Random& random = dut.random();
    for (int phase = 0; phase < 12; ++phase) {
      const std::vector<Flow> flows = random_flows(Dut::kPorts, random);
      dut.change(flows, static_cast<int>(random.below(3)));
      dut.edge();
      const std::uint64_t percent = 1 + random.below(100), online = random.below(60);
      for (std::uint64_t left = random.below(90); left != 0; --left) {
        for (std::size_t f = 0; f < flows.size(); ++f) {
          if (random.below(100) < percent) dut.fire(f);
        }
        for (int p = 0; p < Dut::kPorts; ++p) {
          if (random.below(100) >= online) continue;
          dut.unicast(p, static_cast<int>(random.below(Dut::kPorts)),
                      static_cast<int>(random.below(3)));
        }
        dut.edge();
      }
    }
    settle(dut);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(AggregatorInterconnect, AddsWhatFiresWhateverComesBeside) {
  add_what_fires<TypeParam>();
}

// A flow of all ports with a flit in every cycle. Its last operands fill their FIFO: adders that
// all started before they reach it, and behind them the max number of waiting flits.
template <class Dut>
void fill_operands() {
  Dut dut(6);
  dut.change({{(1U << Dut::kPorts) - 1, 1U}}, kDp);
  dut.edge();
  for (int e = 0; e < 100; ++e) {
    dut.fire(0);
    dut.edge();
  }
  settle(dut);
}

TEST(AggregatorCoverPoints, AreAllReached) {
  expect_reached(cover_counts_of([] {
                   add_what_fires<Adders4>();
                   add_what_fires<Adders5>();
                   fill_operands<Adders8>();
                 }),
                 "aggregator");
}

// Flows of two inputs, more of them than adders, always with flits or, with `gaps`, now and then
// without. Always: equal shares, or, where flows run dry after they were held back, 7 : 6 at most
// (aggregator_scheduler.sv), and no adder is ever free. With gaps, which take turns by chance: 5 :
// 4, where unfair rounds give 3 : 2.
template <class Dut>
void share_among_pairs(bool gaps, bool runs_dry = false) {
  constexpr int kFlows = Dut::kPorts / 2;
  constexpr int kWindow = 3000;
  std::vector<Flow> flows;
  flows.reserve(kFlows);
  for (int f = 0; f < kFlows; ++f) flows.push_back({3U << (2 * f), 1U << (2 * f)});
  Dut dut(4);
  dut.change(flows, kDp);
  dut.edge();
  std::vector<long> before(flows.size()), served;
  for (int e = 0; e < 100 + kWindow; ++e) {
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (e == 100) before[f] = dut.flits(f);
      if (!gaps || dut.random().below(10) != 0) dut.fire(f);
    }
    dut.edge();
  }
  long all = 0;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    served.push_back(dut.flits(f) - before[f]);
    all += served[f];
  }
  if (!gaps) {
    EXPECT_NEAR(static_cast<double>(all), Dut::kAdders * kWindow, 0.01 * Dut::kAdders * kWindow);
  }
  const auto [min, max] = std::ranges::minmax(served);
  const long fair = runs_dry ? min * 7 / 6 + 1 : min;
  EXPECT_LE(max, gaps ? min * 5 / 4 : fair + Dut::kAdders) << min << " to " << max;
  settle(dut);
}

TEST(AggregatorShares, OfPairFlowsAreEqual) {
  for (const bool gaps : {false, true}) {
    SCOPED_TRACE(gaps ? "with gaps" : "always with flits");
    share_among_pairs<Adders4>(gaps);           // two flows at one adder
    share_among_pairs<Adders8>(gaps);           // four at three
    share_among_pairs<Adders12k5>(gaps, true);  // six at five
  }
}

// A change with no sum in progress holds no flow back; otherwise the new phase is held back exactly
// until the sums are done.
TYPED_TEST(AggregatorInterconnect, ChangeWaitsForSumsOfThePhaseBefore) {
  TypeParam dut(5);
  constexpr int kPorts = TypeParam::kPorts;
  const std::uint32_t all = (1U << kPorts) - 1;
  dut.change({{all, 1U}}, kDp);
  dut.edge();
  EXPECT_EQ(dut.hold(), 0U);
  int fired = 0;
  for (int e = 0; e < 3; ++e) {
    fired += dut.fire(0) ? 1 : 0;
    dut.edge();
  }
  ASSERT_GT(fired, 1);
  dut.change({{1U, 2U}}, kMp);
  dut.edge();
  long held = 0;
  for (; dut.hold() != 0; ++held) {
    EXPECT_EQ(dut.hold(), all);
    dut.edge();
  }
  const long released = dut.now();
  ASSERT_TRUE(dut.fire(0));
  dut.edges(60);
  // The last operand is looked for two edges before the release; the sum is on the output four
  // edges after that.
  EXPECT_EQ(dut.last_sum(), released - 2 + 4);
  EXPECT_GT(held, kPorts - 1);
  this->settle(dut);
}

TEST(AggregatorAssertions, AllInputsOfAFlowEnterTogether) {
  Adders4 dut(1);
  dut.change({{0x3, 0x4}}, kDp);
  dut.edge();
  dut.force(0);
  dut.lose(1);
  EXPECT_EQ(dut.bench().broken_by([&] { dut.edges(4); }), "sum_has_all_inputs");
}

TEST(AggregatorAssertions, NobodyFiresWhoIsHeldBack) {
  Adders4 dut(1);
  dut.change({{0xF, 0x4}}, kDp);
  dut.edge();
  EXPECT_EQ(dut.bench().broken_by([&] {
    for (int n = 0; n < 8; ++n) {
      dut.force(0);
      dut.edge();
    }
  }),
            "queue_has_a_place");
}

TEST(AggregatorAssertions, NoUnicastToAClosedOutput) {
  Adders4 dut(1);
  dut.change({{0x3, 0x4}}, kDp);
  dut.edge();
  dut.force(0);
  for (int n = 0; n < 50 && dut.closed() == 0; ++n) dut.edge();
  ASSERT_EQ(dut.closed(), 0x4U);
  dut.force_unicast(3, 2);
  dut.ignore_outputs();
  EXPECT_EQ(dut.bench().broken_by([&] { dut.edges(5); }), "one_flit_per_output");
}

}  // namespace
}  // namespace fredsim
