// SPDX-License-Identifier: Apache-2.0
// Execution traces as lanes of spans, and on a timeline (results/timeline.h).
//
// Lanes: a CPU's threads, then streams of the accelerator, each by number. Spans of a lane do not
//   overlap: what runs beside another operation of the same stream or thread is on a further lane
//   of it, "CPU thread 3 (2)". Nodes that take no time have no span.
// Timeline: a process per trace, a track per lane; times from the first begin of all traces on. An
//   arrow leads from an operation to each that waits for it, also through nodes without time; none
//   where the recording has the second begin before the first.
// Units: picoseconds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "results/timeline.h"
#include "workload_files/trace_begins.h"
#include "workload_files/trace_node.h"

namespace fredsim {

struct ShownTrace {
  std::string path{};
  std::vector<TraceNode> nodes{};
  TraceBegins begins{};
};
// Errors: as read_trace_nodes() and trace_begins().
ShownTrace shown_trace(const std::string& path);

struct TraceLane {
  bool on_cpu = false;
  int stream = TraceNode::kNobody;
  std::string name{};
  std::vector<std::size_t> nodes{};  // in order of begin
};
std::vector<TraceLane> trace_lanes(const ShownTrace& trace);

// Kinds of nodes that pictures tell apart.
enum class TraceKind : std::uint8_t { kCpu, kComputation, kMemory, kCommunication };
TraceKind trace_kind(const TraceNode& node);

// The first begin of an operation, over all.
std::uint64_t trace_origin(std::span<const ShownTrace> traces);

// Counts over all traces.
struct TraceTimelineCounts {
  std::uint64_t spans = 0, arrows = 0;
  std::uint64_t untimed = 0;   // nodes without a span
  std::uint64_t backward = 0;  // dependencies without an arrow
};
Timeline trace_timeline(std::span<const ShownTrace> traces, TraceTimelineCounts& counts);

}  // namespace fredsim
