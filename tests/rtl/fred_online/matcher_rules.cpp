// SPDX-License-Identifier: Apache-2.0
#include "matcher_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/port_mask.h"

namespace tb {
namespace {

using fredsim::kNumVcs;
using fredsim::PhasedMatcher;

std::size_t at(int port, int vc) { return static_cast<std::size_t>(kNumVcs * port + vc); }
bool has(PhasedMatcher::Ports ports, int port) { return (ports >> port & 1U) != 0; }

}  // namespace

MatcherRules::MatcherRules(const fredsim::FredSwitchShape& shape)
    : shape_(shape),
      alone_(shape.middle == 2 && shape.ports > 2),
      owner_(at(shape.ports, 0), -1),
      going_to_(owner_.size(), -1) {}

std::string MatcherRules::edge(const PhasedMatcher::HolFlits& hol_flits,
                               const PhasedMatcher::Phase& phase,
                               std::span<const PhasedMatcher::Move> moves) {
  credit_ = arbiter_ = 0;
  int possible =
      0;  // head-of-line flits that only each other, or an input that skips the cycle, can block
  for (int vc = 0; vc < kNumVcs; ++vc) {
    fredsim::for_each_port(hol_flits.request[vc], [&](int p) {
      const int o = hol_flits.output[at(p, vc)];
      const bool start = going_to_[at(p, vc)] < 0;
      ++(start && !has(hol_flits.room[vc], o) ? credit_ : arbiter_);
      const bool may = !start || (has(hol_flits.room[vc], o) && owner_[at(o, vc)] < 0 &&
                                  (phase.vc != vc || !has(phase.held, o)));
      if (may && !has(phase.popped, p) && !has(phase.reserved, o)) ++possible;
    });
  }
  arbiter_ -= static_cast<int>(moves.size());
  in_ = phase.popped;
  out_ = phase.reserved;
  for (const auto& m : moves) {
    std::string wrong = move(hol_flits, phase, m);
    if (!wrong.empty()) return fmt::format("{} -> {} on VC {}: {}", m.input, m.output, m.vc, wrong);
  }
  if (alone_ && !moves.empty() && phase.popped != 0)
    return "a flit beside the phase's, with two sub-networks";
  // Alone in the switch somebody moves.
  if (phase.popped == 0 && phase.reserved == 0 && !had_phase_ && possible > 0 && moves.empty()) {
    return "nobody moves";
  }
  had_phase_ = phase.popped != 0;
  return {};
}

std::string MatcherRules::move(const PhasedMatcher::HolFlits& hol_flits,
                               const PhasedMatcher::Phase& phase, const PhasedMatcher::Move& move) {
  const auto [p, o, vc] = move;
  if (!has(hol_flits.request[vc], p) || hol_flits.output[at(p, vc)] != o)
    return "no such head-of-line flit";
  if (has(in_, p) || has(out_, o)) return "its input or output is in use";
  in_ |= 1U << p;
  out_ |= 1U << o;
  int& going_to = going_to_[at(p, vc)];
  int& owner = owner_[at(o, vc)];
  if (going_to < 0) {
    if (owner >= 0) return fmt::format("a packet of input {} is open", owner);
    if (!has(hol_flits.room[vc], o)) return "no room";
    if (phase.vc == vc && has(phase.held, o)) return "the phase is inside a packet there";
  } else if (going_to != o || owner != p) {
    return "not its output";
  }
  const bool tail = has(hol_flits.tail[vc], p);
  going_to = tail ? -1 : o;
  owner = tail ? -1 : p;
  return {};
}

}  // namespace tb
