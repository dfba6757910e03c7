// SPDX-License-Identifier: Apache-2.0
#include "switch_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "base/error.h"
#include "switch/register_map.h"

namespace fredsim::tb {
namespace {

std::string text(const SwitchRules::Counts& c) {
  return fmt::format(
      "(reductions {}, phase changes {}, stalls: join {}, credit {}, phase {}, arbiter {}, link "
      "{})",
      c.reductions, c.phase_changes, c.join, c.credit, c.phase, c.arbiter, c.link);
}

}  // namespace

SwitchDriver::SwitchDriver(const TestedSwitch& shape, std::unique_ptr<SwitchCore> core,
                           const Stalls& stalls, std::uint64_t seed)
    : shape_(shape),
      core_(std::move(core)),
      rules_(shape),
      stalls_(stalls),
      random_(seed),
      seed_(seed),
      pins_(shape.ports(), shape.lanes),
      words_(flit_words(shape.lanes)),
      in_(static_cast<std::size_t>(shape.ports())),
      out_(in_.size()),
      sent_(in_.size()),
      received_(in_.size()) {
  core_->reset();
  for (int p = 0; p < shape_.ports(); ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      in_[p][v].credits = shape_.buffers.depth(v);
      out_[p][v].credits_out = receive_depth(v);
      if (stalls_.receive_depth == Stalls::kAsReset) continue;
      write(reg::kCredit + 4 * p + v, static_cast<std::uint32_t>(stalls_.receive_depth));
      rules_.set_credits(p, v, stalls_.receive_depth);
    }
  }
}

void SwitchDriver::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("cycle {} seed {}: {}", cycle_, seed_, what));
}

void SwitchDriver::write(int address, std::uint32_t value) {
  pins_.reg = {true, true, static_cast<std::uint16_t>(address), value};
  step();
  pins_.reg = {};
}

std::uint32_t SwitchDriver::read(int address) {
  pins_.reg = {true, false, static_cast<std::uint16_t>(address), 0};
  step();
  pins_.reg = {};
  return pins_.reg_rdata;
}

std::uint64_t SwitchDriver::read_counter(int address) {
  const std::uint64_t low = read(address);
  return low | std::uint64_t{read(address + 1)} << 32;
}

int SwitchDriver::add_phase(const Phase& phase) {
  const int index = static_cast<int>(phases_.size());
  const auto row = shape_.row(phase);
  for (std::size_t w = 0; w < row.size(); ++w) {
    const int address =
        reg::kPhaseStore + index * static_cast<int>(row.size()) + static_cast<int>(w);
    write(address, row[w]);
    if (read(address) != row[w]) fail(fmt::format("phase store word {} does not read back", w));
  }
  phases_.push_back(phase);
  rules_.add_phase(phase);
  return index;
}

std::uint16_t SwitchDriver::operand(std::uint32_t tag, int port, int flit, int lane) const {
  const std::uint64_t h = mix64(seed_ ^ mix64(std::uint64_t{tag} << 32 | std::uint64_t(port) << 24 |
                                              std::uint64_t(flit) << 16 | std::uint64_t(lane)));
  return static_cast<std::uint16_t>(h);  // any bit pattern: NaN and infinity too
}

void SwitchDriver::add_packet(int phase, int flow, int flits) {
  const auto dst = static_cast<std::uint16_t>(mix64(packets_.size()));
  queue_packet({phase, flow, flits, phases_[phase].vc, dst, phases_[phase].flows[flow]});
}

void SwitchDriver::write_routes() {
  const auto write_back = [&](int address, int value) {
    write(address, static_cast<std::uint32_t>(value));
    if (read(address) != static_cast<std::uint32_t>(value))
      fail(fmt::format("register {:#x} does not read back", address));
  };
  if (shape_.is_mesh()) {
    write_back(reg::kPosition, TestedSwitch::kColumn | TestedSwitch::kRow << 8);
  }
  for (int n = 0; n < TestedSwitch::kDestinations; ++n) {
    for (int output = 0; output < shape_.ports(); ++output) {
      const int dst = shape_.destination(output, n);
      if (!shape_.is_mesh()) write_back(reg::kRoute + dst, output + 1);
      for (int input = 0; input < shape_.ports(); ++input) {
        if (shape_.has_path(input, output)) rules_.set_route(input, dst, output);
      }
    }
  }
}

void SwitchDriver::add_online_packet(int input, int output, int vc, int flits) {
  if (!shape_.has_path(input, output)) fail(fmt::format("no path from {} to {}", input, output));
  const auto n = static_cast<int>(random_.below(TestedSwitch::kDestinations));
  const std::uint16_t dst = shape_.destination(output, n);
  queue_packet({kPhaseOnline,
                online_flow(input, output),
                flits,
                vc,
                dst,
                {.inputs = 1U << input, .outputs = 1U << output}});
}

void SwitchDriver::queue_packet(const Packet& packet) {
  const auto tag = static_cast<std::uint32_t>(packets_.size());
  packets_.push_back(packet);
  for (int p = 0; p < shape_.ports(); ++p) {
    if ((packet.ports.inputs >> p & 1U) != 0) {
      for (int i = 0; i < packet.flits; ++i) {
        Words w{};
        FlitHeader h;
        h.tag = tag;
        h.src = static_cast<std::uint16_t>(p);
        h.dst = packet.dst;
        h.phase = static_cast<std::uint8_t>(packet.phase);
        h.vc = static_cast<std::uint8_t>(packet.vc);
        h.seq = static_cast<std::uint8_t>(tag & 63U);
        h.head = i == 0;
        h.tail = i == packet.flits - 1;
        pack_header(h, w.data());
        for (int l = 0; l < carried_lanes(); ++l) set_lane(w.data(), l, operand(tag, p, i, l));
        in_[p][packet.vc].queue.push_back(w);
      }
    }
    if ((packet.ports.outputs >> p & 1U) != 0) {
      due_[{p, packet.phase, packet.flow, packet.vc}].push_back(tag);
      expected_flits_ += static_cast<std::uint64_t>(packet.flits);
    }
  }
  additions_ += static_cast<std::uint64_t>(packet.flits * (std::popcount(packet.ports.inputs) - 1));
}

void SwitchDriver::send() {
  pins_.in_valid = 0;
  for (int p = 0; p < shape_.ports(); ++p) {
    if (static_cast<int>(random_.below(100)) < stalls_.gap_percent) continue;
    const int first = static_cast<int>(random_.below(kNumVcs));
    for (int k = 0; k < kNumVcs; ++k) {
      InVc& in = in_[p][(first + k) % kNumVcs];
      if (in.queue.empty() || in.credits == 0) continue;
      std::copy_n(in.queue.front().begin(), words_, pins_.in_flit.begin() + p * words_);
      in.queue.pop_front();
      --in.credits;
      ++sent_[p];
      pins_.in_valid |= 1U << p;
      break;
    }
  }
}

void SwitchDriver::receive() {
  for (int p = 0; p < shape_.ports(); ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      if ((pins_.in_credit[v] >> p & 1U) != 0 && ++in_[p][v].credits > shape_.buffers.depth(v)) {
        fail(fmt::format("input {} VC {} returned more credits than it got flits", p, v));
      }
    }
    if ((pins_.out_valid >> p & 1U) == 0) continue;
    if ((ready_before_ >> p & 1U) == 0)
      fail(fmt::format("output {} launched while the link paused", p));
    check_flit(p, &pins_.out_flit[p * words_]);
    ++received_[p];
  }
}

void SwitchDriver::check_flit(int port, const std::uint32_t* words) {
  const FlitHeader h = unpack_header(words);
  OutVc& out = out_[port][h.vc];
  if (--out.credits_out < 0) fail(fmt::format("output {} VC {} sent without a credit", port, h.vc));
  out.returns.push_back(cycle_ +
                        random_.below(static_cast<std::uint64_t>(stalls_.return_delay) + 1));
  if (h.tag >= packets_.size()) fail(fmt::format("output {}: unknown packet {}", port, h.tag));
  const Packet& packet = packets_[h.tag];
  if (!out.open) {
    auto& due = due_[{port, packet.phase, packet.flow, packet.vc}];
    if (due.empty() || due.front() != h.tag) {
      fail(fmt::format("output {}: packet {} out of order or not for here", port, h.tag));
    }
    due.pop_front();
    out = {out.credits_out, std::move(out.returns), true, h.tag, 0};
  }
  if (h.tag != out.tag) fail(fmt::format("output {}: packets {}, {} mixed", port, out.tag, h.tag));
  FlitHeader want;
  want.tag = h.tag;
  want.dst = packet.dst;
  want.phase = static_cast<std::uint8_t>(packet.phase);
  want.vc = static_cast<std::uint8_t>(packet.vc);
  want.seq = static_cast<std::uint8_t>(h.tag & 63U);
  want.head = out.flit == 0;
  want.tail = out.flit == packet.flits - 1;
  const std::vector<int> postfix = packet.phase == kPhaseOnline
                                       ? std::vector<int>{std::countr_zero(packet.ports.inputs)}
                                       : phases_[packet.phase].route.order[packet.flow].postfix;
  // A sum has the header of its µSwitch's input 0 (rtl/fred/fred_r_uswitch.sv): in the end of its
  // first leaf.
  want.src = static_cast<std::uint16_t>(postfix.front());
  if (!(h == want)) {
    fail(fmt::format("output {}: packet {} flit {} has another header, source {} and not {}", port,
                     h.tag, out.flit, h.src, want.src));
  }
  if (words[2] >> 18 != 0) fail(fmt::format("output {}: header bits above the tail", port));
  std::vector<std::uint16_t> stack;
  for (int l = 0; l < shape_.lanes; ++l) {
    stack.clear();
    for (const int leaf : postfix) {
      if (leaf != SumOrder::kAdd) {
        stack.push_back(operand(h.tag, leaf, out.flit, l));
        continue;
      }
      const std::uint16_t b = stack.back();
      stack.pop_back();
      stack.back() = fp_add(shape_.format, stack.back(), b);
    }
    if (stack.back() != get_lane(words, l)) {
      fail(fmt::format("output {}: packet {} flit {} lane {}: {:04x}, expected {:04x}", port, h.tag,
                       out.flit, l, get_lane(words, l), stack.back()));
    }
  }
  // Unused half of the last word: copied with the word, zero in a sum.
  if (shape_.lanes < carried_lanes()) {
    const int l = shape_.lanes;
    const std::uint16_t want_half =
        postfix.size() == 1 ? operand(h.tag, postfix.front(), out.flit, l) : std::uint16_t{0};
    if (get_lane(words, l) != want_half) {
      fail(
          fmt::format("output {}: packet {} flit {} carries {:04x} above its last lane, not {:04x}",
                      port, h.tag, out.flit, get_lane(words, l), want_half));
    }
  }
  if (++out.flit == packet.flits) out.open = false;
  Span& span = spans_[{packet.phase, packet.flow}];
  if (span.flits++ == 0) span.first = cycle_;
  span.last = cycle_;
  ++delivered_flits_;
  last_delivery_ = cycle_;
}

void SwitchDriver::clock_edge() {
  const RegisterRequest ours = pins_.reg;
  core_->step(pins_);
  try {
    rules_.check(pins_, *core_);
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
  pins_.reg = ours;
}

void SwitchDriver::step() {
  send();
  pins_.out_ready = 0;
  pins_.out_credit = {};
  for (int p = 0; p < shape_.ports(); ++p) {
    if (static_cast<int>(random_.below(100)) >= stalls_.pause_percent) pins_.out_ready |= 1U << p;
    for (int v = 0; v < kNumVcs; ++v) {
      OutVc& out = out_[p][v];
      if (out.returns.empty() || out.returns.front() >= cycle_) continue;
      out.returns.pop_front();
      ++out.credits_out;
      pins_.out_credit[v] |= 1U << p;
    }
  }
  clock_edge();
  receive();
  ready_before_ = pins_.out_ready;
  if (core_->error() != 0) fail(fmt::format("error register {}", core_->error()));
  ++cycle_;
}

void SwitchDriver::drain(std::uint64_t limit) {
  const std::uint64_t end = cycle_ + limit;
  while (!delivered()) {
    if (cycle_ == end) {
      fail(fmt::format("only {} of {} flits delivered", delivered_flits_, expected_flits_));
    }
    step();
  }
  for (int i = 0; i < stalls_.return_delay + 100; ++i) step();
}

void SwitchDriver::check_quiet() {
  if (!core_->idle()) fail("not idle after everything was delivered");
  for (int i = 0; i < 50; ++i) {  // idle cycles, for any readiness of the links
    pins_.in_valid = 0;
    pins_.out_credit = {};
    pins_.out_ready = static_cast<std::uint32_t>(random_.next());
    clock_edge();
    if (pins_.out_valid != 0 || !core_->idle()) fail("an idle switch moved");
  }
  const std::uint64_t reductions = read_counter(reg::kReductions);
  if (reductions != additions_) fail(fmt::format("{} reductions, not {}", reductions, additions_));
  const SwitchRules::Counts counted{.reductions = reductions,
                                    .phase_changes = read_counter(reg::kPhaseChanges),
                                    .join = read_counter(reg::kStallJoin),
                                    .credit = read_counter(reg::kStallCredit),
                                    .phase = read_counter(reg::kStallPhase),
                                    .arbiter = read_counter(reg::kStallArbiter),
                                    .link = read_counter(reg::kStallLink)};
  if (counted != rules_.counts()) {
    fail(fmt::format("counters {}, expected {}", text(counted), text(rules_.counts())));
  }
  for (int p = 0; p < shape_.ports(); ++p) {
    if (read_counter(reg::kFlitsIn + 2 * p) != sent_[p] ||
        read_counter(reg::kFlitsOut + 2 * p) != received_[p]) {
      fail(fmt::format("flit counters of port {} are off", p));
    }
    for (int v = 0; v < kNumVcs; ++v) {
      if (in_[p][v].credits != shape_.buffers.depth(v)) fail("input credits do not balance");
      if (read(reg::kCredit + 4 * p + v) != static_cast<std::uint32_t>(receive_depth(v))) {
        fail(fmt::format("credits of output {} VC {} do not balance", p, v));
      }
    }
  }
}

TestedSwitch narrow_shape(int middle) {
  TestedSwitch shape(5, middle);
  shape.pool = 2;
  shape.lanes = 3;
  shape.buffers.data_flits = 12;
  shape.buffers.control_flits = 1;
  shape.buffers.output_flits = 9;
  shape.format = FpFormat::kBf16;
  shape.packet_flits = 6;
  shape.yield = 2;
  shape.quantum = 9;
  return shape;
}

TestedSwitch with_two_phases(TestedSwitch shape) {
  shape.phases_in_use = 2;
  return shape;
}

TestedSwitch with_two_adder_stages(TestedSwitch shape) {
  shape.adder_stages = 2;
  return shape;
}

std::array<TestedSwitch, 2> shapes_of_other_orders() {
  std::array<TestedSwitch, 2> shapes;
  shapes[0].fred = {4, 3};
  shapes[1].fred = {3, 2};
  for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i].vc_order = kOtherOrders[i];
  return shapes;
}

Phase random_phase(const TestedSwitch& shape, int vc, int max, Random& random) {
  for (;;) {
    Phase phase;
    phase.vc = vc;
    const int count = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(max)));
    std::vector<Flow> flows(static_cast<std::size_t>(count));
    // With two phases in use most phases have ports of one half of the switch, so that many pairs
    // share none.
    const std::uint32_t half = (1U << shape.ports() / 2) - 1;
    Flow allowed{~0U, ~0U};
    if (shape.phases_in_use > 1 && random.below(4) != 0) {
      allowed.inputs = random.below(2) == 0 ? half : ~half;
      allowed.outputs = random.below(2) == 0 ? half : ~half;
    }
    for (int p = 0; p < shape.ports(); ++p) {
      const auto in = random.below(static_cast<std::uint64_t>(count) + 1);
      const auto out = random.below(static_cast<std::uint64_t>(count) + 1);
      if (in < flows.size()) flows[in].inputs |= allowed.inputs & 1U << p;
      if (out < flows.size()) flows[out].outputs |= allowed.outputs & 1U << p;
    }
    std::erase_if(flows, [](const Flow& f) { return f.inputs == 0 || f.outputs == 0; });
    if (flows.empty()) continue;
    phase.route = shape.route(flows);
    if (!phase.route.routed) continue;
    phase.flows = std::move(flows);
    return phase;
  }
}

void add_random_packets(SwitchDriver& driver, const TestedSwitch& shape,
                        const std::vector<Phase>& phases, int packets, int online_percent,
                        Random& random) {
  const auto ports = static_cast<std::uint64_t>(shape.ports());
  const auto length = [&](int vc) {
    return 1 + static_cast<int>(random.below(vc == kControl ? 1 : shape.packet_flits));
  };
  if (online_percent != 0) driver.write_routes();
  for (; packets != 0; --packets) {
    if (static_cast<int>(random.below(100)) < online_percent) {
      const auto input = static_cast<int>(random.below(ports));
      int output = 0;
      do output = static_cast<int>(random.below(ports));
      while (!shape.has_path(input, output));
      const auto vc = static_cast<int>(random.below(kNumVcs));
      driver.add_online_packet(input, output, vc, length(vc));
      continue;
    }
    const auto phase = static_cast<int>(random.below(phases.size()));
    const auto flow = static_cast<int>(random.below(phases[phase].flows.size()));
    driver.add_packet(phase, flow, length(phases[phase].vc));
  }
}

}  // namespace fredsim::tb
