// SPDX-License-Identifier: Apache-2.0
#include "uniform_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <memory>
#include <vector>

#include "base/random.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "voq_driver.h"

namespace fredsim::tb {
namespace {

constexpr int kReceiveDepth = 60'000;
constexpr std::uint64_t kOne = 1'000'000'000;

class OneSwitch {
 public:
  OneSwitch(const SwitchShape& shape, const UniformTraffic& traffic)
      : traffic_(traffic),
        ports_(shape.ports()),
        random_(traffic.seed),
        core_(make_switch(SwitchModel::kTlm, shape, "dut")),
        pins_(ports_, 1),
        inputs_(static_cast<std::size_t>(ports_)) {
    core_->reset();
    for (int p = 0; p < ports_; ++p) {
      write(reg::kRoute + p, static_cast<std::uint32_t>(p + 1));
      for (int vc = 0; vc < kControl; ++vc) {
        inputs_[p].vcs[vc].credits = buffer_depth(shape, vc);
        write(reg::kCredit + kNumVcs * p + vc, kReceiveDepth);
      }
    }
    pins_.out_ready = ~0U >> (32 - ports_);
  }

  Measured run() {
    for (; cycle_ < static_cast<std::uint64_t>(traffic_.warm_up + traffic_.cycles); ++cycle_) {
      pins_.in_valid = 0;
      for (int p = 0; p < ports_; ++p) {
        for (int vc = 0; vc < kControl; ++vc) create(inputs_[p].vcs[vc], traffic_.rates[vc]);
        send(p);
      }
      core_->step(pins_);
      receive();
    }
    return evaluate();
  }

 private:
  struct Packet {
    std::uint64_t created = 0;
    int output = 0;
  };
  struct InVc {
    std::deque<Packet> queue;  // the first one is being sent
    int sent = 0;              // flits of the first one
    int credits = 0;
  };
  struct Input {
    std::array<InVc, kNumVcs> vcs;
    int next = 0;  // VC whose turn it is, packet by packet
    std::uint64_t accepted = 0;
  };

  void write(int address, std::uint32_t value) {
    pins_.reg = {true, true, static_cast<std::uint16_t>(address), value};
    core_->step(pins_);
    pins_.reg = {};
  }

  void create(InVc& in, double rate) {
    const double chance = rate / traffic_.flits;
    if (static_cast<double>(random_.below(kOne)) >= chance * static_cast<double>(kOne)) return;
    in.queue.push_back({cycle_, static_cast<int>(random_.below(ports_))});
  }

  // Packets of the VCs in turn; if one has no credit, a flit of another VC goes.
  void send(int port) {
    Input& input = inputs_[port];
    for (int i = 0; i < kControl; ++i) {
      const int vc = (input.next + i) % kControl;
      InVc& from = input.vcs[vc];
      if (from.queue.empty() || from.credits == 0) continue;
      const Packet& packet = from.queue.front();
      FlitHeader h;
      h.tag = static_cast<std::uint32_t>(packet.created);
      h.src = static_cast<std::uint16_t>(port);
      h.dst = static_cast<std::uint16_t>(packet.output);
      h.phase = kPhaseOnline;
      h.vc = static_cast<std::uint8_t>(vc);
      h.head = from.sent == 0;
      h.tail = ++from.sent == traffic_.flits;
      pack_header(h, &pins_.in_flit[port * flit_words(1)]);
      pins_.in_valid |= 1U << port;
      --from.credits;
      input.next = h.tail ? (vc + 1) % kControl : vc;
      if (!h.tail) return;
      from.queue.pop_front();
      from.sent = 0;
      return;
    }
  }

  void receive() {
    pins_.out_credit = {};
    for (int vc = 0; vc < kNumVcs; ++vc) {
      for (std::uint32_t left = pins_.in_credit[vc]; left != 0; left &= left - 1) {
        ++inputs_[std::countr_zero(left)].vcs[vc].credits;
      }
    }
    for (std::uint32_t left = pins_.out_valid; left != 0; left &= left - 1) {
      const int p = std::countr_zero(left);
      const FlitHeader h = unpack_header(&pins_.out_flit[p * flit_words(1)]);
      pins_.out_credit[h.vc] |= 1U << p;
      if (cycle_ < static_cast<std::uint64_t>(traffic_.warm_up)) continue;
      ++inputs_[h.src].accepted;
      ++accepted_[h.vc];
      if (h.tail) latencies_[h.vc].push_back(cycle_ - h.tag);
    }
  }

  Measured evaluate() {
    Measured m;
    m.min = 1e9;
    for (const Input& input : inputs_) {
      const double rate = static_cast<double>(input.accepted) / traffic_.cycles;
      m.accepted += rate / ports_;
      m.min = std::min(m.min, rate);
      m.max = std::max(m.max, rate);
    }
    for (int vc = 0; vc < kControl; ++vc) {
      Measured::Vc& of = m.vcs[vc];
      std::vector<std::uint64_t>& latencies = latencies_[vc];
      of.accepted = static_cast<double>(accepted_[vc]) / ports_ / traffic_.cycles;
      if (latencies.empty()) continue;
      std::ranges::sort(latencies);
      for (const std::uint64_t latency : latencies) {
        of.mean += static_cast<double>(latency) / static_cast<double>(latencies.size());
      }
      of.p99 = static_cast<double>(latencies[latencies.size() * 99 / 100]);
    }
    return m;
  }

  UniformTraffic traffic_;
  int ports_;
  Random random_;
  std::unique_ptr<SwitchCore> core_;
  SwitchPins pins_;
  std::vector<Input> inputs_;
  std::array<std::vector<std::uint64_t>, kControl> latencies_;
  std::array<std::uint64_t, kControl> accepted_{};
  std::uint64_t cycle_ = 0;
};

}  // namespace

Measured measure(const SwitchShape& shape, const UniformTraffic& traffic) {
  return OneSwitch(shape, traffic).run();
}

void print_uniform_traffic() {
  fmt::print("One VOQ crossbar, 12 ports, uniform random unicasts; flits per input and cycle\n\n");
  fmt::print("{:>6} {:>6} {:>5} {:>4} {:>8} {:>9} {:>8} {:>6} {:>16}\n", "rounds", "buffer",
             "flits", "VCs", "offered", "accepted", "mean", "p99", "accepted by input");
  for (const int iterations : {1, 2, 4}) {
    for (const int depth : {48, 96, 144, 192, 224, 256}) {
      for (const int flits : {1, kPacketFlits}) {
        for (const int vcs : {1, 3}) {
          for (const double rate : {0.05, 0.5, 0.8, 0.9, 1.0}) {
            UniformTraffic traffic{.rates = {}, .flits = flits};
            for (int vc = 0; vc < vcs; ++vc) traffic.rates[vc] = rate / vcs;
            const Measured m =
                measure(voq_shape({{"VC_DEPTH", depth}, {"ITERATIONS", iterations}}), traffic);
            const bool steady = m.accepted > 0.97 * rate;  // else latency has no mean
            fmt::print(
                "{:>6} {:>6} {:>5} {:>4} {:>8.2f} {:>9.3f} {:>8} {:>6} {:>8.3f} ... {:.3f}\n",
                iterations, depth, flits, vcs, rate, m.accepted,
                steady ? fmt::format("{:.1f}", m.vcs[0].mean) : "-",
                steady ? fmt::format("{:.0f}", m.vcs[0].p99) : "-", m.min, m.max);
          }
        }
      }
    }
  }
  fmt::print(
      "\nmean, p99: cycles from a packet's creation until its tail is on the link, of the highest "
      "VC; "
      "-: saturated\n");
}

}  // namespace fredsim::tb
