// SPDX-License-Identifier: Apache-2.0
#include "systems/detail/system_stages.h"

#include <iterator>

namespace fredsim {

std::vector<int> dimensions_of(const MemberBox& box) {
  std::vector<int> dimensions;
  for (int d = 0; d < std::ssize(box.places); ++d)
    if (box.places[d].size() > 1) dimensions.push_back(d);
  return dimensions;
}

std::vector<Stage> stages_of(Collective collective, const std::vector<BoxHop>& path,
                             const MemberBox& box, const std::vector<int>& dimensions,
                             std::uint64_t bytes) {
  std::vector<Stage> stages;
  for (const BoxHop& hop : path) stages.push_back({hop.dimension, Collective::kUnicast, bytes});
  std::vector<std::uint64_t> left;  // bytes before a reduce-scatter, after an all-gather
  for (const int d : dimensions) {
    left.push_back(bytes);
    const std::uint64_t size = box.places[d].size();
    bytes = (bytes + size - 1) / size;
  }
  const auto top = static_cast<std::ptrdiff_t>(dimensions.size()) - 1;
  const auto up = [&](Collective one, std::ptrdiff_t end, bool shrinks) {
    for (std::ptrdiff_t i = 0; i < end; ++i)
      stages.push_back({dimensions[i], one, shrinks ? left[i] : left.front()});
  };
  const auto down = [&](Collective one, std::ptrdiff_t from, bool shrinks) {
    for (std::ptrdiff_t i = from; i >= 0; --i)
      stages.push_back({dimensions[i], one, shrinks ? left[i] : left.front()});
  };
  switch (collective) {
    case Collective::kAllReduce:
      up(Collective::kReduceScatter, top, true);
      stages.push_back({dimensions[top], Collective::kAllReduce, left[top]});
      down(Collective::kAllGather, top - 1, true);
      break;
    case Collective::kReduceScatter:
    case Collective::kAllToAll:
    case Collective::kReduce:
      up(collective, top + 1, collective == Collective::kReduceScatter);
      break;
    case Collective::kAllGather:
      down(collective, top, true);
      break;
    default:
      down(Collective::kBroadcast, top, false);
  }
  return stages;
}

void split_joint(std::vector<Stage>& stages, std::size_t joint) {
  Stage half = stages[joint];
  half.collective = Collective::kAllGather;
  stages[joint].collective = Collective::kReduceScatter;
  stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(joint) + 1, half);
}

}  // namespace fredsim
