// SPDX-License-Identifier: Apache-2.0
// Operations of a trace of ours, where what Chakra says of a collective is not all of it.
//
// The training graph plans the collectives of several groups together, since they share the phases of the switches. A trace
//   that was written from it (workload/trace_export.h) says so in an attribute of its metadata, `fredsim_shapes`, a JSON
//   object of shapes by number; nodes name theirs by `fredsim_shape` and `fredsim_part`. Other tools skip these.
// Shape: {"before": [PART, …], "work": [PART, …], "beside": [PART, …]}; what is before and beside the work is planned with it,
//   but not run.
// PART: {"group": "0", "collective": "all_reduce", "bytes": 4096, "priority": 2, "root": 0, "roots": 0, "algorithm": "paper"};
//   of an all_to_all_v also "matrix": [0, 512, …], bytes from rank to rank, row by row.
//   `group` is one of the file of groups, `root` a place in it, all else as CollectiveSpec means it.
// Errors: BadInput with `place`: no JSON of this form, what was found and what is allowed.
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
  std::vector<std::uint64_t> matrix{};  // all_to_all_v
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
