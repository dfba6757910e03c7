// SPDX-License-Identifier: Apache-2.0
// A node of an execution trace: one rank's computation, memory access, message or collective, with
// its dependencies.
//
// Units: bytes, picoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim {

// Dependencies that count. Recorded traces have the call stack as control dependencies, whose nodes
// may have been left out.
enum class TraceDependencies : std::uint8_t { kAll, kData };

// Numbers are those of the file format.
enum class TraceNodeType : std::uint8_t {
  kMetadata = 1,
  kLoad = 2,
  kStore = 3,
  kCompute = 4,
  kSend = 5,
  kReceive = 6,
  kCollective = 7,
};

enum class TraceCollective : std::uint8_t {
  kAllReduce = 0,
  kReduce = 1,
  kAllGather = 2,
  kGather = 3,
  kScatter = 4,
  kBroadcast = 5,
  kAllToAll = 6,
  kReduceScatter = 7,
  kReduceScatterBlock = 8,
  kBarrier = 9,
};

std::string_view to_string(TraceNodeType type);          // "COMP_NODE", the format's name
std::string_view to_string(TraceCollective collective);  // example: "ALL_REDUCE"
// Stream of a GPU or thread of a CPU: "stream 7", "no stream", "CPU thread 3", "CPU".
std::string trace_lane_text(bool on_cpu, int stream);

struct TraceNode {
  static constexpr int kNobody = -1;

  std::uint64_t id = 0;
  std::string name{};
  TraceNodeType type = TraceNodeType::kMetadata;
  std::vector<std::uint64_t>
      after{};  // ids of the same rank, ascending, each once: control and data dependencies
  std::vector<std::uint64_t> callers{};  // control dependencies, as the file has them
  std::uint64_t duration_ps = 0;
  std::uint64_t start_ps = 0;  // begin as recorded; 0: not recorded, or the beginning
  bool on_cpu = false;
  int stream = kNobody;            // stream of a GPU, or thread of a CPU; kNobody: not told
  int device = kNobody;            // GPU of the stream; kNobody: not told
  std::uint64_t operations = 0;    // operations of a computation
  std::uint64_t tensor_bytes = 0;  // bytes that it, a load or a store moves
  // Fields of communications.
  TraceCollective collective = TraceCollective::kAllReduce;
  std::uint64_t bytes = 0;  // all-gather: bytes contributed by this rank
  int peer = kNobody;       // peer of a send or receive; root of a collective with one
  std::uint32_t tag = 0;
  std::int64_t priority = 0;
  std::string group{};  // process group; empty: all ranks
  // All-to-all: bytes to each place of the group, itself included, whose sum is `bytes`; empty:
  // equal shares.
  std::vector<std::uint64_t> splits{};
  std::vector<bool> dimensions{};  // dimensions of the network that take part; empty: all
  // Fields in traces written by fredsim (workload_files/trace_shapes.h).
  int shape = kNobody;      // shape that it is a part of
  int part = 0;             // part of the shape
  std::uint64_t times = 1;  // repetitions; `bytes` includes all
  std::string category{};   // category of its time; empty: follows from its priority
  bool operator==(const TraceNode&) const = default;
};

inline bool is_communication(const TraceNode& node) { return node.type >= TraceNodeType::kSend; }

}  // namespace fredsim
