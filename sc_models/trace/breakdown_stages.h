// SPDX-License-Identifier: Apache-2.0
// The stages of packets' paths through a topology, by which a breakdown is summed up, and the
// causes of their cycles.
//
// A stage is all nodes or links that are alike: on a grid "router" and the links between; in a tree
//   a level's switches on the way up, on the way down, and where the path turns; the sending NIC,
//   and the receiving one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

enum class DelayCause : std::uint8_t {
  kSource,         // waits for its turn, or for the window, before the NIC
  kQueue,          // queued behind other packets in the same buffer or queue
  kPhase,          // its phase is not in use
  kCredit,         // no room downstream
  kLink,           // link not ready
  kArbiter,        // lost arbitration, or held by the switch for a reason of its own
  kPipeline,       // pipeline latency of a flit that never waits
  kSerialisation,  // cycles beyond one per flit, due to the link's rate
  kLatency,        // latency of the link
  kFlits,          // flits behind the first one, a cycle each
  kGaps,           // gaps between flits
  kReceive,        // waits in the buffer of the destination's NIC
};
inline constexpr int kDelayCauses = 12;
inline constexpr std::array<std::string_view, kDelayCauses> kDelayCauseNames{
    "source",   "queue",         "phase",   "credit", "link", "arbiter",
    "pipeline", "serialisation", "latency", "flits",  "gaps", "receive"};

using CyclesByCause = std::array<std::uint64_t, kDelayCauses>;
constexpr std::uint64_t& count(CyclesByCause& cycles, DelayCause cause) {
  return cycles[static_cast<std::size_t>(cause)];
}

class BreakdownStages {
 public:
  explicit BreakdownStages(const Topology& topology);

  int count() const { return static_cast<int>(names_.size()); }
  const std::string& name(int stage) const { return names_[static_cast<std::size_t>(stage)]; }
  static constexpr int kNpu = 0, kSendingNic = 1;  // positions of the endpoints
  int receiving_nic() const { return count() - 1; }
  int link(int link) const { return of_link_[static_cast<std::size_t>(link)]; }
  int switch_between(NodeId node, int input, int output) const;

 private:
  enum class Direction : std::uint8_t { kUp, kTurn, kDown };

  Direction direction_of(NodeId node, int input, int output) const;

  const Topology& topology_;
  std::vector<std::string> names_;  // order of the path
  std::vector<int> of_link_;
  std::vector<std::array<int, 3>> of_level_;  // index: level and path
};

}  // namespace fredsim
