// SPDX-License-Identifier: Apache-2.0
#include "switch_top_bench.h"

#include <fmt/format.h>

namespace fredsim::switch_top {

FredShape shape() {
  FredShape shape;
  shape.fred = {.ports = kPorts, .middle = 3};
  return shape;
}

const std::vector<Phase>& phases() {
  static const std::vector<Phase> phases{
      {kMp, {{0x3, 0x3}, {0xC, 0xC}}},
      {kPp, {{0xF, 0xF}}},
      {kDp, {{0x1, 0x8}, {0x2, 0x4}, {0x4, 0x2}, {0x8, 0x1}}},
      {kDp, {{0x6, 0x9}}},
  };
  return phases;
}

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

void expect_same(const Delivered& top, const Delivered& alone) {
  ASSERT_EQ(top.size(), alone.size());
  for (const auto& [stream, flits] : alone) {
    const auto& [port, vc, phase, source] = stream;
    SCOPED_TRACE(fmt::format("output {} VC {} phase {} source {}", port, vc, phase, source));
    ASSERT_TRUE(top.contains(stream));
    EXPECT_EQ(top.at(stream), flits);
  }
}

Clocks equal_clocks(std::uint64_t rx_phase, std::uint64_t tx_phase) {
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

}  // namespace fredsim::switch_top
