// SPDX-License-Identifier: Apache-2.0
#include "workload_files/trace_node.h"

#include <fmt/format.h>

#include <array>

#include "workload_files/node_place.h"

namespace fredsim {

std::string_view to_string(TraceNodeType type) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE",
       "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"});
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view to_string(TraceCollective collective) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL",
       "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"});
  return kNames[static_cast<std::size_t>(collective)];
}

std::string trace_lane_text(bool on_cpu, int stream) {
  if (on_cpu) return stream == TraceNode::kNobody ? "CPU" : fmt::format("CPU thread {}", stream);
  return stream == TraceNode::kNobody ? "no stream" : fmt::format("stream {}", stream);
}

std::string node_place(std::string_view path, std::uint64_t id, std::string_view name,
                       std::string_view field) {
  return fmt::format("{}: node {}{}: {}", path, id, name.empty() ? "" : fmt::format(" ({})", name),
                     field);
}

}  // namespace fredsim
