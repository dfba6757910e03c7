// SPDX-License-Identifier: Apache-2.0
// A node of an execution trace: what one rank computes, loads, sends, receives or takes part in, and after what.
//
// Units: bytes, picoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim {

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

std::string_view to_string(TraceNodeType type);          // "COMP_NODE", as the format calls it
std::string_view to_string(TraceCollective collective);  // "ALL_REDUCE"

struct TraceNode {
  static constexpr int kNobody = -1;

  std::uint64_t id = 0;
  std::string name{};
  TraceNodeType type = TraceNodeType::kMetadata;
  std::vector<std::uint64_t>
      after{};  // ids of the same rank, ascending, each once: control and data dependencies
  std::uint64_t duration_ps = 0;
  bool on_cpu = false;
  std::uint64_t operations = 0;    // operations of a computation
  std::uint64_t tensor_bytes = 0;  // bytes that it, a load or a store moves
  // Communication.
  TraceCollective collective = TraceCollective::kAllReduce;
  std::uint64_t bytes = 0;  // all-gather: bytes that this rank gives
  int peer = kNobody;  // rank that is sent to or received from; root of a collective that has one
  std::uint32_t tag = 0;
  std::int64_t priority = 0;
  std::string group{};             // process group; empty: all ranks
  std::vector<bool> dimensions{};  // dimensions of the network that take part; empty: all
  // Traces that fredsim wrote (workload_files/trace_shapes.h).
  int shape = kNobody;      // shape that it is a part of
  int part = 0;             // the same
  std::uint64_t times = 1;  // repetitions; `bytes` are those of all
  std::string category{};   // category of its time; empty: as its priority says
  bool operator==(const TraceNode&) const = default;
};

}  // namespace fredsim
