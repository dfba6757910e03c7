// SPDX-License-Identifier: Apache-2.0
// Breakdown of packet latencies by stage and cause: results of `--breakdown`.
//
// Coverage: every packet that was delivered, from the cycle in which it was handed to its NIC
//   (synthetic traffic: created) to the one in which its last flit was taken by the NIC at the
//   other end. The parts of a packet add up to its latency, to the cycle; a run in which they do
//   not fails.
// Means: over all packets, including packets that did not pass the stage, so that they add up to
//   the mean latency.
// Paths: the path of a sum is the path of the operand that arrived last, switch by switch; the path
//   of a distribution is the path of the copy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fredsim {

using NamedCycles =
    std::vector<std::pair<std::string, std::uint64_t>>;  // cycles by cause, without zeros

struct CycleFigures {
  double mean = 0;
  std::uint64_t p50 = 0, p99 = 0, max = 0;
};

struct BreakdownCause {
  std::string name;  // "arbiter"
  CycleFigures cycles;
  double share = 0;         // fraction of the sum of latencies
  std::uint64_t total = 0;  // cycles of all packets
};

// Stage of a path, such as "L1 up": all equivalent switches, links or NICs of a machine.
struct BreakdownStage {
  std::string name;
  double visits = 0;                   // per packet
  std::vector<BreakdownCause> causes;  // causes with cycles
  // Switches that add: operands that joined, and their wait for the last operand.
  std::uint64_t operands = 0;
  CycleFigures join;
};

// Hop of a packet: a NIC or switch with the link behind it, or the NIC at the end.
struct PacketHop {
  std::string place;  // "l1_0.s0", "l1_0.s0.4->l2.s0.c0.1"
  std::string stage;
  std::uint64_t begin = 0;  // cycle of the run
  NamedCycles causes;
};

struct PacketBreakdown {
  std::string name;  // "tree 3 #17"
  std::string source, destination;
  std::uint64_t begin = 0, end = 0;  // cycles of the run
  std::vector<PacketHop> hops;
};

// Critical path of a collective from its start to its end: the packets that its last result waited
// for.
struct PathBreakdown {
  std::uint64_t cycles = 0;   // duration of the collective
  std::uint64_t packets = 0;  // number of packets on the path
  std::vector<std::pair<std::string, NamedCycles>> stages;
};

struct LatencyBreakdown {
  std::string work;  // "all_reduce in_switch"; empty: synthetic traffic
  std::uint64_t packets = 0;
  CycleFigures latency;
  std::vector<BreakdownStage> stages;       // stages in the order of the path
  std::optional<PacketBreakdown> critical;  // the packet that was delivered last
  std::optional<PathBreakdown> path;
  std::vector<PacketBreakdown> listed;  // --trace-packets
};

}  // namespace fredsim
