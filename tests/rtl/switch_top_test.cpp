// fred_switch_top: what goes through it, at clocks of any periods and phases, against the same through a fred_switch alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
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

namespace fredsim {
namespace {

constexpr int kPorts = 4, kWords = 4;
constexpr std::uint64_t kPeriod = 1000;

FredShape shape() {
  FredShape shape;
  shape.fred = {.ports = kPorts, .middle = 3};
  return shape;
}

using FlitWords = std::array<std::uint32_t, kWords>;

// ---------------------------------------------------------------- traffic

struct Phase {
  int vc;
  std::vector<Flow> flows;
};

const std::vector<Phase>& phases() {
  static const std::vector<Phase> phases{
      {kMp, {{0x3, 0x3}, {0xC, 0xC}}},
      {kPp, {{0xF, 0xF}}},
      {kDp, {{0x1, 0x8}, {0x2, 0x4}, {0x4, 0x2}, {0x8, 0x1}}},
      {kDp, {{0x6, 0x9}}},
  };
  return phases;
}

// Register writes before the traffic: phase store, routes of destinations 0 to 3.
std::vector<std::pair<int, std::uint32_t>> settings() {
  std::vector<std::pair<int, std::uint32_t>> writes;
  int address = reg::kPhaseStore;
  for (const Phase& phase : phases()) {
    for (const std::uint32_t word :
         phase_row(shape().fred, phase.vc, phase.flows, route_flows(shape().fred, phase.flows))) {
      writes.emplace_back(address++, word);
    }
  }
  for (int p = 0; p < kPorts; ++p) {
    writes.emplace_back(reg::kRoute + p, static_cast<std::uint32_t>(p + 1));
  }
  return writes;
}

// Flits to be sent, by input and VC.
using Queues = std::array<std::array<std::deque<FlitWords>, kNumVcs>, kPorts>;
// Flits that left, in order, by output, VC, phase and source: those that no other traffic gets in between.
using Delivered = std::map<std::tuple<int, int, int, int>, std::vector<FlitWords>>;

void add_packet(Queues& queues, Random& random, std::uint32_t tag, int phase, int vc,
                std::uint32_t inputs, int destination, int flits) {
  for (int p = 0; p < kPorts; ++p) {
    if ((inputs >> p & 1U) == 0) continue;
    for (int i = 0; i < flits; ++i) {
      FlitWords words{};
      pack_header({.tag = tag,
                   .dst = static_cast<std::uint16_t>(destination),
                   .src = static_cast<std::uint16_t>(p),
                   .phase = static_cast<std::uint8_t>(phase),
                   .vc = static_cast<std::uint8_t>(vc),
                   .seq = static_cast<std::uint8_t>(tag & 63U),
                   .head = i == 0,
                   .tail = i == flits - 1},
                  words.data());
      words[3] = static_cast<std::uint32_t>(random.next());
      queues[p][vc].push_back(words);
    }
  }
}

Queues random_traffic(Random& random, int packets) {
  Queues queues;
  for (int i = 0; i < packets; ++i) {
    const auto tag = static_cast<std::uint32_t>(i);
    const int flits = 1 + static_cast<int>(random.below(kPacketFlits));
    const auto phase = static_cast<int>(random.below(phases().size() + 1));
    if (phase < static_cast<int>(phases().size())) {
      const Phase& p = phases()[phase];
      add_packet(queues, random, tag, phase, p.vc, p.flows[random.below(p.flows.size())].inputs, 0,
                 flits);
    } else {
      const int vc = static_cast<int>(random.below(kNumVcs));
      add_packet(queues, random, tag, kPhaseOnline, vc, 1U << random.below(kPorts),
                 static_cast<int>(random.below(kPorts)), vc == kControl ? 1 : flits);
    }
  }
  return queues;
}

std::uint64_t flits_in(const Queues& queues, int port) {
  std::uint64_t flits = 0;
  for (const auto& queue : queues[port]) flits += queue.size();
  return flits;
}

void deliver(Delivered& delivered, int port, const FlitWords& words) {
  const FlitHeader h = unpack_header(words.data());
  delivered[{port, h.vc, h.phase, h.src}].push_back(words);
}

// A fred_switch alone, its links always ready.
Delivered through_the_switch_alone(Queues queues) {
  const auto core = make_switch(SwitchModel::kRtl, shape(), "alone");
  core->reset();
  SwitchPins pins(kPorts, 1);
  for (const auto& [address, value] : settings()) {
    pins.reg = {true, true, static_cast<std::uint16_t>(address), value};
    core->step(pins);
  }
  pins.reg = {};
  pins.out_ready = (1U << kPorts) - 1;
  std::array<std::array<int, kNumVcs>, kPorts> credits{};
  for (auto& port : credits) {
    for (int v = 0; v < kNumVcs; ++v) port[v] = shape().buffers.depth(v);
  }
  Delivered delivered;
  for (int rest = 0; rest < 200; ++rest) {
    pins.in_valid = 0;
    for (int p = 0; p < kPorts; ++p) {
      for (int v = 0; v < kNumVcs; ++v) {
        if (queues[p][v].empty() || credits[p][v] == 0) continue;
        std::copy_n(queues[p][v].front().begin(), kWords, &pins.in_flit[p * kWords]);
        queues[p][v].pop_front();
        --credits[p][v];
        pins.in_valid |= 1U << p;
        break;
      }
    }
    core->step(pins);
    pins.out_credit = {};
    for (int p = 0; p < kPorts; ++p) {
      for (int v = 0; v < kNumVcs; ++v)
        credits[p][v] += static_cast<int>(pins.in_credit[v] >> p & 1U);
      if ((pins.out_valid >> p & 1U) == 0) continue;
      FlitWords words;
      std::copy_n(&pins.out_flit[p * kWords], kWords, words.begin());
      deliver(delivered, p, words);
      pins.out_credit[unpack_header(words.data()).vc] |= 1U << p;
    }
    if ((pins.in_valid | pins.out_valid) != 0) rest = 0;
  }
  EXPECT_TRUE(core->idle());
  EXPECT_EQ(core->error(), reg::kErrorNone);
  return delivered;
}

// ---------------------------------------------------------------- the top and what is around it

struct Link {
  std::uint64_t gap_percent = 0;    // chance that the sender rests at an edge
  std::uint64_t pause_percent = 0;  // chance that nothing may leave at an edge
  std::uint64_t return_delay = 0;   // most edges that a slot is held at the other end
};

// Clocks: the switch's is number 0, then what arrives at port p is 1 + p, what leaves there 1 + kPorts + p.
class Top {
 public:
  Top(Clocks clocks, std::uint64_t seed, Link link = {})
      : clocks_(std::move(clocks)), random_(seed), link_(link) {
    model_.psel_i = model_.penable_i = 0;
    model_.test_mode_i = model_.test_rst_ni = 0;
    reset(0);
  }
  ~Top() {
    model_.final();
    Verilated::threadContextp(
        &context_);  // else a model is taken out of the context that was used last
  }
  Top(const Top&) = delete;
  Top& operator=(const Top&) = delete;

  // The reset of the chip for a time, then until every clock has had three edges; everything outside begins anew.
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
    const auto edge = [this] {
      for (const std::uint64_t now = cycles_; cycles_ == now;) tick();
    };
    edge();
    model_.psel_i = 1;
    model_.pwrite_i = write;
    model_.paddr_i = byte_address;
    model_.pwdata_i = data;
    edge();
    model_.penable_i = 1;
    model_.eval();
    while (!model_.pready_o) edge();
    const Answer answer{model_.prdata_o, model_.pslverr_o != 0};
    edge();
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
  // Times of the edges after which flits were on the pins of output `port`.
  const std::vector<std::uint64_t>& arrivals(int port) const { return arrived_[port]; }
  std::uint64_t first_sent = 0;         // time of the edge that sampled the first flit at input 0
  std::vector<std::uint64_t> returned;  // times at which credits came back to the sender at input 0
  std::uint64_t time() const { return clocks_.time(); }
  Vtop_fred_switch_top& model() { return model_; }
  void set_credits(int vc, int credits) { credits_[0][vc] = credits; }

 private:
  struct Slot {
    int vc;
    std::uint64_t edges;
  };

  void leave(int p, bool was_ready) {
    for (int v = 0; v < kNumVcs; ++v) {
      if ((model_.tx_credit_o >> (v * kPorts + p) & 1U) == 0) continue;
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
      const std::uint32_t mask = 1U << (slot->vc * kPorts + p);
      if (slot->edges == 0 && (credit & mask) == 0) {
        credit |= mask;
        slot = held_[p].erase(slot);
      } else {
        if (slot->edges != 0) --slot->edges;
        ++slot;
      }
    }
    const std::uint32_t mine = 0x1111U << p;
    model_.rx_credit_i = static_cast<SData>((model_.rx_credit_i & ~mine) | credit);
    model_.rx_valid_i = static_cast<CData>(model_.rx_valid_i & ~(1U << p));
    // No faster than the switch's clock: a flit per period of it, or of the link's if that is longer.
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

Clocks equal_clocks(std::uint64_t rx_phase = 0, std::uint64_t tx_phase = 0) {
  Clocks clocks;
  clocks.add(kPeriod, kPeriod);
  for (int p = 0; p < kPorts; ++p) clocks.add(kPeriod, kPeriod + rx_phase);
  for (int p = 0; p < kPorts; ++p) clocks.add(kPeriod, kPeriod + tx_phase);
  return clocks;
}

Clocks random_clocks(Random& random) {
  Clocks clocks;
  clocks.add(kPeriod, kPeriod);
  for (int i = 0; i < 2 * kPorts; ++i) {
    const std::uint64_t period = 2 * (250 + random.below(600));  // 0.5 to 1.7 times the switch's
    clocks.add(period, kPeriod + random.below(period));
  }
  return clocks;
}

// ---------------------------------------------------------------- tests

void expect_same(const Delivered& top, const Delivered& alone) {
  ASSERT_EQ(top.size(), alone.size());
  for (const auto& [stream, flits] : alone) {
    const auto& [port, vc, phase, source] = stream;
    SCOPED_TRACE(fmt::format("output {} VC {} phase {} source {}", port, vc, phase, source));
    ASSERT_TRUE(top.contains(stream));
    EXPECT_EQ(top.at(stream), flits);
  }
}

void run_traffic(Clocks clocks, std::uint64_t seed, Link link) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  const Queues queues = random_traffic(random, 150);
  Top top(std::move(clocks), seed, link);
  top.write_settings();
  top.send(queues);
  top.drain();
  expect_same(top.delivered(), through_the_switch_alone(queues));
  top.expect_quiet();
  for (int p = 0; p < kPorts; ++p)
    EXPECT_EQ(top.read(reg::kFlitsIn + 2 * p).data, flits_in(queues, p));
}

TEST(FredSwitchTop, GivesWhatTheSwitchGivesAtEqualClocks) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    run_traffic(equal_clocks(seed * 130, seed * 370), seed, {});
  }
}

TEST(FredSwitchTop, GivesWhatTheSwitchGivesAtUnequalClocks) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed + 100);
    Link link;
    if (seed % 2 == 0) {
      link = {.gap_percent = random.below(60),
              .pause_percent = random.below(60),
              .return_delay = random.below(60)};
    }
    run_traffic(random_clocks(random), seed, link);
  }
}

TEST(FredSwitchTop, StartsAnewAfterAResetInTheMiddleOfTraffic) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Top top(random_clocks(random), seed, {.pause_percent = 30, .return_delay = 20});
    for (int resets = 0; resets < 4; ++resets) {
      top.write_settings();
      top.send(random_traffic(random, 150));
      top.run((20 + random.below(40)) * kPeriod);
      EXPECT_FALSE(top.model().idle_o);
      top.reset(resets % 2 == 0 ? 1 : random.below(4 * kPeriod));  // shorter than a period, too
      EXPECT_TRUE(top.model().idle_o);
    }
    const Queues queues = random_traffic(random, 100);
    top.write_settings();
    top.send(queues);
    top.drain();
    expect_same(top.delivered(), through_the_switch_alone(queues));
    top.expect_quiet();
  }
}

// Every register there is, and what is between them.
TEST(FredSwitchTop, RegistersOnTheBusAreThoseOfThePort) {
  const auto core = make_switch(SwitchModel::kRtl, shape(), "alone");
  core->reset();
  SwitchPins pins(kPorts, 1);
  const auto port = [&](bool write, int address, std::uint32_t data = 0) {
    pins.reg = {true, write, static_cast<std::uint16_t>(address), data};
    core->step(pins);
    return pins.reg_rdata;
  };
  Top top(equal_clocks(), 1);
  Random random(1);
  const int words = num_phases(shape().fred) * phase_row_words(shape().fred);
  std::vector<int> addresses(0x340);
  std::iota(addresses.begin(), addresses.end(), 0);
  for (int a = 0; a < 12; ++a) addresses.push_back(reg::kRoute - 6 + a);
  for (int a = 0; a < 12; ++a) addresses.push_back(reg::kRoute + 1024 - 6 + a);
  for (int a = -6; a < words + 6; ++a) addresses.push_back(reg::kPhaseStore + a);
  addresses.push_back(0xFFFF);
  std::vector<int> known, writable;
  for (const int address : addresses) {
    const auto value = static_cast<std::uint32_t>(random.below(kPorts + 1));
    port(true, address, value);
    if (!top.transfer(true, static_cast<std::uint32_t>(address) * 4, value).error)
      writable.push_back(address);
  }
  for (const int address : addresses) {
    const std::uint32_t expected = port(false, address);
    const Top::Answer answer = top.read(address);
    ASSERT_EQ(answer.data, expected) << address;
    if (answer.error) {
      ASSERT_EQ(expected, 0U) << address;
    } else {
      known.push_back(address);
    }
  }
  EXPECT_EQ(writable.size(), 4U * kPorts + 6 + 6 + static_cast<unsigned>(words));
  EXPECT_EQ(known.size(), writable.size() + 3 + 4 * kPorts + 14);
  EXPECT_TRUE(top.transfer(false, 1).error);
  EXPECT_TRUE(top.transfer(true, reg::kRoute * 4 + 2, 1).error);
}

// ---------------------------------------------------------------- rate, latency, credit loops

Queues stream(int flits) {
  Random random(1);
  Queues queues;
  for (int i = 0; i < flits / kPacketFlits; ++i) {
    add_packet(queues, random, static_cast<std::uint32_t>(i), 2, kDp, 1, 0, kPacketFlits);
  }
  return queues;
}

TEST(FredSwitchTop, TakesAFlitEveryCycleAtEqualClocksInAnyPhase) {
  for (std::uint64_t rx = 0; rx < kPeriod; rx += 200) {
    for (std::uint64_t tx = 0; tx < kPeriod; tx += 200) {
      SCOPED_TRACE(fmt::format("phases {} {}", rx, tx));
      Top top(equal_clocks(rx, tx), 1);
      top.write_settings();
      top.send(stream(400));
      top.drain();
      const std::vector<std::uint64_t>& times = top.arrivals(3);
      ASSERT_EQ(times.size(), 400U);
      EXPECT_EQ(times.back() - times.front(), 399 * kPeriod);
    }
  }
}

// What a flit and a credit take, in time: the first flit from the edge that samples it to the one after which it leaves, and
// to the one after which its credit leaves; from flit to flit with one credit at the sender, with one at the receiver.
struct Times {
  std::uint64_t latency = 0, credit = 0, sender_loop = 0, receiver_loop = 0;
};

Times times_of_top(std::uint64_t rx, std::uint64_t tx) {
  Times times;
  for (const bool one_at_sender : {true, false}) {
    Top top(equal_clocks(rx, tx), 1);
    top.write_settings();
    if (one_at_sender) {
      top.set_credits(kDp, 1);
    } else {
      top.write(reg::kCredit + 4 * 3 + kDp, 1);
    }
    top.send(stream(80));
    top.drain();
    const std::vector<std::uint64_t>& out = top.arrivals(3);
    EXPECT_EQ(out.size(), 80U);
    const std::uint64_t loop = out.back() - out[out.size() - 2];
    (one_at_sender ? times.sender_loop : times.receiver_loop) = loop;
    times.latency = out.front() - top.first_sent;
    times.credit = top.returned.front() - top.first_sent;
  }
  return times;
}

Times times_of_the_switch_alone() {
  Times times;
  for (const bool one_at_sender : {true, false}) {
    const auto core = make_switch(SwitchModel::kRtl, shape(), "alone");
    core->reset();
    SwitchPins pins(kPorts, 1);
    auto writes = settings();
    if (!one_at_sender) writes.emplace_back(reg::kCredit + 4 * 3 + kDp, 1);
    for (const auto& [address, value] : writes) {
      pins.reg = {true, true, static_cast<std::uint16_t>(address), value};
      core->step(pins);
    }
    pins.reg = {};
    pins.out_ready = (1U << kPorts) - 1;
    auto queue = stream(80)[0][kDp];
    std::vector<std::uint64_t> out;
    std::uint64_t first_credit = 0;
    int credits = one_at_sender ? 1 : 48;
    for (std::uint64_t edge = 0; edge < 3000; ++edge) {
      pins.in_valid = credits > 0 && !queue.empty() ? 1 : 0;
      if (pins.in_valid != 0) {
        std::copy_n(queue.front().begin(), kWords, pins.in_flit.begin());
        queue.pop_front();
        --credits;
      }
      core->step(pins);
      pins.out_credit = {};
      if ((pins.in_credit[kDp] & 1U) != 0) {
        ++credits;
        if (first_credit == 0) first_credit = edge;
      }
      if ((pins.out_valid >> 3 & 1U) != 0) {
        out.push_back(edge);
        pins.out_credit[kDp] = 1U << 3;
      }
    }
    EXPECT_EQ(out.size(), 80U);
    const std::uint64_t loop = out.back() - out[out.size() - 2];
    (one_at_sender ? times.sender_loop : times.receiver_loop) = loop * kPeriod;
    times.latency = out.front() * kPeriod;
    times.credit = first_credit * kPeriod;
  }
  return times;
}

TEST(FredSwitchTop, AddsToLatencyAndCreditLoopsWhatItsContractSays) {
  const Times alone = times_of_the_switch_alone();
  for (std::uint64_t rx = 0; rx < kPeriod; rx += 250) {
    for (std::uint64_t tx = 0; tx < kPeriod; tx += 250) {
      SCOPED_TRACE(fmt::format("phases {} {}", rx, tx));
      const Times top = times_of_top(rx, tx);
      EXPECT_GT(top.latency, alone.latency + 5 * kPeriod);
      EXPECT_LE(top.latency, alone.latency + 7 * kPeriod);
      EXPECT_GT(top.credit, alone.credit + 5 * kPeriod);
      EXPECT_LE(top.credit, alone.credit + 7 * kPeriod);
      EXPECT_GE(top.sender_loop, alone.sender_loop + 6 * kPeriod);
      EXPECT_LE(top.sender_loop, alone.sender_loop + 7 * kPeriod);
      EXPECT_GE(top.receiver_loop, alone.receiver_loop + 7 * kPeriod);
      EXPECT_LE(top.receiver_loop, alone.receiver_loop + 8 * kPeriod);
    }
  }
}

}  // namespace
}  // namespace fredsim
