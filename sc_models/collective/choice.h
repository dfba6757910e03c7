// SPDX-License-Identifier: Apache-2.0
// Choice of `auto`: the algorithm with the shortest estimated time.
//
// Races: where no switch has phases and there are no trees of several levels, algorithms are
// simulated packet by packet (collective/detail/packet_race.h), except algorithms whose busiest
// link alone takes longer, or that pace by their window (Algorithm::paces_by_window()). On grids
// all collectives except pairs are raced, by algorithms with an estimate close to the best.
// Packets: on a grid, collectives that are raced as a whole (races_whole()) are also raced with
// packets of 1 KiB, which are taken where they are clearly faster.
// Estimates: elsewhere, and where a race would be too long, the trees of each weighed algorithm
// (Algorithm::is_weighed()) are made and estimated (collective/plan_time.h), for all groups of
// equal specs together, without the remaining groups.
// Sizes: an algorithm whose plan would take more than kMaxWeighedEntries (collective/plan_size.h)
// is not tried, unless it is weighed at any size: on large machines multi_tree is taken where it
// exists, else the paper's algorithm.
// In the switches: a formula of the algorithm (collective/in_switch_time.h). On a FRED tree
// single-step collectives are always faster there, serial steps up to some size. On a tree with
// failed components, or with links limited by credits, the plan of the switches is also made and
// estimated, since slices may be few, and credits are limited to one virtual channel. Endpoint
// algorithms then have to be clearly faster: runs in the switches recur soon
// (engine/memo/recurrence.h), while trees in all shares of the ports do not, and a small gain is
// not worth that loss. For the same reason they have to be clearly faster than reduce-scatters in
// the switches above kPacedAboveBytes; Fastest::passed_over names the one that was.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "collective/algorithm.h"
#include "plan/collective_spec.h"
#include "plan/plan.h"

namespace fredsim {

struct Fastest {
  std::string algorithm;  // for all groups; kPapers: the choice is fixed
  int packet_flits = 0;   // longest packet; 0: the machine's default
  // Endpoint algorithm that is estimated to be slightly faster, in `gain` of the time; empty: none.
  std::string passed_over{};
  double gain = 0;
};

// `specs` differ at most in group and root. `parts`: their parts, with two or more members each.
// `switches`: candidate algorithm in the switches, or null. `in_switch`: its cycles, if more
// accurate than its formula; infinite: it does not fit.
Fastest fastest_algorithm(const Topology& topology, std::span<const CollectiveSpec> specs,
                          std::span<const Part> parts, const Algorithm* switches,
                          std::optional<double> in_switch = {});

}  // namespace fredsim
