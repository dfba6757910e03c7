// SPDX-License-Identifier: Apache-2.0
// Order of a GPU's operations where a recorded trace's dependencies lack it.
//
// A stream of a device runs its operations one after the other, in the order of their recorded
//   begins. An operation gets a dependency on the one before it, unless a chain of dependencies
//   leads to it already. Where begins contradict dependencies, dependencies hold; no circle arises.
// Operations: not of the CPU, with a stream and a begin above 0.
// Errors: as ChakraReader. The file must have passed the other checks of trace_check.h.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "workload_files/trace_node.h"

namespace fredsim {

// Operation before each in its stream, where the order was restored.
using StreamOrder = std::unordered_map<std::uint64_t, std::uint64_t>;

// True for an operation that has a place in a stream's order.
bool has_stream_place(const TraceNode& node);

StreamOrder restored_stream_order(const std::string& path, TraceDependencies dependencies);

}  // namespace fredsim
