// SPDX-License-Identifier: Apache-2.0
#include "router_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "switch/register_map.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {

RouterDriver::RouterDriver(const RouterImplementation& router, const Stalls& stalls,
                           std::uint64_t seed, const MeshRings& rings)
    : RouterDriver(router, router.make(), stalls, seed, rings) {}

RouterDriver::RouterDriver(const RouterImplementation& router, std::unique_ptr<SwitchCore> core,
                           const Stalls& stalls, std::uint64_t seed, const MeshRings& rings)
    : shape_(router.shape),
      rings_(rings),
      core_(std::move(core)),
      stalls_(stalls),
      random_(seed),
      seed_(seed),
      pins_(shape_.ports(), shape_.lanes),
      words_(flit_words(shape_.lanes)),
      rules_(shape_, kX, kY, rings),
      senders_(static_cast<std::size_t>(shape_.ports())),
      returns_(senders_.size()),
      launched_(senders_.size()),
      last_launch_(senders_.size()) {
  core_->reset();
  write(reg::kPosition, kX | kY << 8);
  write(reg::kTorus, static_cast<std::uint32_t>(rings.columns | rings.rows << 8));
  for (int p = 0; p < shape_.ports(); ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      senders_[p][v].credits = shape_.buffers.depth(v);
      if (stalls_.receive_depth != Stalls::kAsReset) set_depth(p, v, stalls_.receive_depth);
    }
  }
}

void RouterDriver::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("cycle {} seed {}: {}", cycle_, seed_, what));
}

void RouterDriver::write(int address, std::uint32_t value) {
  pins_.reg = {true, true, static_cast<std::uint16_t>(address), value};
  step();
  pins_.reg = {};
}

std::uint32_t RouterDriver::read(int address) {
  pins_.reg = {true, false, static_cast<std::uint16_t>(address), 0};
  step();
  pins_.reg = {};
  return pins_.reg_rdata;
}

std::uint64_t RouterDriver::read_counter(int address) {
  const std::uint64_t low = read(address);
  return low | std::uint64_t{read(address + 1)} << 32;
}

void RouterDriver::set_depth(int port, int vc, int flits) {
  write(reg::kCredit + 4 * port + vc, static_cast<std::uint32_t>(flits));
  rules_.set_depth(port, vc, flits);
}

void RouterDriver::add_packet(int in, int vc, std::uint16_t dst, int flits) {
  for (int i = 0; i < flits; ++i) {
    Flit flit(static_cast<std::size_t>(words_));
    FlitHeader h;
    h.tag = next_tag_;
    // The flit that starts a packet sets its route.
    h.dst = i == 0 ? dst : static_cast<std::uint16_t>(random_.next());
    h.src = static_cast<std::uint16_t>(in);
    h.phase = kPhaseOnline;
    h.vc = static_cast<std::uint8_t>(vc);
    h.seq = static_cast<std::uint8_t>(next_tag_ & 63U);
    h.head = i == 0;
    h.tail = i == flits - 1;
    pack_header(h, flit.data());
    for (int l = 0; l < shape_.lanes; ++l) {
      set_lane(flit.data(), l, static_cast<std::uint16_t>(random_.next()));
    }
    senders_[in][vc].queue.push_back(std::move(flit));
    ++queued_;
  }
  ++next_tag_;
}

void RouterDriver::add_random_packets(int count) {
  for (int i = 0; i < count; ++i) {
    const int in = static_cast<int>(random_.below(static_cast<std::uint64_t>(shape_.ports())));
    const int vc = static_cast<int>(random_.below(kNumVcs));
    const bool here = random_.below(3) == 0;  // most of the mesh is elsewhere
    std::uint16_t dst = 0;
    do {
      const int x = here ? kX : static_cast<int>(random_.below(6));
      const int y = here ? kY : static_cast<int>(random_.below(6));
      dst = mesh_address(x, y, static_cast<int>(random_.below(3)));
    } while (expected_output(shape_, kX, kY, in, dst, rings_) < 0);
    // Mostly lengths that the fabric uses; some longer ones, without guarantees, which must arrive.
    const std::uint64_t longest = random_.below(10) == 0 ? 12 : vc == kControl ? 1 : kPacketFlits;
    add_packet(in, vc, dst, 1 + static_cast<int>(random_.below(longest)));
  }
}

void RouterDriver::send() {
  pins_.in_valid = 0;
  for (int p = 0; p < shape_.ports(); ++p) {
    if (static_cast<int>(random_.below(100)) < stalls_.gap_percent) continue;
    const int first = static_cast<int>(random_.below(kNumVcs));
    for (int k = 0; k < kNumVcs; ++k) {
      Sender& sender = senders_[p][(first + k) % kNumVcs];
      if (sender.queue.empty() || sender.credits == 0) continue;
      std::copy_n(sender.queue.front().begin(), words_, pins_.in_flit.begin() + p * words_);
      sender.queue.pop_front();
      --sender.credits;
      --queued_;
      pins_.in_valid |= 1U << p;
      break;
    }
  }
}

void RouterDriver::pause_and_return() {
  pins_.out_ready = 0;
  pins_.out_credit = {};
  for (int p = 0; p < shape_.ports(); ++p) {
    if (static_cast<int>(random_.below(100)) >= stalls_.pause_percent) pins_.out_ready |= 1U << p;
    for (int v = 0; v < kNumVcs; ++v) {
      auto& due = returns_[p][v];
      if (due.empty() || due.front() >= cycle_) continue;
      due.pop_front();
      pins_.out_credit[v] |= 1U << p;
    }
  }
}

void RouterDriver::receive() {
  for (int v = 0; v < kNumVcs; ++v) {
    for (std::uint32_t mask = pins_.in_credit[v]; mask != 0; mask &= mask - 1) {
      ++senders_[std::countr_zero(mask)][v].credits;
    }
  }
  for (std::uint32_t mask = pins_.out_valid; mask != 0; mask &= mask - 1) {
    const int p = std::countr_zero(mask);
    const int v = unpack_header(&pins_.out_flit[p * words_]).vc;
    returns_[p][v].push_back(cycle_ +
                             random_.below(static_cast<std::uint64_t>(stalls_.return_delay) + 1));
    ++launched_[p][v];
    last_launch_[p] = cycle_;
  }
}

void RouterDriver::step() {
  send();
  pause_and_return();
  core_->step(pins_);
  try {
    rules_.check(pins_, core_->idle());
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
  receive();
  if (core_->error() != 0) fail(fmt::format("error register {}", core_->error()));
  ++cycle_;
}

void RouterDriver::drain(std::uint64_t limit) {
  const std::uint64_t end = cycle_ + limit;
  while (!done()) {
    if (cycle_ == end) fail(fmt::format("still {} flits to send", queued_));
    step();
  }
  const auto credits_in_flight = [&] {
    for (const auto& port : returns_) {
      for (const auto& due : port) {
        if (!due.empty()) return true;
      }
    }
    return false;
  };
  while (credits_in_flight()) step();
}

void RouterDriver::check_quiet() {
  if (!done() || !core_->idle()) fail("not idle after everything has left");
  for (int i = 0; i < 20; ++i) step();  // the rules expect idle and no output
  for (int p = 0; p < shape_.ports(); ++p) {
    if (read_counter(reg::kFlitsIn + 2 * p) != rules_.flits_in()[p] ||
        read_counter(reg::kFlitsOut + 2 * p) != rules_.flits_out()[p]) {
      fail(fmt::format("flit counters of port {} are off", p));
    }
    for (int v = 0; v < kNumVcs; ++v) {
      if (senders_[p][v].credits != shape_.buffers.depth(v)) {
        fail(fmt::format("input {} VC {}: credits do not balance", p, v));
      }
      if (read(reg::kCredit + 4 * p + v) != static_cast<std::uint32_t>(rules_.depth(p, v))) {
        fail(fmt::format("output {} VC {}: credits do not balance", p, v));
      }
    }
  }
  const RouterRules::Stalls counted{read_counter(reg::kStallCredit),
                                    read_counter(reg::kStallArbiter),
                                    read_counter(reg::kStallLink)};
  if (counted != rules_.stalls()) {
    fail(fmt::format("stalls credit {}, arbiter {}, link {}; expected {}, {}, {}", counted.credit,
                     counted.arbiter, counted.link, rules_.stalls().credit, rules_.stalls().arbiter,
                     rules_.stalls().link));
  }
}

}  // namespace fredsim::tb
