// SPDX-License-Identifier: Apache-2.0
#include "optimize/direct_machine.h"

#include <fmt/format.h>

namespace fredsim {

std::string machine_text(const DirectNetwork& network, const DirectMachine& machine) {
  std::string text = fmt::format(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Written by fredsim optimize --topology topoopt.\n"
      "name: {}\n"
      "clock: {} Hz\n"
      "npu:\n"
      "  peak: {} GFLOP/s\n"
      "  memory_bandwidth: {} B/s\n"
      "  memory: {} B\n"
      "  efficiency: {}\n"
      "  value_bytes: {{weights: {}, activations: {}, kv: {}}}\n"
      "  collective_overhead: {} ps\n"
      "fabric:\n"
      "  type: graph\n"
      "  link_latency: {} ps\n"
      "  nodes:\n"
      "    - {{name: n, kind: npu, count: {}}}\n"
      "  links:\n",
      machine.name, machine.clock_hz, machine.compute.peak_gflops, machine.compute.memory_bandwidth,
      machine.compute.memory_bytes, machine.compute.efficiency, machine.compute.value_bytes.weights,
      machine.compute.value_bytes.activations, machine.compute.value_bytes.kv,
      machine.compute.collective_overhead_ps, machine.latency_ps, network.nodes());
  for (const DirectLink& link : network.links()) {
    text += fmt::format("    - {{from: n{}, to: n{}, one_way: true, bandwidth: {} B/s", link.from,
                        link.to, machine.bytes_per_second);
    text += link.count > 1 ? fmt::format(", count: {}}}\n", link.count) : "}\n";
  }
  return text;
}

}  // namespace fredsim
