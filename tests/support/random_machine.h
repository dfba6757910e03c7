// SPDX-License-Identifier: Apache-2.0
// Small machines of every kind of switch, with rates, latencies and wires inside switches of many
// kinds, from a seed.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/random.h"
#include "config/config.h"
#include "support/random_range.h"
#include "topology/topology.h"

namespace fredsim::test {

inline Topology random_machine(Random& random) {
  const auto pick = [&](int min, int max) { return random_between(random, min, max); };
  // A flit per cycle is 768 GB/s. Other rates recur after the denominator of their ratio in cycles.
  const auto rate = [&] {
    constexpr int kRates[] = {768, 600, 576, 384, 192};
    return kRates[random.below(5)];
  };
  const std::string wires =
      fmt::format("switch.wire_cycles={}", random.below(2) == 0 ? 0 : pick(1, 6));
  if (random.below(3) == 0) {
    const int columns = pick(2, 3), rows = pick(2, 3);
    const int npus = columns * rows;
    return load_config(random.below(2) == 0 ? "configs/mesh_reducing.yaml" : "configs/mesh.yaml",
                       {fmt::format("fabric.width={}", columns),
                        fmt::format("fabric.height={}", rows), fmt::format("npu.count={}", npus),
                        "io.count=0", fmt::format("fabric.link_latency={} ns", pick(1, 30)), wires})
        .topology;
  }
  const int l1 = pick(2, 3), npus = pick(1, 4), slices = pick(1, 2), l2 = pick(1, 2);
  constexpr const char* kKinds[] = {"fred", "reducing_crossbar", "aggregator", "voq_crossbar"};
  return load_config(
             "configs/fred_d.yaml",
             {fmt::format("switch.kind={}", kKinds[random.below(4)]),
              fmt::format("npu.count={}", l1 * npus), "io.count=0",
              fmt::format("npu.bandwidth={} GB/s", slices * rate()),
              fmt::format("fabric.l1_switches={}", l1), fmt::format("fabric.npus_per_l1={}", npus),
              fmt::format("fabric.slices={}", slices), fmt::format("fabric.uplinks={}", l2),
              fmt::format("fabric.l2_chiplets_per_slice={}", l2),
              fmt::format("fabric.uplink_bandwidth={} GB/s", slices * l2 * rate()),
              fmt::format("fabric.link_latency={} ns", pick(1, 30)), wires})
      .topology;
}

}  // namespace fredsim::test
