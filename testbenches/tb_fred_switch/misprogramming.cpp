// SPDX-License-Identifier: Apache-2.0
#include "misprogramming.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/port_mask.h"
#include "switch/register_map.h"

namespace fredsim::tb {
namespace {

class Misprogrammed {
 public:
  Misprogrammed(SwitchCore& core, const TestedSwitch& shape, std::span<const Phase> phases,
                Random& random)
      : core_(core),
        shape_(shape),
        phases_(phases),
        random_(random),
        pins_(shape.ports(), shape.lanes),
        words_(flit_words(shape.lanes)),
        in_(static_cast<std::size_t>(shape.ports())),
        held_(in_.size()) {
    for (const Phase& phase : phases) rows_.push_back(shape.row(phase));
    written_ = rows_;
    for (auto& port : in_) {
      for (int v = 0; v < kNumVcs; ++v) port[v].credits = shape.buffers.depth(v);
    }
    write_percent_ = 1 + below(10);
    busy_percent_ = 20 + below(80);
    ready_percent_ = 40 + below(61);
  }

  void step() {
    pins_.in_valid = pins_.out_ready = 0;
    pins_.out_credit = {};
    for (int p = 0; p < shape_.ports(); ++p) {
      if (chance(busy_percent_)) send(p);
      if (chance(ready_percent_)) pins_.out_ready |= 1U << p;
      for (int v = 0; v < kNumVcs; ++v) {
        if (held_[p][v] == 0 || !chance(ready_percent_)) continue;
        --held_[p][v];
        pins_.out_credit[v] |= 1U << p;
      }
    }
    pins_.reg = {};
    if (chance(write_percent_)) write();
    core_.step(pins_);
    for (int v = 0; v < kNumVcs; ++v)
      for_each_port(pins_.in_credit[v], [&](int p) { ++in_[p][v].credits; });
    for_each_port(pins_.out_valid, [&](int p) {
      ++held_[p][vc_of(&pins_.out_flit[static_cast<std::size_t>(p * words_)])];
    });
  }

 private:
  struct Stream {  // packets of one VC of an input
    int credits = 0;
    FlitHeader header;
    int left = 0;  // flits of the packet that has begun
  };

  int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(n))); }
  bool chance(int percent) { return below(100) < percent; }

  // Sends the next flit of a random phase, mostly on its own VC, so that flows find all their
  // operands.
  void send(int port) {
    const int phase = below(static_cast<int>(phases_.size()));
    const int vc = chance(80) ? phases_[phase].vc : below(kNumVcs);
    Stream& stream = in_[port][vc];
    if (stream.credits == 0) return;
    const bool head = stream.left == 0;
    if (head) {
      const bool online = chance(25);
      const int output = below(shape_.ports());
      if (online && !shape_.has_path(port, output)) return;
      stream.header = {};
      stream.header.tag = static_cast<std::uint32_t>(below(2));
      stream.header.dst = shape_.destination(output, below(TestedSwitch::kDestinations));
      stream.header.phase = online ? kPhaseOnline : static_cast<std::uint8_t>(phase);
      stream.header.vc = static_cast<std::uint8_t>(vc);
      stream.left = vc == kControl ? 1 : same_length_ ? length_ : 1 + below(shape_.packet_flits);
    }
    --stream.left;
    --stream.credits;
    stream.header.head = head;
    stream.header.tail = stream.left == 0;
    std::uint32_t* const flit = &pins_.in_flit[static_cast<std::size_t>(port * words_)];
    pack_header(stream.header, flit);
    for (int w = kHeaderWords; w < words_; ++w)
      flit[w] = static_cast<std::uint32_t>(random_.next());
    pins_.in_valid |= 1U << port;
  }

  void write() {
    if (chance(5)) {
      const int at = below(kNumVcs * shape_.ports());
      set(reg::kCredit + at, static_cast<std::uint32_t>(chance(90) ? below(64) : below(0x10000)));
      return;
    }
    const int phase = below(static_cast<int>(rows_.size()));
    std::vector<std::uint32_t>& row = written_[phase];
    const int word = below(static_cast<int>(row.size()));
    switch (below(8)) {
      case 0:
        row[word] = static_cast<std::uint32_t>(random_.next());
        break;
      case 1:
        row[word] = rows_[below(static_cast<int>(rows_.size()))][word];
        break;
      case 2:
      case 3:
        row[word] = rows_[phase][word];
        break;
      default:
        row[word] ^= 1U << below(32);
    }
    set(reg::kPhaseStore + phase * static_cast<int>(row.size()) + word, row[word]);
  }
  void set(int address, std::uint32_t value) {
    pins_.reg = {true, true, static_cast<std::uint16_t>(address), value};
  }

  SwitchCore& core_;
  const TestedSwitch& shape_;
  std::span<const Phase> phases_;
  Random& random_;
  SwitchPins pins_;
  int words_;
  std::vector<std::vector<std::uint32_t>> rows_, written_;
  std::vector<std::array<Stream, kNumVcs>> in_;
  std::vector<std::array<int, kNumVcs>> held_;  // flits that receivers have not freed
  int write_percent_ = 0, busy_percent_ = 0, ready_percent_ = 0;
  // Packets of one length stay joined; of several they come apart.
  bool same_length_ = below(2) == 0;
  int length_ = 1 + below(shape_.packet_flits);
};

}  // namespace

std::uint64_t misprogram(SwitchCore& core, const TestedSwitch& shape, std::span<const Phase> phases,
                         Random& random) {
  Misprogrammed traffic(core, shape, phases, random);
  const std::uint64_t steps = 100 + random.below(500);
  for (std::uint64_t i = 0; i < steps; ++i) traffic.step();
  return steps;
}

}  // namespace fredsim::tb
