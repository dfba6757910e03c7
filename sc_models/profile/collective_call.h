// SPDX-License-Identifier: Apache-2.0
// A call of torch.distributed as a profile records it, and its meaning in an execution trace.
//
// Names of collectives differ between versions and wrappers of PyTorch; one table maps them
// (collective_call.cpp). Sizes come from element counts and types, never from a kernel's name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload_files/trace_node.h"

namespace fredsim {

struct CollectiveCall {
  std::string name{};   // as recorded: "allreduce", "_allgather_base", "wait"
  std::string dtype{};  // "Float", "BFloat16"; empty: unknown
  std::uint64_t in_elements = 0, out_elements = 0;
  std::uint64_t element_bytes = 0;                       // from the host's trace; 0: from dtype
  std::vector<std::uint64_t> in_splits{}, out_splits{};  // elements by peer; empty: equal
  std::string group{};                                   // name of the process group
  std::vector<int> ranks{};                              // its ranks; empty: not told
  int start = -1, stride = 0, size = 0;                  // its ranks, where they have a stride
  int peer = TraceNode::kNobody;                         // of a send or receive: place in the group
};

// Meaning of a name: type of node and, of a collective, its kind.
struct CollectiveMeaning {
  TraceNodeType type = TraceNodeType::kCollective;
  TraceCollective collective = TraceCollective::kAllReduce;
  // Bytes of the node (workload/trace_graph.h): of the rank's input, or of its output.
  enum class Bytes : std::uint8_t { kInput, kOutput } bytes = Bytes::kInput;
};

// None: the name is unknown. Names are compared without case, `_` and `c10d::`.
std::optional<CollectiveMeaning> meaning_of(std::string_view name);
// True for calls that move no data: "wait", "init", "coalesced" markers.
bool is_marker(std::string_view name);
// Bytes of an element of a type by PyTorch's name ("Float", "c10::BFloat16", "float"); 0: unknown.
std::uint64_t bytes_of_type(std::string_view dtype);

// Ranks of the call's group among `world` ranks, ascending as recorded; empty: not told.
std::vector<int> ranks_of(const CollectiveCall& call);

}  // namespace fredsim
