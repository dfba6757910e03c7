// SPDX-License-Identifier: Apache-2.0
#include "voq_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "switch/register_map.h"
#include "switch/switch_kind.h"

namespace fredsim::tb {
namespace {

constexpr int kDestinations = 8;  // per output

}  // namespace

int buffer_depth(const SwitchShape& shape, int vc) {
  return shape.value(vc == kControl ? "CTRL_DEPTH" : "VC_DEPTH");
}

SwitchShape voq_shape(const std::vector<NamedValue>& values) {
  return switch_kind("voq_crossbar").shape(values);
}

SwitchShape narrow_shape() {
  return voq_shape({{"P", 5},
                    {"LANES", 3},
                    {"VC_DEPTH", 12},
                    {"CTRL_DEPTH", 1},
                    {"OUT_DEPTH", 9},
                    {"PACKET_FLITS", 6},
                    {"ITERATIONS", 1}});
}

VoqDriver::VoqDriver(const SwitchShape& shape, std::unique_ptr<SwitchCore> core,
                     const Stalls& stalls, std::uint64_t seed)
    : shape_(shape),
      ports_(shape.ports()),
      words_(flit_words(shape.lanes())),
      packet_flits_(shape.value("PACKET_FLITS")),
      core_(std::move(core)),
      stalls_(stalls),
      random_(seed),
      seed_(seed),
      pins_(ports_, shape.lanes()),
      in_(static_cast<std::size_t>(ports_)),
      out_(in_.size()),
      sent_(in_.size()),
      received_(in_.size()),
      last_from_(in_.size()) {
  core_->reset();
  write_routes();
  for (int p = 0; p < ports_; ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      in_[p][v].credits = buffer_depth(shape, v);
      out_[p][v].credits = stalls.receive_depth;
      write(reg::kCredit + kNumVcs * p + v, static_cast<std::uint32_t>(stalls.receive_depth));
    }
  }
}

void VoqDriver::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("seed {} cycle {}: {}", seed_, cycle_, what));
}

void VoqDriver::write_routes() {
  for (int dst = 0; dst < kDestinations * ports_; ++dst) {
    write(reg::kRoute + dst, static_cast<std::uint32_t>(1 + dst % ports_));
  }
}

void VoqDriver::write(int address, std::uint32_t value) {
  pins_.reg = {true, true, static_cast<std::uint16_t>(address), value};
  step();
  pins_.reg = {};
}

std::uint32_t VoqDriver::read(int address) {
  pins_.reg = {true, false, static_cast<std::uint16_t>(address), 0};
  step();
  pins_.reg = {};
  return pins_.reg_rdata;
}

std::uint64_t VoqDriver::read_counter(int address) {
  const std::uint64_t low = read(address);
  return std::uint64_t{read(address + 1)} << 32 | low;
}

std::uint32_t VoqDriver::payload(std::uint32_t tag, int flit, int word) const {
  return static_cast<std::uint32_t>(
      Random(seed_ ^ (std::uint64_t{tag} << 32) ^ static_cast<std::uint64_t>(flit << 16 | word))
          .next());
}

void VoqDriver::add_packet(int input, int output, int vc, int flits) {
  const auto tag = static_cast<std::uint32_t>(packets_.size());
  const auto dst =
      static_cast<std::uint16_t>(output + ports_ * static_cast<int>(random_.below(kDestinations)));
  packets_.push_back({input, output, vc, flits, dst});
  due_[{input, output, vc}].push_back(tag);
  for (int i = 0; i < flits; ++i) {
    Words& words = in_[input][vc].queue.emplace_back();
    FlitHeader h;
    h.tag = tag;
    h.src = static_cast<std::uint16_t>(input);
    h.dst = dst;
    h.phase = kPhaseOnline;
    h.vc = static_cast<std::uint8_t>(vc);
    h.seq = static_cast<std::uint8_t>(tag % 64);
    h.head = i == 0;
    h.tail = i == flits - 1;
    pack_header(h, words.data());
    for (int w = kHeaderWords; w < words_; ++w) words[w] = payload(tag, i, w);
  }
  expected_ += static_cast<std::uint64_t>(flits);
}

void VoqDriver::add_random_packets(int packets) {
  for (int i = 0; i < packets; ++i) {
    const int vc = static_cast<int>(random_.below(kNumVcs));
    const int flits = vc == kControl ? 1 : 1 + static_cast<int>(random_.below(packet_flits_));
    const auto port = [&] { return static_cast<int>(random_.below(ports_)); };
    // Some outputs get more traffic than the rest.
    const int output = random_.below(3) == 0 ? 0 : port();
    add_packet(port(), output, vc, flits);
  }
}

void VoqDriver::send() {
  pins_.in_valid = 0;
  for (int p = 0; p < ports_; ++p) {
    if (random_.below(100) < static_cast<std::uint64_t>(stalls_.gap_percent)) continue;
    const int first = static_cast<int>(random_.below(kNumVcs));
    for (int i = 0; i < kNumVcs; ++i) {
      InVc& in = in_[p][(first + i) % kNumVcs];
      if (in.queue.empty() || in.credits == 0) continue;
      std::memcpy(&pins_.in_flit[p * words_], in.queue.front().data(),
                  static_cast<std::size_t>(words_) * sizeof(std::uint32_t));
      in.queue.pop_front();
      --in.credits;
      ++sent_[p];
      pins_.in_valid |= 1U << p;
      break;
    }
  }
}

void VoqDriver::step() {
  send();
  pins_.out_ready = pins_.out_valid = 0;
  pins_.out_credit = {};
  for (int p = 0; p < ports_; ++p) {
    if (random_.below(100) >= static_cast<std::uint64_t>(stalls_.pause_percent)) {
      pins_.out_ready |= 1U << p;
    }
    for (int v = 0; v < kNumVcs; ++v) {
      OutVc& out = out_[p][v];
      if (out.returns.empty() || out.returns.front() > cycle_) continue;
      out.returns.pop_front();
      ++out.credits;
      pins_.out_credit[v] |= 1U << p;
    }
  }
  core_->step(pins_);
  receive();
  ready_before_ = pins_.out_ready;
  ++cycle_;
}

void VoqDriver::receive() {
  for (int v = 0; v < kNumVcs; ++v) {
    for (std::uint32_t left = pins_.in_credit[v]; left != 0; left &= left - 1) {
      ++in_[std::countr_zero(left)][v].credits;
    }
  }
  if ((pins_.out_valid & ~ready_before_) != 0) fail("a launch against a pause");
  for (std::uint32_t left = pins_.out_valid; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    check_flit(p, &pins_.out_flit[p * words_]);
  }
}

void VoqDriver::check_flit(int port, const std::uint32_t* words) {
  const FlitHeader h = unpack_header(words);
  OutVc& out = out_[port][h.vc];
  if (h.tag >= packets_.size()) fail(fmt::format("packet {} was never sent", h.tag));
  const Packet& packet = packets_[h.tag];
  if (packet.output != port || packet.vc != h.vc || packet.dst != h.dst || packet.input != h.src ||
      h.phase != kPhaseOnline || h.seq != h.tag % 64 || words[2] >> 18U != 0) {
    fail(fmt::format("packet {} at output {}: another header than was sent", h.tag, port));
  }
  if (--out.credits < 0) fail(fmt::format("output {} VC {}: no credit", port, h.vc));
  if (!out.open) {
    std::deque<std::uint32_t>& due = due_[{packet.input, port, packet.vc}];
    if (due.empty() || due.front() != h.tag) fail(fmt::format("packet {} out of order", h.tag));
    due.pop_front();
    out.open = true;
    out.tag = h.tag;
    out.flit = 0;
  }
  if (out.tag != h.tag) fail(fmt::format("packet {} inside packet {}", h.tag, out.tag));
  if (h.head != (out.flit == 0) || h.tail != (out.flit == packet.flits - 1)) {
    fail(fmt::format("packet {}: head {}, tail {} at flit {}", h.tag, h.head, h.tail, out.flit));
  }
  for (int w = kHeaderWords; w < words_; ++w) {
    if (words[w] != payload(h.tag, out.flit, w)) fail(fmt::format("packet {}: payload", h.tag));
  }
  ++out.flit;
  if (h.tail) out.open = false;
  ++received_[port];
  ++delivered_;
  last_delivery_ = last_from_[packet.input] = last_on_[packet.vc] = cycle_;
  const std::uint64_t earliest = out.returns.empty() ? 0 : out.returns.back();
  const std::uint64_t given =
      cycle_ + 1 + random_.below(static_cast<std::uint64_t>(stalls_.return_delay) + 1);
  out.returns.push_back(std::max(given, earliest + 1));
}

void VoqDriver::drain(std::uint64_t limit) {
  const std::uint64_t end = cycle_ + limit;
  while (delivered_ != expected_) {
    if (cycle_ == end) fail(fmt::format("{} flits of {} arrived", delivered_, expected_));
    step();
  }
}

void VoqDriver::check_idle_credits() {
  for (int p = 0; p < ports_; ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      if (in_[p][v].credits != buffer_depth(shape_, v)) {
        fail(fmt::format("input {} VC {}: {} credits came back", p, v, in_[p][v].credits));
      }
      const std::uint32_t credits = read(reg::kCredit + kNumVcs * p + v);
      if (credits != static_cast<std::uint32_t>(stalls_.receive_depth)) {
        fail(fmt::format("output {} VC {}: {} credits", p, v, credits));
      }
    }
  }
}

void VoqDriver::check_quiet() {
  for (int i = 0; i < stalls_.return_delay + 2 * stalls_.receive_depth + 20; ++i) step();
  for (int p = 0; p < ports_; ++p) {
    if (read_counter(reg::kFlitsIn + 2 * p) != sent_[p]) fail(fmt::format("input {}: count", p));
    if (read_counter(reg::kFlitsOut + 2 * p) != received_[p]) {
      fail(fmt::format("output {}: count", p));
    }
  }
  check_idle_credits();
  if (read(reg::kError) != reg::kErrorNone || core_->error() != reg::kErrorNone) {
    fail(fmt::format("error {}", core_->error()));
  }
  if (!core_->idle()) fail("not idle");
}

}  // namespace fredsim::tb
