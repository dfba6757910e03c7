// Everything of a run's result that must not depend on how it was simulated (implementations, slices left
// out), one line per item.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "observe/results.h"

namespace fredsim::test {

inline std::vector<std::string> comparable_results(const RunResult& r) {
  std::vector<std::string> lines{
      fmt::format("{} cycles, payload {}, {} bytes injected, {} flit hops, {} acknowledgements",
                  r.cycles, r.payload, r.injected_bytes, r.flit_hops, r.acknowledgement_packets)};
  for (const LinkResult& link : r.links) {
    lines.push_back(fmt::format("{}: {} flits, {} bytes, {} cycles busy", link.name, link.flits,
                                link.bytes, link.busy_cycles));
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

}  // namespace fredsim::test
