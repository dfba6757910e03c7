// SPDX-License-Identifier: Apache-2.0
// Everything of a run's result that must not depend on how it was simulated (implementations,
// slices left out), one line per item.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "results/results.h"

namespace fredsim::test {

inline std::vector<std::string> comparable_results(const RunResult& r) {
  std::vector<std::string> lines{
      fmt::format("{} cycles, payload {}, {} bytes injected, {} flit hops, {} acknowledgements",
                  r.cycles, r.payload, r.injected_bytes, r.flit_hops, r.acknowledgement_packets)};
  lines.push_back(fmt::format("{} additions, {} in switches, by node", r.additions,
                              fmt::join(r.switch_additions, " ")));
  for (const LinkResult& link : r.links) {
    lines.push_back(fmt::format("{}: {} flits, {} of phases, {} bytes, {} cycles busy", link.name,
                                link.flits, link.phase_flits, link.bytes, link.busy_cycles));
  }
  for (const SwitchResult& s : r.switches) {
    std::string line = fmt::format("{}: {} in, {} out, {} reductions, {} phase changes", s.name,
                                   s.flits_in, s.flits_out, s.reductions, s.phase_changes);
    for (const auto& [reason, cycles] : s.stall_cycles)
      line += fmt::format(", {} {}", cycles, reason);
    lines.push_back(line);
  }
  return lines;
}

// Results with the parts of the work and the load of links.
inline std::vector<std::string> results_and_parts(const RunResult& r) {
  std::vector<std::string> lines = comparable_results(r);
  for (const PartResult& part : r.parts) {
    lines.push_back(
        fmt::format("{}: from cycle {}, {} cycles", part.algorithm, part.start_cycle, part.cycles));
  }
  for (const LinkResult& link : r.links) lines.push_back(fmt::format("{:.12f}", link.utilization));
  lines.push_back(fmt::format("{} bytes", r.delivered_bytes));
  return lines;
}

}  // namespace fredsim::test
