// SPDX-License-Identifier: Apache-2.0
// 3D parallelism of a training run: the groups of workers that communicate, and the NPU of each
// worker (§2, §5.3, §8).
//
// A strategy MP × DP × PP has MP·DP·PP workers. Worker ranks: mp fastest, then dp, then pp, so that
//   rank = mp + MP·(dp + DP·pp).
// Groups of worker ranks, by dimension:
//   mp  the MP workers of every (dp, pp): an all-reduce
//   dp  the DP workers of every (mp, pp): an all-reduce
//   pp  for every dp and p < PP - 1: worker (mp 0, stage p), then all workers of stage p + 1. The
//   sender has the whole activation after the MP all-reduce and multicasts it to the receivers. All
//   pairs of stages run at once, forwards: worker 0 of an inner stage sends in one group and
//   receives in another, using both directions of its ports without a conflict.
//   None where the dimension is 1.
// Placement: the NPU of every worker rank.
//   paper     MP consecutive, then PP, then DP (§5.3): NPU = mp + MP·(pp + PP·dp)
//   identity  rank r on NPU r
// Errors: BadInput with what was found and what is allowed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/collective.h"

namespace fredsim {

struct Strategy {
  int mp = 1;
  int dp = 1;
  int pp = 1;
  int workers() const { return mp * dp * pp; }
  friend bool operator==(const Strategy&, const Strategy&) = default;
};

std::string to_string(const Strategy& strategy);  // "mp2-dp5-pp2"
// Strategy from text, dimensions in any order; a missing dimension is 1. At most kMaxWorkers
// workers.
Strategy parse_strategy(const std::string& text);
inline constexpr int kMaxWorkers = 1 << 20;

// Every strategy of at most `npus` workers, mp slowest, pp fastest.
std::vector<Strategy> all_strategies(int npus);

enum class Dimension : std::uint8_t { kMp, kDp, kPp };

std::string to_string(Dimension dimension);          // "mp", "dp", "pp"
Dimension parse_dimension(const std::string& text);  // BadInput with the list of allowed names
Collective collective_of(Dimension dimension);
int vc_of(Dimension dimension);

std::vector<std::vector<int>> groups_of(const Strategy& strategy, Dimension dimension);

// NPU by worker rank.
std::vector<int> paper_placement(const Strategy& strategy);
std::vector<int> identity_placement(int workers);

// Translates worker ranks to NPUs. Errors: BadInput naming a rank without an NPU.
std::vector<int> placed(const std::vector<int>& group, const std::vector<int>& placement);

}  // namespace fredsim
