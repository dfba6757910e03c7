// SPDX-License-Identifier: Apache-2.0
// Algorithm that `auto` takes: the one that is estimated to take the shortest time.
//
// Races: where no switch has phases and there are no trees of several levels, algorithms are raced
//   packet by packet (collective/detail/packet_race.h), but for any whose busiest link alone takes
//   longer, or that paces by its window (Algorithm::paces_by_window()). On grids all but pairs, by
//   algorithms whose estimate is not far from the best.
// Packets: on a grid what is raced as a whole (races_whole()) is raced with packets of 1 KiB, too,
//   which are taken where they are clearly faster.
// Estimates: elsewhere, and where a race would be too long, the trees of each are made and
//   estimated (collective/plan_time.h), all groups that want the same together, others not looked
//   at. Not of those that are not weighed (Algorithm::is_weighed()).
// Sizes: one that would take more than kMaxWeighedEntries (collective/plan_size.h) is not tried,
//   unless it is weighed at any size: on large machines multi_tree is taken where it exists, else
//   the paper's.
// In the switches: a formula of the algorithm (collective/in_switch_time.h). On a FRED tree
//   single-step collectives are always faster there, serial steps up to some size. On one with
//   failed components, or links limited by credits, the plan of the switches is made and estimated
//   too, as slices may be few, and credits are those of one virtual channel; endpoints have to be
//   clearly faster than that, or runs of the switches, which recur soon (engine/memo/recurrence.h),
//   would give way to trees in all shares of the ports, which do not, for nothing.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "collective/algorithm.h"
#include "plan/collective_spec.h"
#include "plan/plan.h"

namespace fredsim {

struct Fastest {
  std::string algorithm;  // that all groups can take, or kPapers for what is fixed
  int packet_flits = 0;   // its longest packet; 0: the machine's
};

// `specs` differ in group and root at most; `parts`, theirs, have their members, two or more.
// `switches`: the algorithm in the switches that may be taken, too, or null; `in_switch`: cycles
// that it takes, where that is known better than by its formula, infinite: it cannot.
Fastest fastest_algorithm(const Topology& topology, std::span<const CollectiveSpec> specs,
                          std::span<const Part> parts, const Algorithm* switches,
                          std::optional<double> in_switch = {});

}  // namespace fredsim
