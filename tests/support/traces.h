// SPDX-License-Identifier: Apache-2.0
// Traces for tests: files of nodes, and messages encoded by hand, byte by byte.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "workload_files/trace_node.h"

namespace fredsim {

void write_file(const std::string& path, const std::string& bytes);
void write_trace(const std::string& path, const std::vector<TraceNode>& nodes);
std::vector<TraceNode> read_trace(const std::string& path);
// Message of BadInput; empty if nothing was thrown.
std::string refusal_of(const std::function<void()>& what);

TraceNode compute_node(std::uint64_t id, std::vector<std::uint64_t> after = {});

// Protocol buffers' wire format, owing nothing to the library.
std::string varint(std::uint64_t value);
std::string varint_field(int number, std::uint64_t value);
std::string bytes_field(int number, const std::string& bytes);
std::string delimited(const std::string& message);

}  // namespace fredsim
