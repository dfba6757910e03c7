// SPDX-License-Identifier: Apache-2.0
#include "online_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/random.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "tested_switch.h"

namespace fredsim::tb {
namespace {

constexpr int kWarmUp = 5'000;
constexpr int kCycles = 50'000;
constexpr int kReceiveDepth = 60'000;

struct Measured {
  double accepted = 0;  // flits per input and cycle
  double mean = 0, p99 = 0;
  double min = 0, max = 0;  // min and max of the inputs' accepted rates
};

class OneSwitch {
 public:
  OneSwitch(const FredSwitchShape& fred, double rate, int flits, std::uint64_t seed)
      : ports_(fred.ports),
        flits_(flits),
        chance_(static_cast<std::uint64_t>(rate / flits * 1e9)),
        random_(seed),
        pins_(fred.ports, 1),
        inputs_(static_cast<std::size_t>(fred.ports)) {
    TestedSwitch shape;
    shape.fred = fred;
    core_ = make_switch(SwitchModel::kTlm, shape, "dut");
    core_->reset();
    for (int p = 0; p < ports_; ++p) {
      inputs_[p].credits = shape.buffers.depth(kDp);
      write(reg::kRoute + p, static_cast<std::uint32_t>(p + 1));
      write(reg::kCredit + 4 * p + kDp, kReceiveDepth);
    }
    pins_.out_ready = ~0U >> (32 - ports_);
  }

  Measured run() {
    for (int i = 0; i < kWarmUp + kCycles; ++i) {
      for (Input& input : inputs_) create(input);
      pins_.in_valid = 0;
      for (int p = 0; p < ports_; ++p) send(p);
      core_->step(pins_);
      receive();
      ++cycle_;
    }
    return evaluate();
  }

 private:
  struct Packet {
    std::uint64_t created = 0;
    int output = 0;
  };
  struct Input {
    std::deque<Packet> queue;  // the first one is being sent
    std::deque<Packet> inside;
    int sent = 0;  // flits of the first one
    int credits = 0;
    std::uint64_t accepted = 0;
  };

  void write(int address, std::uint32_t value) {
    pins_.reg = {true, true, static_cast<std::uint16_t>(address), value};
    core_->step(pins_);
    pins_.reg = {};
  }

  void create(Input& input) {
    if (random_.below(1'000'000'000) >= chance_) return;
    input.queue.push_back({cycle_, static_cast<int>(random_.below(ports_))});
  }

  void send(int port) {
    Input& input = inputs_[port];
    if (input.queue.empty() || input.credits == 0) return;
    const Packet& packet = input.queue.front();
    if (input.sent == 0) input.inside.push_back(packet);
    FlitHeader h;
    h.tag = static_cast<std::uint32_t>(packet.created);
    h.src = static_cast<std::uint16_t>(port);
    h.dst = static_cast<std::uint16_t>(packet.output);
    h.phase = kPhaseOnline;
    h.vc = kDp;
    h.head = input.sent == 0;
    h.tail = ++input.sent == flits_;
    pack_header(h, &pins_.in_flit[static_cast<std::size_t>(port * flit_words(1))]);
    pins_.in_valid |= 1U << port;
    --input.credits;
    if (h.tail) {
      input.queue.pop_front();
      input.sent = 0;
    }
  }

  void receive() {
    for (std::uint32_t left = pins_.in_credit[kDp]; left != 0; left &= left - 1) {
      ++inputs_[std::countr_zero(left)].credits;
    }
    pins_.out_credit[kDp] = pins_.out_valid;
    for (std::uint32_t left = pins_.out_valid; left != 0; left &= left - 1) {
      const FlitHeader h = unpack_header(
          &pins_.out_flit[static_cast<std::size_t>(std::countr_zero(left) * flit_words(1))]);
      if (cycle_ < kWarmUp) continue;
      ++inputs_[h.src].accepted;
      if (h.tail) latencies_.push_back(cycle_ - h.tag);
    }
  }

  Measured evaluate() {
    Measured m;
    m.min = 1e9;
    for (const Input& input : inputs_) {
      const double rate = static_cast<double>(input.accepted) / kCycles;
      m.accepted += rate / ports_;
      m.min = std::min(m.min, rate);
      m.max = std::max(m.max, rate);
    }
    std::ranges::sort(latencies_);
    for (const std::uint64_t latency : latencies_) {
      m.mean += static_cast<double>(latency) / static_cast<double>(latencies_.size());
    }
    m.p99 = static_cast<double>(latencies_[latencies_.size() * 99 / 100]);
    return m;
  }

  int ports_, flits_;
  std::uint64_t chance_;
  Random random_;
  std::unique_ptr<SwitchCore> core_;
  SwitchPins pins_;
  std::vector<Input> inputs_;
  std::vector<std::uint64_t> latencies_;
  std::uint64_t cycle_ = 0;
};

}  // namespace

void print_online_traffic() {
  fmt::print("One switch, 12 ports, uniform random unicasts; flits per input and cycle\n\n");
  fmt::print("{:>2} {:>6} {:>8} {:>9} {:>8} {:>6} {:>16}\n", "m", "flits", "offered", "accepted",
             "mean", "p99", "accepted by input");
  fmt::print("{:>2} {:>6} {:>8} {:>9} {:>8} {:>6} {:>16}\n", "", "", "", "", "cycles", "cycles",
             "least ... most");
  for (const int middle : {2, 3, 4}) {
    for (const int flits : {1, kPacketFlits}) {
      for (const double rate : {0.05, 0.3, 0.5, 1.0}) {
        const Measured m = OneSwitch({12, middle}, rate, flits, 1).run();
        const bool steady = m.accepted > 0.98 * rate;  // else queues grow and latency has no mean
        fmt::print("{:>2} {:>6} {:>8.2f} {:>9.3f} {:>8} {:>6} {:>8.3f} ... {:.3f}\n", middle, flits,
                   rate, m.accepted, steady ? fmt::format("{:.1f}", m.mean) : "-",
                   steady ? fmt::format("{:.0f}", m.p99) : "-", m.min, m.max);
      }
    }
  }
  fmt::print("\nmean, p99: from a packet's creation until its tail is on the link; -: saturated\n");
}

}  // namespace fredsim::tb
