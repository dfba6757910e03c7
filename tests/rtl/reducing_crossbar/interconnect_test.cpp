// SPDX-License-Identifier: Apache-2.0
// reducing_crossbar_interconnect alone: all sets of disjoint flows of its ports, including sets
// that conflict in Fred_2(P), another one at every edge, some flows and online unicasts beside
// them; every flit that leaves against sums in the order given by the contract of
// reducing_crossbar_tree, bit by bit, at the specified edge.
#include <array>
#include <bit>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../bench.h"
#include "Vcrossbar_p2/Vcrossbar_p2.h"
#include "Vcrossbar_p4/Vcrossbar_p4.h"
#include "Vcrossbar_p5/Vcrossbar_p5.h"
#include "base/fp.h"
#include "base/random.h"
#include "routing/fred_routing.h"

namespace fredsim {
namespace {

// Calls f(flows) for every set of disjoint flows of `ports` ports, including the empty one,
// ignoring the order of flows.
void for_all_flows(int ports, const std::function<void(const std::vector<Flow>&)>& f) {
  std::vector<Flow> flows;
  const std::function<void(int)> outputs = [&](int port) {
    if (port == ports) {
      for (const Flow& flow : flows)
        if (flow.outputs == 0) return;
      f(flows);
      return;
    }
    outputs(port + 1);
    for (Flow& flow : flows) {
      flow.outputs |= 1U << port;
      outputs(port + 1);
      flow.outputs &= ~(1U << port);
    }
  };
  const std::function<void(int)> inputs = [&](int port) {
    if (port == ports) return outputs(0);
    inputs(port + 1);
    const std::size_t before = flows.size();  // the recursion adds and removes flows
    for (std::size_t n = 0; n < before; ++n) {
      flows[n].inputs |= 1U << port;
      inputs(port + 1);
      flows[n].inputs &= ~(1U << port);
    }
    flows.push_back({1U << port, 0});
    inputs(port + 1);
    flows.pop_back();
  };
  inputs(0);
}

template <class Model, int kPorts, int kLanes, FpFormat kFormat>
class Crossbar {
 public:
  static constexpr int kFlitBits = noc_pkg::HEADER_W + 32 * ((kLanes + 1) / 2);
  static constexpr int kStages = 1 + std::bit_width(static_cast<unsigned>(kPorts - 1));
  using Flit = std::array<std::uint32_t, kFlitBits / 32>;

  explicit Crossbar(std::uint64_t seed) : random_(seed) {
    bench_->load_i = bench_->in_valid_i = 0;
    set_bits(bench_->config_i, 0, kPorts * kPorts, 0);
    set_bits(bench_->unicast_i, 0, kPorts * kPorts, 0);
    bench_.reset();
    coming_.resize(kStages);
  }
  Bench<Model>& bench() { return bench_; }
  std::uint64_t flits() const { return flits_; }

  // The flows run from the next edge on.
  void load(const std::vector<Flow>& flows) {
    bench_->load_i = 1;
    std::uint64_t config = 0;
    for (const Flow& flow : flows) config |= matrix(flow.outputs, flow.inputs);
    set_bits(bench_->config_i, 0, kPorts * kPorts, config);
    loaded_ = flows;
  }
  void put(int port) {
    Flit& flit = flits_in_[static_cast<std::size_t>(port)];
    for (auto& word : flit) word = static_cast<std::uint32_t>(random_.next());
    // The half word that is over and the bits that mean nothing are zero, as in a switch.
    if (kLanes % 2 == 1) flit.back() &= 0xFFFF;
    for (std::size_t w = 0; w < flit.size(); ++w)
      set_bits(bench_->in_flit_i, port * kFlitBits + static_cast<int>(w) * 32, 32, flit[w]);
    bench_->in_valid_i = static_cast<CData>(bench_->in_valid_i | 1U << port);
  }
  // Traffic of the flows in use, and of their free ports, some by chance.
  void traffic() {
    std::uint32_t in = 0, out = 0;
    for (const Flow& flow : now_) {
      if (random_.below(4) == 0) continue;
      for (int p = 0; p < kPorts; ++p)
        if (bit(flow.inputs, p)) put(p);
      in |= flow.inputs;
      out |= flow.outputs;
      for (int p = 0; p < kPorts; ++p)
        if (bit(flow.outputs, p)) coming_.back()[static_cast<std::size_t>(p)] = sum(flow.inputs);
    }
    for (int p = 0; p < kPorts; ++p) {
      const auto to = static_cast<int>(random_.below(2 * kPorts));
      if (bit(in, p) || to >= kPorts || bit(out, to)) continue;
      put(p);
      out |= 1U << to;
      set_bit(bench_->unicast_i, kPorts * p + to, true);
      coming_.back()[static_cast<std::size_t>(to)] = flits_in_[static_cast<std::size_t>(p)];
    }
  }
  void edge(const std::string& where) {
    bench_.edge();
    const auto& want = coming_.front();
    for (int p = 0; p < kPorts; ++p) {
      const auto& flit = want[static_cast<std::size_t>(p)];
      ASSERT_EQ(bit(bench_->out_valid_o, p), flit.has_value()) << where << ", output " << p;
      if (!flit) continue;
      for (std::size_t w = 0; w < flit->size(); ++w) {
        const int lsb = p * kFlitBits + static_cast<int>(w) * 32;
        ASSERT_EQ(bits(bench_->out_flit_o, lsb, 32), (*flit)[w])
            << where << ", output " << p << ", word " << w;
      }
      ++flits_;
    }
    quiet_ = bench_->in_valid_i == 0 ? quiet_ + 1 : 0;
    ASSERT_EQ(bench_->busy_o != 0, quiet_ < kStages) << where;
    coming_.pop_front();
    coming_.emplace_back();
    bench_->in_valid_i = 0;
    set_bits(bench_->unicast_i, 0, kPorts * kPorts, 0);
    bench_->load_i = 0;
    now_ = loaded_;
  }

 private:
  static std::uint64_t matrix(std::uint32_t outputs, std::uint32_t inputs) {
    std::uint64_t mask = 0;
    for (int o = 0; o < kPorts; ++o)
      if (bit(outputs, o)) mask |= std::uint64_t{inputs} << (kPorts * o);
    return mask;
  }
  // Sum of the inputs from `first` to `first + width - 1`, a power of two, as far as they are in
  // the mask.
  std::optional<Flit> sum(std::uint32_t inputs, int first = 0, int width = 8) const {
    if (first >= kPorts) return {};
    if (width == 1) {
      if (!bit(inputs, first)) return {};
      return flits_in_[static_cast<std::size_t>(first)];
    }
    const std::optional<Flit> left = sum(inputs, first, width / 2);
    const std::optional<Flit> right = sum(inputs, first + width / 2, width / 2);
    if (!left) return right;
    if (!right) return left;
    Flit both = *left;
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto word = static_cast<std::size_t>(3 + lane / 2);
      const int shift = lane % 2 * 16;
      const std::uint32_t added =
          fp_add(kFormat, static_cast<std::uint16_t>((*left)[word] >> shift),
                 static_cast<std::uint16_t>((*right)[word] >> shift));
      both[word] = (both[word] & ~(0xFFFFU << shift)) | added << shift;
    }
    return both;
  }

  Bench<Model> bench_;
  Random random_;
  std::vector<Flow> loaded_, now_;  // now: of flits at the next edge
  std::array<Flit, kPorts> flits_in_{};
  // Outputs after the next edges, by output; the last entry is for the flits that enter at the next
  // one.
  std::deque<std::array<std::optional<Flit>, kPorts>> coming_;
  std::uint64_t flits_ = 0;
  int quiet_ = kStages;
};

template <class Crossbar>
void run_all_flows(int ports, int edges_each, int sets_wanted) {
  Crossbar crossbar(1);
  int sets = 0, conflicts = 0;
  for_all_flows(ports, [&](const std::vector<Flow>& flows) {
    if (testing::Test::HasFatalFailure()) return;
    ++sets;
    if (!has_routing({ports, 2}, flows)) ++conflicts;
    crossbar.load(flows);
    for (int n = 0; n < edges_each; ++n) {
      crossbar.traffic();
      crossbar.edge("set " + std::to_string(sets));
    }
  });
  for (int n = 0; n < 8; ++n) crossbar.edge("at the end");
  EXPECT_EQ(sets, sets_wanted);
  EXPECT_EQ(conflicts > 0, ports > 2);
  EXPECT_GT(crossbar.flits(), static_cast<std::uint64_t>(sets));
}

using Crossbar2 = Crossbar<Vcrossbar_p2, 2, 1, FpFormat::kFp16>;
using Crossbar4 = Crossbar<Vcrossbar_p4, 4, 2, FpFormat::kFp16>;
using Crossbar5 = Crossbar<Vcrossbar_p5, 5, 3, FpFormat::kBf16>;

TEST(ReducingCrossbar, AddsAllSetsOfFlowsOfTwoPorts) { run_all_flows<Crossbar2>(2, 50, 12); }

TEST(ReducingCrossbar, AddsAllSetsOfFlowsOfFourPorts) { run_all_flows<Crossbar4>(4, 3, 2100); }

TEST(ReducingCrossbar, AddsAllSetsOfFlowsOfFivePorts) { run_all_flows<Crossbar5>(5, 1, 48'032); }

TEST(ReducingCrossbar, AssertsThatAllInputsOfAFlowAreThere) {
  Crossbar4 crossbar(2);
  crossbar.load({{0x3, 0x4}});
  crossbar.edge("load");
  crossbar.put(1);
  EXPECT_EQ(crossbar.bench().broken_by([&] { crossbar.bench().edge(); }), "sum_has_all_inputs");
}

TEST(ReducingCrossbar, AssertsThatUnicastsAreAlone) {
  for (const bool both_online : {false, true}) {
    Crossbar4 crossbar(3);
    crossbar.load({{0x1, 0x4}});
    crossbar.edge("load");
    crossbar.put(0);
    crossbar.put(1);
    set_bit(crossbar.bench()->unicast_i, 4 * 1 + 2, true);
    if (both_online) set_bit(crossbar.bench()->unicast_i, 4 * 0 + 2, true);
    EXPECT_EQ(crossbar.bench().broken_by([&] { crossbar.bench().edge(); }), "unicasts_apart");
  }
}

}  // namespace
}  // namespace fredsim
