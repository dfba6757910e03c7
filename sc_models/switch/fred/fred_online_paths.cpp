// SPDX-License-Identifier: Apache-2.0
#include "switch/fred/fred_online_paths.h"

#include <bit>

#include "base/port_mask.h"

namespace fredsim {
namespace {

using Ports = PhasedMatcher::Ports;

// One level: paths chosen so far, by the two ends of every online flit.
class Level {
 public:
  Level(int ports, int level) : ports_(ports), level_(level) {}

  bool low_bit(int port) const { return (port >> level_ & 1) != 0; }

  // Calls f(port) for the ports of the set on the sibling wire of `port`'s, with the same path so
  // far.
  template <class F>
  void beside(Ports set, const FredPaths& paths, int port, std::uint8_t path, F&& f) const {
    const int first = (port >> level_ ^ 1) << level_;
    if (first >= ports_) return;
    const Ports wire = ((1U << (1 << level_)) - 1) << first;
    const unsigned before = (1U << (2 * level_)) - 1;
    for_each_port(set & wire, [&](int q) {
      if (((paths[q] ^ path) & before) == 0) f(q);
    });
  }
  unsigned middle(std::uint8_t path) const { return path >> (2 * level_) & 3U; }

 private:
  int ports_, level_;
};

struct Flits {
  Ports in = 0, out = 0;
  std::array<std::uint8_t, 32> input_of{};  // index: output
  FredPaths in_path{}, out_path{};
};

void choose(const Level& level, int at, Flits& flits, const FredPhaseUse& phase) {
  Ports first = 0, no_two = 0, change = 0;  // index: input
  for_each_port(flits.in, [&](int p) {
    bool choice = level.low_bit(p);
    level.beside(phase.in, phase.in_path, p, flits.in_path[p], [&](int q) {
      const unsigned taken = level.middle(phase.in_path[q]);
      if (taken == (level.low_bit(p) ? 1U : 0U)) choice = !level.low_bit(p);
      if (taken == 2) no_two |= 1U << p;
    });
    if (choice) first |= 1U << p;
  });
  for_each_port(flits.out, [&](int o) {
    const int p = flits.input_of[o];
    const unsigned choice = first >> p & 1U;
    level.beside(phase.out, phase.out_path, o, flits.out_path[o], [&](int q) {
      if (level.middle(phase.out_path[q]) == choice) change |= 1U << p;
    });
    if (!level.low_bit(o)) return;
    level.beside(flits.out, flits.out_path, o, flits.out_path[o], [&](int q) {
      if ((first >> flits.input_of[q] & 1U) == choice) change |= 1U << p;
    });
  });
  FredPaths paths = flits.in_path;
  for_each_port(flits.in, [&](int p) {
    unsigned middle = first >> p & 1U;
    if ((change >> p & 1U) != 0) {
      middle = (no_two >> p & 1U) != 0 ? 1 - middle : 2;
      if (level.low_bit(p)) {
        level.beside(change, flits.in_path, p, flits.in_path[p], [&](int) { middle = 0; });
      }
    }
    paths[p] = static_cast<std::uint8_t>(paths[p] | middle << at);
  });
  flits.in_path = paths;
  for_each_port(flits.out, [&](int o) { flits.out_path[o] = paths[flits.input_of[o]]; });
}

}  // namespace

FredPaths online_paths(const FredSwitchShape& shape, std::span<const PhasedMatcher::Move> moves,
                       const FredPhaseUse& phase) {
  const int levels = fred_levels(shape.ports);
  Flits flits;
  for (const PhasedMatcher::Move& move : moves) {
    flits.in |= 1U << move.input;
    flits.out |= 1U << move.output;
    flits.input_of[move.output] = static_cast<std::uint8_t>(move.input);
  }
  for (int l = 0; l < levels; ++l) {
    if (shape.middle > 2) {
      choose(Level(shape.ports, l), 2 * l, flits, phase);
    } else {
      for_each_port(flits.in, [&](int p) {
        flits.in_path[p] = static_cast<std::uint8_t>(flits.in_path[p] | (p >> l & 1) << (2 * l));
      });
    }
  }
  return flits.in_path;
}

}  // namespace fredsim
