// SPDX-License-Identifier: Apache-2.0
#include "router_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "routing/mesh_routing.h"

namespace fredsim::tb {
namespace {

[[noreturn]] void broken(const std::string& what) { throw std::runtime_error(what); }

int need(int vc, int depth) {
  return vc == kControl ? 1 : std::max(1, std::min(kPacketFlits, depth));
}

bool bit(std::uint32_t mask, int index) { return (mask >> index & 1U) != 0; }

}  // namespace

int expected_output(const MeshShape& shape, int x, int y, int in, std::uint16_t dst,
                    const MeshRings& rings) {
  const MeshPosition to = mesh_position(dst);
  const int direction = mesh_direction(x, y, to.x, to.y, rings);
  if (direction >= 0) return direction == in ? -1 : direction;
  const int endpoint = dst >> 12;
  if (endpoint == 0) {
    return kFirstLocal + (in < kFirstLocal ? in : in - kFirstLocal) % shape.local_ports;
  }
  return endpoint <= shape.io_ports ? kFirstLocal + shape.local_ports + endpoint - 1 : -1;
}

RouterRules::RouterRules(const MeshShape& shape, int x, int y, const MeshRings& rings)
    : shape_(shape),
      x_(x),
      y_(y),
      rings_(rings),
      words_(flit_words(shape.lanes)),
      inputs_(static_cast<std::size_t>(shape.ports())),
      outputs_(inputs_.size()),
      flits_in_(inputs_.size()),
      flits_out_(inputs_.size()) {
  for (int p = 0; p < shape.ports(); ++p) {
    for (int v = 0; v < kNumVcs; ++v) set_depth(p, v, shape.buffers.depth(v));
  }
}

void RouterRules::set_depth(int port, int vc, int flits) {
  outputs_[port][vc].credits = outputs_[port][vc].depth = flits;
}

// 0 goes first.
int RouterRules::rank(int vc) const {
  int place = 0;
  while (shape_.vc_order.at(static_cast<std::size_t>(place)) != vc) ++place;
  return place;
}

int RouterRules::packet_start_credits(int in, int out, int vc) const {
  const int packet = need(vc, outputs_[out][vc].depth);
  const bool along_row = out == kEast || out == kWest;
  const bool along_column = out == kNorth || out == kSouth;
  const bool on_ring = (along_row && rings_.columns != 0) || (along_column && rings_.rows != 0);
  if (!on_ring) return packet;
  const bool straight = (in == kEast && out == kWest) || (in == kWest && out == kEast) ||
                        (in == kNorth && out == kSouth) || (in == kSouth && out == kNorth);
  return straight ? 1 : packet + 1;
}

std::vector<RouterRules::HolFlit> RouterRules::hol_flits(const SwitchPins& pins) const {
  std::vector<HolFlit> result;
  for (int p = 0; p < shape_.ports(); ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      const Input& input = inputs_[p][v];
      if (input.flits.empty()) continue;
      const std::uint16_t dst = unpack_header(input.flits.front().data()).dst;
      const int out = input.begun ? input.route : expected_output(shape_, x_, y_, p, dst, rings_);
      if (out < 0) continue;
      const Output& output = outputs_[out][v];
      HolFlit f{p, v, out, !input.begun, false, false, false, false};
      f.has_credit = output.credits >= (f.start ? packet_start_credits(p, out, v) : 1);
      f.asks = f.has_credit && (!f.start || output.owner < 0) && bit(pins.out_ready, out);
      result.push_back(f);
    }
  }
  return result;
}

// Decides which flits have to leave: `due`. Turns and declined grants then have their values after
// the edge.
void RouterRules::decide(std::vector<HolFlit>& hol_flits) {
  const int ports = shape_.ports();
  std::vector<HolFlit*> granted;  // granted flit of each output
  for (int out = 0; out < ports; ++out) {
    std::array<HolFlit*, kNumVcs> winner{};
    for (HolFlit& f : hol_flits) {
      if (!f.asks || f.out != out) continue;
      const auto turns = [&](const HolFlit& g) {
        return (g.in - outputs_[out][g.vc].next + ports) % ports;
      };
      HolFlit*& best = winner[f.vc];
      if (best == nullptr || turns(f) < turns(*best)) best = &f;
    }
    HolFlit* best = nullptr;
    const auto place = [&](const HolFlit& f) {
      return rank(f.vc) + (outputs_[out][f.vc].declined ? kNumVcs : 0);
    };
    for (HolFlit* const f : winner) {
      if (f != nullptr && (best == nullptr || place(*f) < place(*best))) best = f;
    }
    for (Output& output : outputs_[out]) output.declined = false;
    if (best == nullptr) continue;
    granted.push_back(best);
    if (best->start) outputs_[out][best->vc].next = (best->in + 1) % ports;
  }
  for (HolFlit* const f : granted) {
    f->due = std::ranges::none_of(granted, [&](const HolFlit* other) {
      return other->in == f->in && rank(other->vc) < rank(f->vc);
    });
    outputs_[f->out][f->vc].declined = !f->due;
  }
}

void RouterRules::check_leaving(const SwitchPins& pins, std::vector<HolFlit>& hol_flits) const {
  for (int v = 0; v < kNumVcs; ++v) {
    for (std::uint32_t mask = pins.in_credit[v]; mask != 0; mask &= mask - 1) {
      const int p = std::countr_zero(mask);
      const auto found =
          std::ranges::find_if(hol_flits, [&](const HolFlit& f) { return f.in == p && f.vc == v; });
      if (found == hol_flits.end())
        broken(fmt::format("input {} VC {}: a credit for nothing", p, v));
      HolFlit& f = *found;
      const std::string who = fmt::format("input {} VC {} to output {}", p, v, f.out);
      if (!f.has_credit) broken(who + (f.start ? ": no credits for a packet" : ": no credit"));
      if (!bit(pins.out_ready, f.out)) broken(who + ": left while the link paused");
      if (!f.asks) broken(who + ": another packet is open on the output VC");
      if (!f.due) broken(who + ": left before others that go before it");
      f.leaves = true;
    }
  }
  for (const HolFlit& f : hol_flits) {
    if (f.due && !f.leaves) {
      broken(fmt::format("input {} VC {} to output {} should have left", f.in, f.vc, f.out));
    }
  }
}

void RouterRules::check_outputs(const SwitchPins& pins) const {
  std::uint32_t expected = 0;
  for (const Sent& sent : sent_[1]) {
    const std::string who = fmt::format("output {}", sent.out);
    if (bit(expected, sent.out)) broken(who + ": two flits left for it at one edge");
    expected |= 1U << sent.out;
    if (!bit(pins.out_valid, sent.out)) {
      broken(who + ": a flit that left two edges ago is not there");
    }
    if (!std::equal(sent.flit.begin(), sent.flit.end(),
                    pins.out_flit.begin() + sent.out * words_)) {
      broken(who + ": the flit is not the head-of-line flit of its buffer");
    }
  }
  if (expected != pins.out_valid) {
    broken(fmt::format("output {}: a flit out of nothing",
                       std::countr_zero(pins.out_valid & ~expected)));
  }
}

void RouterRules::count_stalls(const SwitchPins& pins, const std::vector<HolFlit>& hol_flits) {
  std::uint32_t paused = 0;
  for (const HolFlit& f : hol_flits) {
    if (f.leaves) continue;
    const bool vc_taken = f.start && outputs_[f.out][f.vc].owner >= 0;
    if (!f.has_credit) {
      ++stalls_.credit;
    } else if (vc_taken || bit(pins.out_ready, f.out)) {
      ++stalls_.arbiter;
    } else {
      paused |= 1U << f.out;
    }
  }
  stalls_.link += static_cast<std::uint64_t>(std::popcount(paused));
}

void RouterRules::advance(const SwitchPins& pins, const std::vector<HolFlit>& hol_flits) {
  for (int p = 0; p < shape_.ports(); ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      Output& output = outputs_[p][v];
      if (bit(pins.out_credit[v], p) && ++output.credits > output.depth) {
        throw std::logic_error("the testbench returned a credit too many");
      }
    }
  }
  inside_ -= static_cast<int>(sent_[1].size());
  sent_[1] = std::move(sent_[0]);
  sent_[0].clear();
  for (const HolFlit& f : hol_flits) {
    if (!f.leaves) continue;
    Input& input = inputs_[f.in][f.vc];
    Output& output = outputs_[f.out][f.vc];
    const bool tail = unpack_header(input.flits.front().data()).tail;
    input.route = f.out;
    input.begun = !tail;
    output.owner = tail ? -1 : f.in;
    --output.credits;
    sent_[0].push_back({f.out, std::move(input.flits.front())});
    input.flits.pop_front();
    ++flits_out_[f.out];
  }
  for (auto& [in, flit] : sampled_) {
    inputs_[in][unpack_header(flit.data()).vc].flits.push_back(std::move(flit));
  }
  sampled_.clear();
  for (std::uint32_t mask = pins.in_valid; mask != 0; mask &= mask - 1) {
    const int p = std::countr_zero(mask);
    const auto first = pins.in_flit.begin() + p * words_;
    sampled_.emplace_back(p, Flit(first, first + words_));
    ++inside_;
    ++flits_in_[p];
  }
}

void RouterRules::check(const SwitchPins& pins, bool idle) {
  std::vector<HolFlit> now = hol_flits(pins);
  decide(now);
  check_leaving(pins, now);
  check_outputs(pins);
  count_stalls(pins, now);
  advance(pins, now);
  if (idle != (inside_ == 0 && pins.out_valid == 0)) {
    broken(idle ? "idle with a flit inside" : "not idle with nothing inside");
  }
}

}  // namespace fredsim::tb
