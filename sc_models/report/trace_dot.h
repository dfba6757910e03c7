// SPDX-License-Identifier: Apache-2.0
// Nodes of an execution trace and their dependencies as a graph: in Graphviz's DOT, as SVG drawn by
// its program `dot`, and as GraphML.
//
// Choice: the nodes within `depth` dependencies of one, in either direction, nearest first; without
//   one all nodes, by begin. The first `most` of them are taken; edges are the dependencies between
//   these nodes.
// Picture: boxes are operations of a CPU, rounded ones computations, cylinders loads and stores,
//   ellipses communications, each with its lane and duration.
// GraphML: attributes name, type, lane, begin_ps, duration_ps, bytes, collective and group of nodes.
// Errors: BadInput with --from for a node that is not there, with --graph if `dot` is not installed
//   or fails.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/trace_timeline.h"

namespace fredsim {

inline constexpr std::size_t kMostDrawnNodes = 2000;  // in a picture

struct TraceGraphChoice {
  std::string from{};  // id, name or "name [2]", the third of that name; empty: all nodes
  std::uint64_t depth = 0;
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

struct TraceSubgraph {
  std::vector<std::size_t> nodes{};                          // nodes of the trace
  std::vector<std::pair<std::size_t, std::size_t>> edges{};  // from what is waited for
  std::optional<std::size_t> from{};
  std::uint64_t left_out = 0;  // nodes of the choice
};
TraceSubgraph trace_subgraph(const ShownTrace& trace, const TraceGraphChoice& choice);

std::string trace_dot(const ShownTrace& trace, const TraceSubgraph& graph);
std::string trace_graphml(const ShownTrace& trace, const TraceSubgraph& graph);
std::string svg_of_dot(const std::string& dot);

}  // namespace fredsim
