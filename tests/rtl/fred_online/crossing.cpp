// SPDX-License-Identifier: Apache-2.0
#include "crossing.h"

#include <fmt/format.h>

namespace tb {
namespace {

// The µSwitches of an edge from its ports: two ports each.
std::uint32_t switches(std::uint32_t ports) {
  std::uint32_t mask = 0;
  for (int i = 0; i < 16; ++i) mask |= (ports >> (2 * i) & 3U) != 0 ? 1U << i : 0U;
  return mask;
}

}  // namespace

std::string crossing(const fredsim::FredSwitchShape& shape, std::span<const FlowPath> flows) {
  for (std::size_t a = 0; a < flows.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      FlowPath one = flows[a], other = flows[b];
      if (a != b && ((one.inputs & other.inputs) | (one.outputs & other.outputs)) != 0) {
        return fmt::format("flows {} and {} share a port", a, b);
      }
      int level = 0;
      for (int ports = shape.ports; ports > 2; ports = (ports + 1) / 2, ++level) {
        const int middle = one.path >> (2 * level) & 3;
        if (middle >= shape.middle) return fmt::format("flow {}: no sub-network {}", a, middle);
        if (a == b) continue;
        if (middle != (other.path >> (2 * level) & 3))
          break;  // they use different sub-networks from here on
        one.inputs = switches(one.inputs);
        one.outputs = switches(one.outputs);
        other.inputs = switches(other.inputs);
        other.outputs = switches(other.outputs);
        if (((one.inputs & other.inputs) | (one.outputs & other.outputs)) != 0) {
          return fmt::format("flows {} and {} share a wire to or from a sub-network of level {}", a,
                             b, level);
        }
      }
    }
  }
  return {};
}

}  // namespace tb
