#include "switch/fred/fred_online.h"

#include <algorithm>
#include <bit>

#include "base/port_mask.h"
#include "base/vc_priority.h"
#include "routing/fred_routing.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

std::size_t index(int port, int vc) { return static_cast<std::size_t>(kNumVcs * port + vc); }

}  // namespace

FredOnline::FredOnline(const FredSwitchShape& shape)
    : ports_(shape.ports),
      middle_(shape.middle),
      levels_((fred_stages(shape.ports) - 1) / 2),
      routes_(static_cast<std::size_t>(reg::kMaxRoutes)),
      output_of_(index(ports_, 0)),
      pointer_(output_of_.size()) {
  moves_.reserve(static_cast<std::size_t>(ports_));
}

void FredOnline::reset() {
  std::ranges::fill(routes_, std::uint8_t{0});
  begun_ = locked_ = {};
  std::ranges::fill(output_of_, std::uint8_t{0});
  std::ranges::fill(pointer_, std::uint8_t{0});
  first_ = 0;
  moves_.clear();
  stall_credit_ = stall_arbiter_ = 0;
  error_route_ = false;
}

std::span<const FredOnline::Move> FredOnline::route(const PortsByVc& fronts,
                                                    std::span<const std::uint16_t> destination,
                                                    const PortsByVc& room,
                                                    const PhaseMoves& phase) {
  stall_credit_ = stall_arbiter_ = 0;
  error_route_ = false;
  moves_.clear();
  // Who gets which output: by the end, the input of every matched output, and its VC.
  std::array<std::uint8_t, 32> winner, vc_of;
  Ports matched = 0;
  in_busy_ = phase.popped;
  for (const int vc : kVcPriority) {
    Ports granted = 0, past = 0, taken = 0;
    for_each_port(fronts[vc], [&](int p) {
      const Ports input = 1U << p;
      const bool begun = (begun_[vc] & input) != 0;
      int out = output_of_[index(p, vc)];
      if (!begun) {
        const int to = destination[index(p, vc)];
        out = (to < reg::kMaxRoutes ? routes_[to] : 0) - 1;
        if (out < 0 || out >= ports_) {
          error_route_ = true;
          return;
        }
      }
      const Ports output = 1U << out;
      if (!begun && (room[vc] & output) == 0) {
        ++stall_credit_;
        return;
      }
      ++stall_arbiter_;  // unless it moves
      if (((in_busy_ & input) | ((phase.reserved | matched) & output)) != 0) return;
      if (!begun && ((locked_[vc] | (phase.vc == vc ? phase.held : 0)) & output) != 0) return;
      const bool later = p >= pointer_[index(out, vc)];
      if ((granted & output) != 0) {
        if (!later || (past & output) != 0) return;
        taken &= ~(1U << winner[out]);
      }
      granted |= output;
      if (later) past |= output;
      taken |= input;
      winner[out] = static_cast<std::uint8_t>(p);
      vc_of[out] = static_cast<std::uint8_t>(vc);
    });
    matched |= granted;
    in_busy_ |= taken;
  }
  if (matched == 0) return moves_;

  in_busy_ = phase.popped;
  out_busy_ = phase.reserved;
  if (in_busy_ != 0) {
    in_path_ = phase.in_path;
    out_path_ = phase.out_path;
  }
  const auto give_way = [&](int out) {
    const int in = winner[out];
    const int path = find_path(in, out);
    if (path < 0) return;
    in_busy_ |= 1U << in;
    out_busy_ |= 1U << out;
    in_path_[in] = out_path_[out] = static_cast<std::uint8_t>(path);
    moves_.push_back({in, out, vc_of[out]});
  };
  for_each_port(matched >> first_ << first_, give_way);
  for_each_port(matched & ((1U << first_) - 1), give_way);
  stall_arbiter_ -= static_cast<int>(moves_.size());
  if (moves_.size() != static_cast<std::size_t>(std::popcount(matched))) {
    first_ = first_ + 1 == ports_ ? 0 : first_ + 1;
  }
  return moves_;
}

int FredOnline::find_path(int input, int output) const {
  unsigned path = 0;
  for (int level = 0; level < levels_; ++level) {
    const unsigned outer = (1U << (2 * level)) - 1;  // the levels that `path` has already
    const int width = 2 << level;                    // ports behind one edge µSwitch of this level
    const Ports group = width >= 32 ? ~0U : (1U << width) - 1;
    unsigned used = 0;
    const auto note = [&](Ports busy, int port, const Paths& paths) {
      for_each_port(busy & group << (port / width * width), [&](int p) {
        if (((paths[p] ^ path) & outer) == 0) used |= 1U << (paths[p] >> (2 * level) & 3);
      });
    };
    note(in_busy_, input, in_path_);
    note(out_busy_, output, out_path_);
    const int chosen = std::countr_one(used);
    if (chosen >= middle_) return -1;
    path |= static_cast<unsigned>(chosen) << (2 * level);
  }
  return static_cast<int>(path);
}

void FredOnline::commit(const Move& move, bool tail) {
  const Ports input = 1U << move.input;
  const Ports output = 1U << move.output;
  if ((begun_[move.vc] & input) == 0) {
    output_of_[index(move.input, move.vc)] = static_cast<std::uint8_t>(move.output);
    pointer_[index(move.output, move.vc)] =
        static_cast<std::uint8_t>(move.input + 1 == ports_ ? 0 : move.input + 1);
  }
  begun_[move.vc] = tail ? begun_[move.vc] & ~input : begun_[move.vc] | input;
  locked_[move.vc] = tail ? locked_[move.vc] & ~output : locked_[move.vc] | output;
}

}  // namespace fredsim
