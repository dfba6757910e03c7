// SPDX-License-Identifier: Apache-2.0
#include "topology/dimension_order.h"

#include <algorithm>

namespace fredsim {

bool goes_along_dimensions(const Topology& topology) {
  return topology.unicasts == UnicastRoutes::kByTable &&
         std::ranges::any_of(topology.dimensions, [](const TopologyDimension& one) {
           return one.joined != Joined::kSwitches;
         });
}

int direction_along(const TopologyDimension& dimension, int from, int to) {
  const int straight = from < to ? 1 : -1;  // past no end of the line
  const bool begins_at_0 = from == 0 || to == 0;
  if (dimension.joined == Joined::kLine || !begins_at_0) return straight;
  const int distance = from < to ? to - from : from - to;
  if (2 * distance == dimension.size) return from % 2 == 0 ? 1 : -1;
  return 2 * distance < dimension.size ? straight : -straight;
}

int next_switch(const Topology& topology, int from, int to) {
  int stride = 1;
  for (const TopologyDimension& dimension : topology.dimensions) {
    const int at = from / stride % dimension.size;
    const int wanted = to / stride % dimension.size;
    if (at != wanted) {
      const int next =
          (at + direction_along(dimension, at, wanted) + dimension.size) % dimension.size;
      return from + (next - at) * stride;
    }
    stride *= dimension.size;
  }
  return to;
}

}  // namespace fredsim
