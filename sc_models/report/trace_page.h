// SPDX-License-Identifier: Apache-2.0
// Data of the report's page for execution traces: each stream and thread as recorded, beside the
// same operations as simulated.
//
// Simulated: spans of a timeline that `train --trace … --timeline FILE.json` wrote, its first
//   iteration, a machine per process of the timeline. Operations are matched by rank and id of the
//   node. A trace's rank is the number in its name, PREFIX.3.et, else its place.
// Form: {"machines": [name, …], "ranks": [{"name", "rank", "recorded", "names": [text, …], "lanes":
//   [{"name", "spans": [[name, kind, begin, duration, begin and duration by machine or null, …]]}]}]}
//   with indices of names and TraceKind; times in ns from the first begin of all traces on.
// Errors: BadInput with --simulated and the file for one that is no such timeline, or has no
//   operation of the traces; with --page for more operations than a page holds.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/trace_timeline.h"

namespace fredsim {

struct SimulatedMachine {
  std::string name{};
  // Begin and end in ns, by rank and id of the node.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<double, double>> operations{};
};
std::vector<SimulatedMachine> simulated_machines(const std::string& path, const std::string& text);

inline constexpr std::size_t kMostPageSpans = 200'000;

struct TracePageData {
  nlohmann::ordered_json json{};
  std::uint64_t spans = 0;
  std::vector<std::uint64_t> simulated{};  // simulated operations, by machine
};
TracePageData trace_page_data(std::span<const ShownTrace> traces,
                              std::span<const SimulatedMachine> machines);

}  // namespace fredsim
