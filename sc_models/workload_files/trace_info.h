// SPDX-License-Identifier: Apache-2.0
// Statistics of a rank's execution trace, and differences between two traces.
//
// Units: picoseconds, bytes. Times are as the trace has them; a communication has one where
//   the trace was recorded.
// Quantiles: the smallest value that at least the share of all values does not exceed.
// Exposed: time in which a communication runs and no other operation of the GPU does, by recorded
//   begins; none: the trace has none.
// Critical path: the longest chain of dependencies by duration. Parallelism: the sum of all
//   durations over it.
// Errors: BadInput, as ChakraReader; a dependency on a node that is not there; a circle.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workload_files/trace_node.h"

namespace fredsim {

struct TraceTally {
  std::uint64_t count = 0, ps = 0, bytes = 0;
};

struct TraceQuantiles {
  static constexpr std::array kPercents{10, 50, 90, 99};
  std::uint64_t count = 0, max = 0;
  std::array<std::uint64_t, kPercents.size()> values{};
};
TraceQuantiles quantiles_of(std::vector<std::uint64_t> values);

struct TraceInfo {
  std::uint64_t nodes = 0, dependencies = 0;
  std::map<TraceNodeType, TraceTally> types{};
  std::map<std::pair<std::string, std::string>, TraceTally> collectives{};  // collective, group
  std::map<std::pair<bool, int>, TraceTally> lanes{};                       // on the CPU, stream
  TraceQuantiles durations{};  // of nodes with a duration
  TraceQuantiles sizes{};      // of communications
  std::optional<std::uint64_t> exposed_ps{};
  std::uint64_t work_ps = 0, critical_ps = 0;
  std::vector<TraceNode> longest{};  // ten at most, longest first
  double parallelism() const {
    return critical_ps == 0 ? 0 : static_cast<double>(work_ps) / static_cast<double>(critical_ps);
  }
};

// Nodes of a file, with the dependencies that count (workload_files/trace_check.h).
std::vector<TraceNode> read_trace_nodes(const std::string& path);
TraceInfo trace_info(const std::string& path, const std::vector<TraceNode>& nodes);

// Differences between two traces: "mm [3]: duration_ps: 5, 7"; nodes by name and position among
// equal names. `most`: differences that are listed.
struct TraceDifferences {
  std::uint64_t count = 0;
  std::vector<std::string> first{};
};
TraceDifferences trace_differences(const std::vector<TraceNode>& a, const std::vector<TraceNode>& b,
                                   std::size_t most = 20);

}  // namespace fredsim
