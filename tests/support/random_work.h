// SPDX-License-Identifier: Apache-2.0
// Random works for property tests: any collective on any group of a machine, several at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/member.h"
#include "base/random.h"
#include "plan/collective_spec.h"

namespace fredsim::test {

inline constexpr int kCollectives = 11;

// A group of NPUs, and of the first `io` I/O controllers.
inline std::vector<int> random_group(Random& random, int npus, int io = 0) {
  std::vector<int> group(npus);
  std::iota(group.begin(), group.end(), 0);
  for (int k = 0; k < io; ++k) group.push_back(io_member(k));
  const auto size = 1 + random.below(static_cast<std::uint64_t>(npus + io));
  if (random.below(3) != 0) {  // else contiguous, as workers are placed
    for (std::size_t i = group.size() - 1; i > 0; --i)
      std::swap(group[i], group[random.below(i + 1)]);
  }
  group.resize(size);
  return group;
}

inline CollectiveSpec random_spec(Random& random, int npus, std::uint64_t max_bytes, int io = 0) {
  CollectiveSpec spec;
  spec.collective = static_cast<Collective>(random.below(kCollectives));
  spec.group = random_group(random, npus, io);
  if (spec.collective == Collective::kUnicast && spec.group.size() > 2) spec.group.resize(2);
  if (spec.collective == Collective::kUnicast && spec.group.size() < 2)
    spec.collective = Collective::kBroadcast;
  constexpr std::uint64_t kSizes[] = {4, 600, 20'000};
  const std::uint64_t limit = random.below(4) == 0 ? max_bytes : kSizes[random.below(3)];
  spec.bytes = 1 + random.below(std::min(limit, max_bytes));
  spec.vc = static_cast<int>(random.below(3));
  spec.root = static_cast<int>(random.below(spec.group.size()));
  if (random.below(4) == 0) spec.start_cycle = random.below(1000);
  constexpr const char* kAnywhere[] = {"paper", "ring", "tree", "direct"};
  switch (spec.collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kReduce:
    case Collective::kBroadcast:
    case Collective::kMulticast:
      if (random.below(2) == 0) spec.algorithm = kAnywhere[random.below(4)];
      break;
    case Collective::kAllToAllV:
      spec.matrix = random_matrix(static_cast<int>(spec.group.size()), spec.bytes, random.next());
      break;
    default:
      if (random.below(4) == 0) spec.algorithm = "direct";
      break;
  }
  return spec;
}

inline std::vector<CollectiveSpec> random_work(Random& random, int npus, int max_parts,
                                               std::uint64_t max_bytes, int io = 0) {
  std::vector<CollectiveSpec> work;
  for (auto n = 1 + random.below(static_cast<std::uint64_t>(max_parts)); n > 0; --n)
    work.push_back(random_spec(random, npus, max_bytes, io));
  return work;
}

}  // namespace fredsim::test
