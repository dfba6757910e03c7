// SPDX-License-Identifier: Apache-2.0
// A point of synthetic traffic as text, for comparisons.
#pragma once

#include <fmt/format.h>

#include <string>

#include "results/traffic_results.h"

namespace fredsim::test {

// All of a point that must not depend on implementations, machines or the day.
inline std::string text_of(const TrafficPoint& p) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", p.rate, p.offered, p.accepted,
                  p.saturated, p.packets, p.arrived, p.latency_mean, p.latency_p50, p.latency_p95,
                  p.latency_p99, p.latency_max, p.flit_hops, p.cycles);
  for (const LinkResult& link : p.links) text += fmt::format("\n{} {}", link.name, link.flits);
  for (const SwitchResult& s : p.switches) {
    text += fmt::format("\n{} {} {} {} {}", s.name, s.flits_in, s.flits_out, s.reductions,
                        s.phase_changes);
    for (const auto& [reason, cycles] : s.stall_cycles)
      text += fmt::format(" {} {}", reason, cycles);
  }
  return text;
}

}  // namespace fredsim::test
