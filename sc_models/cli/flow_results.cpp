// SPDX-License-Identifier: Apache-2.0
#include "cli/flow_results.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/run_counts.h"

namespace fredsim {

std::uint64_t flow_cycles(double cycles) {
  constexpr double kRounded = 1e-6;  // sums of times that are whole cycles are no more above them
  return static_cast<std::uint64_t>(std::ceil(std::max(cycles - kRounded, 0.0)));
}

void fill_flow_run(const Topology& topology, double end, RunResult& result) {
  result.fabric = topology.name;
  result.model = "flow";
  result.clock_ghz = static_cast<double>(topology.clock_hz) / 1e9;
  result.cycles = flow_cycles(end);
  result.time_ns = static_cast<double>(result.cycles) / result.clock_ghz;
  result.payload = "not carried";
}

void fill_flow_links(const Topology& topology, const FlowTraffic& traffic, RunResult& result) {
  result.delivered_bytes = traffic.result_bytes;
  for (std::size_t l = 0; l < topology.links.size(); ++l) {
    const Link& link = topology.links[l];
    LinkResult r = named_link(topology, link);
    r.flits = r.busy_cycles = traffic.flits[l];
    r.bytes = traffic.bytes[l];
    if (result.cycles > 0)
      r.utilization = std::min(1.0, static_cast<double>(r.flits) * link.wire_stretch /
                                        (link.rate.value() * static_cast<double>(result.cycles)));
    result.links.push_back(std::move(r));
  }
  fill_traffic(topology, traffic.acknowledgements, result);
}

}  // namespace fredsim
