// SPDX-License-Identifier: Apache-2.0
// Nodes of one rank's profile with their dependencies (profile_graph.h says how they are made).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/kineto.h"
#include "workload_files/trace_node.h"

namespace fredsim {

enum class TraceRule : std::uint8_t {
  kStream,
  kLaunch,
  kThread,
  kAutograd,
  kEvent,
  kCollective,
  kSync
};
inline constexpr std::array<std::string_view, 7> kTraceRules{
    "stream", "launch", "thread", "autograd", "event", "collective", "sync"};

struct ProfileOptions {
  std::optional<std::pair<int, int>> steps{};  // first and last; none: the last whole one
  bool gpu_only = false;                       // leaves the CPU out
  bool unknown_is_compute = false;             // unknown collectives become computations
};

struct ProfiledNode {
  struct After {
    int node = 0;  // index
    TraceRule rule = TraceRule::kStream;
    Kineto::Ps end = 0;  // recorded time that it waits for
  };
  TraceNode node{};  // without `id`, which is the index, and without `after`
  Kineto::Ps begin = 0, end = 0;
  int lane = 0;   // index into lanes
  int call = -1;  // index into calls: communication
  std::vector<After> after{};
};

struct ProfileGraph {
  struct Lane {
    std::string name{};  // "stream 7", "CPU 2910249/2919752"
    bool is_cpu = false;
    int stream = -1;  // or number of the thread
  };
  std::vector<Lane> lanes{};
  std::vector<ProfiledNode> nodes{};  // dependencies first
  std::array<std::uint64_t, kTraceRules.size()> dependencies{};
  Kineto::Ps begin = 0, end = 0;  // of the steps, as recorded
  std::vector<int> steps{};
  std::uint64_t without_launch = 0, unknown_calls = 0;
};

}  // namespace fredsim
