// SPDX-License-Identifier: Apache-2.0
// Shapes of operations in a trace written by fredsim, beyond Chakra's description of a collective.
//
// The training graph plans the collectives of several groups together, since they share the phases
//   of the switches. A trace written from it (workload/trace_export.h) describes this in an
//   attribute of its metadata, `fredsim_shapes`, a JSON object of shapes by number; nodes refer to
//   theirs by `fredsim_shape` and `fredsim_part`. Other tools skip these.
// Shape: {"before": [PART, …], "work": [PART, …], "beside": [PART, …]}; the parts before and beside
//   the work are planned with it, but not run.
// PART: {"group": "0", "collective": "all_reduce", "bytes": 4096, "priority": 2, "root": 0,
//   "roots": 0, "algorithm": "paper"}; for an all_to_all_v also "matrix": [0, 512, …], bytes from
//   rank to rank, row by row. `group` is one of the file of groups, `root` a place in it, the other
//   fields as in CollectiveSpec.
// Errors: BadInput with `place`: no JSON of this form, with the value found and the allowed ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fredsim {

struct TracePart {
  std::string group, collective;
  std::uint64_t bytes = 0;
  std::int64_t priority = 0;
  int root = 0, roots = 0;
  std::string algorithm;
  std::vector<std::uint64_t> matrix{};  // all_to_all_v only
  bool operator==(const TracePart&) const = default;
};

struct TraceShape {
  std::vector<TracePart> before, work, beside;
  bool operator==(const TraceShape&) const = default;
};

using TraceShapes = std::map<int, TraceShape>;

std::string trace_shapes_text(const TraceShapes& shapes);
TraceShapes parse_trace_shapes(const std::string& place, const std::string& text);

}  // namespace fredsim
