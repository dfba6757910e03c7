// SPDX-License-Identifier: Apache-2.0
// Boxes of NPUs on one switch with adders, as machine files of the kind graph have them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "config/config.h"

namespace fredsim::test {

struct AdderBox {
  int npus = 4;
  int adders = 4;
  int gbps = 450;
  int latency_ns = 20;
  std::string efficiency = "1";
};

inline Topology adder_box(const AdderBox& box) {
  const std::string engines =
      box.adders == 0 ? "" : fmt::format("    - {{name: e, kind: adder, count: {}}}\n", box.adders);
  const std::string to_engines =
      box.adders == 0
          ? ""
          : fmt::format("    - {{from: e, to: s, bandwidth: {} GB/s, latency: 1 ns}}\n", box.gbps);
  const MachineFile file{
      .path = "box.yaml",
      .settings = {},
      .text = fmt::format(
          "name: box\nclock: auto\nfabric:\n  type: graph\n  nodes:\n"
          "    - {{name: g, kind: npu, count: {}}}\n    - {{name: s, kind: switch}}\n{}  links:\n"
          "    - {{from: g, to: s, bandwidth: {} GB/s, latency: {} ns}}\n{}"
          "link:\n  efficiency: {}\n",
          box.npus, engines, box.gbps, box.latency_ns, to_engines, box.efficiency)};
  return load_configs({&file, 1}, {}).machines.front().topology;
}

}  // namespace fredsim::test
