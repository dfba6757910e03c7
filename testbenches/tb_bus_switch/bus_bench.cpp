// SPDX-License-Identifier: Apache-2.0
#include "bus_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "base/port_mask.h"
#include "switch/register_map.h"

namespace fredsim::tb {

BusBench::BusBench(SwitchCore& core, const SwitchShape& shape, std::uint64_t seed, bool stalls)
    : core_(core),
      ports_(shape.ports()),
      words_(flit_words(shape.lanes())),
      packet_flits_(shape.value("PACKET_FLITS")),
      seed_(seed),
      stalls_(stalls),
      random_(seed),
      pins_(ports_, shape.lanes()),
      inputs_(static_cast<std::size_t>(ports_ * kNumVcs)),
      outputs_(inputs_.size()),
      packets_(static_cast<std::size_t>(ports_)),
      in_(packets_),
      out_(packets_) {
  depth_.fill(shape.value("VC_DEPTH"));
  depth_[kControl] = shape.value("CTRL_DEPTH");
  core_.reset();
  for (int p = 0; p < ports_; ++p) {
    write(static_cast<std::uint16_t>(reg::kRoute + p), static_cast<std::uint32_t>(p + 1));
    for (int v = 0; v < kNumVcs; ++v) {
      // Random room for at least one packet.
      const int min = v == kControl ? 1 : packet_flits_;
      const int room = min + static_cast<int>(random_.below(20));
      write(static_cast<std::uint16_t>(reg::kCredit + 4 * p + v), static_cast<std::uint32_t>(room));
      output(p, v).room.fill(room);
      input(p, v).credits = depth_[v];
    }
  }
}

void BusBench::write(std::uint16_t address, std::uint32_t data) {
  pins_.reg = {.valid = true, .write = true, .address = address, .wdata = data};
  core_.step(pins_);
  pins_.reg = {};
}

void BusBench::broken(const char* rule) const {
  throw std::runtime_error(
      fmt::format("{}, seed {}, step {}: {}", core_.model(), seed_, steps_, rule));
}

void BusBench::run(int steps) {
  for (int i = 0; i < steps; ++i) step(true);
  const auto is_sending = [&] {
    return std::ranges::any_of(inputs_, [](const Input& in) { return in.left > 0; });
  };
  for (int i = 0; i < 100'000 && (inside_ != 0 || is_sending()); ++i) step(false);
  for (int i = 0; i < 3; ++i) step(false);
  if (inside_ != 0) broken("flits never leave");
  for (int p = 0; p < ports_; ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      if (input(p, v).credits != depth_[v]) broken("a credit of an input buffer is lost");
    }
  }
  SwitchCounters counters;
  if (!core_.peek_counters(counters)) broken("the counters cannot be read");
  if (counters.flits_in != in_ || counters.flits_out != out_) broken("flits are counted wrongly");
}

void BusBench::step(bool sends) {
  pins_.in_valid = 0;
  pins_.out_ready = 0;
  pins_.out_credit = {};
  for (int p = 0; p < ports_; ++p) {
    send(p, sends);
    if (!stalls_ || chance(60)) pins_.out_ready |= 1U << p;
    for (int v = 0; v < kNumVcs; ++v) {
      Output& out = output(p, v);
      std::ranges::copy_backward(out.room.begin(), out.room.end() - 1, out.room.end());
      if (out.owed == 0 || (stalls_ && !chance(40))) continue;
      --out.owed;
      ++out.room[0];
      pins_.out_credit[v] |= 1U << p;
    }
  }
  core_.step(pins_);
  ++steps_;
  receive();
}

// Sends a flit of a VC that has credits; it continues the open packet of the VC, if any.
void BusBench::send(int port, bool may_start) {
  if (stalls_ && !chance(70)) return;
  const int vc = static_cast<int>(random_.below(kNumVcs));
  Input& in = input(port, vc);
  const bool starts = in.left == 0;
  if (in.credits == 0 || (starts && !may_start)) return;
  if (starts) {
    in.left = vc == kControl ? 1 : 1 + static_cast<int>(random_.below(packet_flits_));
    in.dst = static_cast<std::uint16_t>(random_.below(ports_));
  }
  --in.left;
  --in.credits;
  Flit flit(static_cast<std::size_t>(words_));
  for (std::uint32_t& word : flit) word = static_cast<std::uint32_t>(random_.next());
  FlitHeader header = unpack_header(flit.data());
  header.dst = in.dst;
  header.vc = static_cast<std::uint8_t>(vc);
  header.head = starts;
  header.tail = in.left == 0;
  pack_header(header, flit.data());
  std::ranges::copy(flit, &pins_.in_flit[port * words_]);
  pins_.in_valid |= 1U << port;
  in.inside.push_back(std::move(flit));
  ++inside_;
  ++in_[port];
}

void BusBench::receive() {
  std::ranges::copy_backward(launches_.begin(), launches_.end() - 1, launches_.end());
  launches_[0] = {.ready = pins_.out_ready};
  int freed = 0;
  for (int v = 0; v < kNumVcs; ++v) {
    for_each_port(pins_.in_credit[v], [&](int p) {
      launches_[0].input = p;
      launches_[0].vc = v;
      ++input(p, v).credits;
      ++freed;
    });
  }
  if (freed > 1) broken("two flits left at an edge");
  if (std::popcount(pins_.out_valid) != (launches_[2].input < 0 ? 0 : 1)) {
    broken("not one flit out for the slot that was freed two edges ago");
  }
  for_each_port(pins_.out_valid, [&](int p) { take(p, launches_[2]); });
  const bool has_work = inside_ != 0 || pins_.out_valid != 0;
  if (core_.idle() == has_work) broken("idle() is wrong");
  if (core_.error() != 0) broken("error() is not 0");
}

void BusBench::take(int port, const Launch& launch) {
  const std::uint32_t* words = &pins_.out_flit[port * words_];
  Input& in = input(launch.input, launch.vc);
  if (in.inside.empty() ||
      !std::ranges::equal(in.inside.front(), std::vector(words, words + words_)))
    broken("a flit that left is not the oldest of its input and VC");
  const FlitHeader header = unpack_header(words);
  if (header.dst != port) broken("a flit is at the wrong output");
  if ((launch.ready >> port & 1U) == 0) broken("a link that was not ready got a flit");
  Output& out = output(port, launch.vc);
  // A credit given at an edge can be spent at the next: it was launched two steps ago.
  const int need = header.head && launch.vc != kControl ? packet_flits_ : 1;
  if (out.room[3] < need) broken("a flit left without the room that it needs");
  if (out.open == header.head) broken("packets of a VC are mixed at an output");
  out.open = !header.tail;
  for (int& room : out.room) --room;
  ++out.owed;
  ++out_[port];
  --inside_;
  if (header.tail) ++packets_[launch.input];
  in.inside.pop_front();
}

}  // namespace fredsim::tb
