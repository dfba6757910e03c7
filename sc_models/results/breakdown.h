// SPDX-License-Identifier: Apache-2.0
// Breakdown of packet latencies: results of `--breakdown`. Covers every packet that was delivered:
// from the cycle in which it was handed to its NIC (synthetic traffic: created) to the one in which
// its last flit was taken by the NIC at the other end. The parts of a packet add up to its latency,
// to the cycle; a run in which they do not fails. Means are over all packets, also over those that
// did not come by the stage, so that they add up to the mean latency. The path of a sum is that of
// the operand that came last, switch by switch; the path of a distribution is that of the copy.
//
// Of every packet that was delivered: from the cycle in which it was handed to its NIC (synthetic
//   traffic: created) to the one in which its last flit was taken by the NIC at the other end. The
//   parts of a packet add up to its latency, to the cycle; a run in which they do not fails.
// Means are over all packets, also over those that did not come by the stage, so that they add up
//   to the mean latency.
// The path of a sum is that of the operand that came last, switch by switch; the path of a
//   distribution, that of the copy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fredsim {

using NamedCycles =
    std::vector<std::pair<std::string, std::uint64_t>>;  // by cause; those that are not zero

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

// "L1 up": all switches, links or NICs of packets' paths that are alike in a machine.
struct BreakdownStage {
  std::string name;
  double visits = 0;                   // per packet
  std::vector<BreakdownCause> causes;  // those with cycles
  // Switches that add: operands that joined, and how long they waited there for the last one.
  std::uint64_t operands = 0;
  CycleFigures join;
};

// A NIC or switch with the link behind it, or the NIC at the end.
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

// From the start of a collective to its end, by the packets that its last result waited for.
struct PathBreakdown {
  std::uint64_t cycles = 0;   // duration of the collective
  std::uint64_t packets = 0;  // one after the other
  std::vector<std::pair<std::string, NamedCycles>> stages;
};

struct LatencyBreakdown {
  std::string work;  // "all_reduce in_switch"; empty: synthetic traffic
  std::uint64_t packets = 0;
  CycleFigures latency;
  std::vector<BreakdownStage> stages;       // in the order of the path
  std::optional<PacketBreakdown> critical;  // the packet that was delivered last
  std::optional<PathBreakdown> path;
  std::vector<PacketBreakdown> listed;  // --trace-packets
};

}  // namespace fredsim
