// SPDX-License-Identifier: Apache-2.0
#include "support/traces.h"

#include <fstream>

#include "base/error.h"
#include "workload_files/chakra_reader.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
}

void write_trace(const std::string& path, const std::vector<TraceNode>& nodes) {
  ChakraWriter writer;
  for (const TraceNode& node : nodes) writer.add(node);
  write_file(path, writer.text());
}

std::vector<TraceNode> read_trace(const std::string& path) {
  ChakraReader reader(path);
  std::vector<TraceNode> nodes;
  TraceNode node;
  while (reader.next(node)) nodes.push_back(node);
  return nodes;
}

std::string refusal_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const BadInput& refusal) {
    return refusal.what();
  }
  return "";
}

TraceNode compute_node(std::uint64_t id, std::vector<std::uint64_t> after) {
  return {.id = id, .name = "c", .type = TraceNodeType::kCompute, .after = std::move(after)};
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes.push_back(static_cast<char>((value & 127) | 128));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string varint_field(int number, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}

std::string bytes_field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string delimited(const std::string& message) { return varint(message.size()) + message; }

}  // namespace fredsim
