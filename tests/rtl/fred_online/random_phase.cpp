// SPDX-License-Identifier: Apache-2.0
#include "random_phase.h"

#include "base/port_mask.h"

namespace tb {

std::vector<FlowPath> random_phase(const fredsim::FredSwitchShape& shape, int max,
                                   fredsim::Random& random) {
  constexpr int kTries = 20;
  std::vector<FlowPath> flows;
  std::uint32_t inputs = ~0U >> (32 - shape.ports), outputs = inputs;
  for (int n = 0; n < max; ++n) {
    for (int t = 0; t < kTries; ++t) {
      FlowPath flow;
      // Mostly few ports.
      flow.inputs =
          inputs & static_cast<std::uint32_t>(random.next() & random.next() & random.next());
      flow.outputs =
          outputs & static_cast<std::uint32_t>(random.next() & random.next() & random.next());
      if (flow.inputs == 0 || flow.outputs == 0) continue;
      for (int level = 0; level < 4; ++level) {
        flow.path = static_cast<std::uint8_t>(
            flow.path | random.below(static_cast<std::uint64_t>(shape.middle)) << (2 * level));
      }
      flows.push_back(flow);
      if (crossing(shape, flows).empty()) {
        inputs &= ~flow.inputs;
        outputs &= ~flow.outputs;
        break;
      }
      flows.pop_back();
    }
  }
  return flows;
}

void port_paths(std::span<const FlowPath> flows, fredsim::Random& random, fredsim::FredPaths& in,
                fredsim::FredPaths& out) {
  for (auto& path : in) path = static_cast<std::uint8_t>(random.next());
  for (auto& path : out) path = static_cast<std::uint8_t>(random.next());
  for (const FlowPath& flow : flows) {
    fredsim::for_each_port(flow.inputs, [&](int p) { in[p] = flow.path; });
    fredsim::for_each_port(flow.outputs, [&](int p) { out[p] = flow.path; });
  }
}

}  // namespace tb
