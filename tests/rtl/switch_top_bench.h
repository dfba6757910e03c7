// SPDX-License-Identifier: Apache-2.0
// Bench of fred_switch_top: traffic, a fred_switch alone, and a top with its links at clocks of any
// periods and phases.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "Vtop_fred_switch_top/Vtop_fred_switch_top.h"
#include "base/flit.h"
#include "base/random.h"
#include "clocks.h"
#include "routing/fred_routing.h"
#include "switch/fred/fred_shape.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "verilated.h"

namespace fredsim::switch_top {

constexpr int kPorts = 4, kWords = 4;
constexpr std::uint64_t kPeriod = 1000;  // period of the switch's clock

FredShape shape();

// ---------------------------------------------------------------- traffic

struct Phase {
  int vc;
  std::vector<Flow> flows;
};

const std::vector<Phase>& phases();

// Register writes before the traffic: phase store, routes of destinations 0 to 3.
std::vector<std::pair<int, std::uint32_t>> settings();

using FlitWords = std::array<std::uint32_t, kWords>;
// Flits to be sent, by input and VC.
using Queues = std::array<std::array<std::deque<FlitWords>, kNumVcs>, kPorts>;
// Flits that left, in order, by output, VC, phase and source: no other traffic comes in between.
using Delivered = std::map<std::tuple<int, int, int, int>, std::vector<FlitWords>>;

void add_packet(Queues& queues, Random& random, std::uint32_t tag, int phase, int vc,
                std::uint32_t inputs, int destination, int flits);
Queues random_traffic(Random& random, int packets);
std::uint64_t flits_in(const Queues& queues, int port);
void deliver(Delivered& delivered, int port, const FlitWords& words);

// A fred_switch alone, its links always ready.
Delivered through_the_switch_alone(Queues queues);

void expect_same(const Delivered& top, const Delivered& alone);

// ---------------------------------------------------------------- the top and its surroundings

struct Link {
  std::uint64_t gap_percent = 0;    // chance that the sender is idle at an edge
  std::uint64_t pause_percent = 0;  // chance that nothing may leave at an edge
  std::uint64_t return_delay = 0;   // max edges until the other end frees a slot
};

// Clocks: number 0 is the switch's, 1 + p the receive clock of port p, 1 + kPorts + p its transmit
// clock.
class Top {
 public:
  Top(Clocks clocks, std::uint64_t seed, Link link = {})
      : clocks_(std::move(clocks)), random_(seed), link_(link) {
    model_.psel_i = model_.penable_i = 0;
    model_.test_mode_i = model_.test_rst_ni = 0;
    model_.bist_start_i = 0;
    reset(0);
  }
  ~Top() {
    model_.final();
    Verilated::threadContextp(
        &context_);  // else a model is taken out of the context that was used last
  }
  Top(const Top&) = delete;
  Top& operator=(const Top&) = delete;

  // The reset of the chip for a time, then until every clock has had three edges; everything
  // outside begins anew.
  void reset(std::uint64_t time) {
    model_.rst_ni = 0;
    model_.eval();
    queues_ = {};
    delivered_ = {};
    arrived_ = {};
    for (int p = 0; p < kPorts; ++p) {
      held_[p] = {};
      for (int v = 0; v < kNumVcs; ++v) credits_[p][v] = shape().buffers.depth(v);
    }
    model_.rx_valid_i = model_.tx_ready_i = 0;
    model_.rx_credit_i = 0;
    model_.psel_i = model_.penable_i = 0;
    in_reset_ = true;
    for (const std::uint64_t end = clocks_.time() + time; clocks_.time() < end;) tick();
    model_.rst_ni = 1;
    model_.eval();
    std::uint64_t longest = 0;
    for (int i = 0; i < clocks_.size(); ++i) longest = std::max(longest, clocks_.period(i));
    for (const std::uint64_t end = clocks_.time() + 4 * longest; clocks_.time() < end;) tick();
    in_reset_ = false;
  }

  void send(const Queues& queues) { queues_ = queues; }
  // Queues further packets behind unsent ones.
  void send_more(const Queues& queues) {
    for (int p = 0; p < kPorts; ++p) {
      for (int v = 0; v < kNumVcs; ++v) {
        queues_[p][v].insert(queues_[p][v].end(), queues[p][v].begin(), queues[p][v].end());
      }
    }
  }

  // To the next change of a clock.
  void tick() {
    const std::uint32_t rising = clocks_.advance();
    model_.clk_i = clocks_.level(0);
    std::uint32_t rx = 0, tx = 0;
    for (int p = 0; p < kPorts; ++p) {
      rx |= std::uint32_t{clocks_.level(1 + p)} << p;
      tx |= std::uint32_t{clocks_.level(1 + kPorts + p)} << p;
    }
    model_.rx_clk_i = static_cast<CData>(rx);
    model_.tx_clk_i = static_cast<CData>(tx);
    const std::uint32_t ready_before = model_.tx_ready_i;
    model_.eval();
    if (in_reset_) return;
    for (int p = 0; p < kPorts; ++p) {
      if ((rising >> (1 + kPorts + p) & 1U) != 0) leave(p, (ready_before >> p & 1U) != 0);
      if ((rising >> (1 + p) & 1U) != 0) arrive(p);
    }
    if ((rising & 1U) != 0) ++cycles_;
  }
  // To after the next edge of the switch's clock.
  void cycle() {
    for (const std::uint64_t now = cycles_; cycles_ == now;) tick();
  }
  void run(std::uint64_t time) {
    for (const std::uint64_t end = clocks_.time() + time; clocks_.time() < end;) tick();
  }
  // Until nothing was sent or came for so long.
  void drain() {
    quiet_since_ = clocks_.time();
    while (clocks_.time() < quiet_since_ + 300 * kPeriod) tick();
  }

  struct Answer {
    std::uint32_t data = 0;
    bool error = false;
  };
  Answer transfer(bool write, std::uint32_t byte_address, std::uint32_t data = 0) {
    cycle();
    model_.psel_i = 1;
    model_.pwrite_i = write;
    model_.paddr_i = byte_address;
    model_.pwdata_i = data;
    cycle();
    model_.penable_i = 1;
    model_.eval();
    while (!model_.pready_o) cycle();
    const Answer answer{model_.prdata_o, model_.pslverr_o != 0};
    cycle();
    model_.psel_i = model_.penable_i = 0;
    return answer;
  }
  Answer read(int address) { return transfer(false, static_cast<std::uint32_t>(address) * 4); }
  void write(int address, std::uint32_t value) {
    EXPECT_FALSE(transfer(true, static_cast<std::uint32_t>(address) * 4, value).error) << address;
  }
  void write_settings() {
    for (const auto& [address, value] : settings()) write(address, value);
  }

  // Nothing lost, nothing held, all credits back.
  void expect_quiet() {
    EXPECT_TRUE(model_.idle_o);
    EXPECT_EQ(model_.error_o, reg::kErrorNone);
    EXPECT_EQ(model_.rx_overflow_o, 0U);
    for (int p = 0; p < kPorts; ++p) {
      for (int v = 0; v < kNumVcs; ++v) {
        EXPECT_TRUE(queues_[p][v].empty()) << "input " << p << " VC " << v;
        EXPECT_EQ(credits_[p][v], shape().buffers.depth(v)) << "input " << p << " VC " << v;
        EXPECT_EQ(read(reg::kCredit + 4 * p + v).data,
                  static_cast<std::uint32_t>(shape().buffers.depth(v)));
      }
    }
  }

  const Delivered& delivered() const { return delivered_; }
  void forget_delivered() { delivered_ = {}; }
  // Times of the edges after which flits were on the pins of output `port`.
  const std::vector<std::uint64_t>& arrivals(int port) const { return arrived_[port]; }
  std::uint64_t first_sent = 0;         // time of the edge that sampled the first flit at input 0
  std::vector<std::uint64_t> returned;  // times at which credits came back to the sender at input 0
  std::uint64_t time() const { return clocks_.time(); }
  Vtop_fred_switch_top& model() { return model_; }
  VerilatedContext& context() { return context_; }
  void set_credits(int vc, int credits) { credits_[0][vc] = credits; }

 private:
  struct Slot {
    int vc;
    std::uint64_t edges;
  };

  void leave(int p, bool was_ready) {
    for (int v = 0; v < kNumVcs; ++v) {
      if ((model_.tx_credit_o >> (kNumVcs * p + v) & 1U) == 0) continue;
      quiet_since_ = clocks_.time();
      if (p == 0) returned.push_back(clocks_.time());
      ASSERT_LE(++credits_[p][v], shape().buffers.depth(v)) << "input " << p << " VC " << v;
    }
    if ((model_.tx_valid_o >> p & 1U) != 0) {
      EXPECT_TRUE(was_ready) << "output " << p << " at " << clocks_.time();
      FlitWords words;
      std::copy_n(&model_.tx_flit_o[p * kWords], kWords, words.begin());
      deliver(delivered_, p, words);
      arrived_[p].push_back(clocks_.time());
      held_[p].push_back({unpack_header(words.data()).vc, random_.below(link_.return_delay + 1)});
      quiet_since_ = clocks_.time();
    }
    const bool pause = random_.below(100) < link_.pause_percent;
    model_.tx_ready_i =
        static_cast<CData>((model_.tx_ready_i & ~(1U << p)) | std::uint32_t{!pause} << p);
  }

  void arrive(int p) {
    if (p == 0 && first_sent == 0 && (model_.rx_valid_i & 1U) != 0) first_sent = clocks_.time();
    std::uint32_t credit = 0;
    for (auto slot = held_[p].begin(); slot != held_[p].end();) {
      const std::uint32_t mask = 1U << (kNumVcs * p + slot->vc);
      if (slot->edges == 0 && (credit & mask) == 0) {
        credit |= mask;
        slot = held_[p].erase(slot);
      } else {
        if (slot->edges != 0) --slot->edges;
        ++slot;
      }
    }
    const std::uint32_t mine = ((1U << kNumVcs) - 1) << (kNumVcs * p);
    model_.rx_credit_i = static_cast<SData>((model_.rx_credit_i & ~mine) | credit);
    model_.rx_valid_i = static_cast<CData>(model_.rx_valid_i & ~(1U << p));
    // No faster than the switch's clock: a flit per period of it, or of the link's if that is
    // longer.
    if (clocks_.time() < next_flit_[p] || random_.below(100) < link_.gap_percent) return;
    const auto first = static_cast<int>(random_.below(kNumVcs));
    for (int i = 0; i < kNumVcs; ++i) {
      const int v = (first + i) % kNumVcs;
      if (queues_[p][v].empty() || credits_[p][v] == 0) continue;
      std::copy_n(queues_[p][v].front().begin(), kWords, &model_.rx_flit_i[p * kWords]);
      queues_[p][v].pop_front();
      --credits_[p][v];
      model_.rx_valid_i = static_cast<CData>(model_.rx_valid_i | 1U << p);
      next_flit_[p] = std::max(next_flit_[p] + clocks_.period(0), clocks_.time());
      quiet_since_ = clocks_.time();
      break;
    }
  }

  VerilatedContext context_;
  Vtop_fred_switch_top model_{&context_, "top"};
  Clocks clocks_;
  Random random_;
  Link link_;
  bool in_reset_ = false;
  Queues queues_;
  Delivered delivered_;
  std::array<std::vector<std::uint64_t>, kPorts> arrived_;
  std::array<std::array<int, kNumVcs>, kPorts> credits_{};
  std::array<std::deque<Slot>, kPorts> held_;
  std::array<std::uint64_t, kPorts> next_flit_{};
  std::uint64_t quiet_since_ = 0, cycles_ = 0;
};

// Clocks of equal period, with phase offsets of the link clocks.
Clocks equal_clocks(std::uint64_t rx_phase = 0, std::uint64_t tx_phase = 0);
Clocks random_clocks(Random& random);

}  // namespace fredsim::switch_top
