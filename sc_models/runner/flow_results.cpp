// SPDX-License-Identifier: Apache-2.0
#include "runner/flow_results.h"

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
    r.phase_flits = traffic.phase_flits[l];
    r.bytes = traffic.bytes[l];
    if (result.cycles > 0)
      r.utilization = std::min(1.0, static_cast<double>(r.flits) /
                                        (link.rate.value() * static_cast<double>(result.cycles)));
    result.links.push_back(std::move(r));
  }
  result.additions = traffic.additions;
  result.switch_additions = traffic.switch_additions;
  fill_traffic(topology, traffic.acknowledgements, result);
}

RunResult flow_result_of(const Topology& topology, const FlowTraffic& traffic, RunResult exact) {
  const auto cycles = static_cast<double>(exact.cycles);
  RunResult result = std::move(exact);
  result.lanes = 1;
  result.slices = result.slices_simulated = 0;
  result.idle_cycles = result.repeated_cycles = result.repeated_flit_hops = 0;
  result.equal_slices_flit_hops = 0;
  result.injected_bytes = result.injected_bytes_per_npu_max = 0;
  result.acknowledgement_packets = result.acknowledgement_bytes = 0;
  result.link_bytes = result.flit_hops = 0;
  result.links.clear();
  result.words_written = 0;
  result.switches.clear();
  result.breakdowns.clear();
  result.sim_cycles_per_s = 0;
  if (result.operations) {
    result.operations->rows = {};
    result.operations->waited_for_rows = 0;
  }
  fill_flow_run(topology, cycles, result);
  fill_flow_links(topology, traffic, result);
  result.flow = FlowResult{
      .error = FlowErrorResult{.measured_on = topology.name, .sizes = {result.size_bytes}}};
  return result;
}

}  // namespace fredsim
