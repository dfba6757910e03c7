// SPDX-License-Identifier: Apache-2.0
// The breakdown of the packets of synthetic traffic (packet_follower.h) that are created in the window: from the cycle
// of creation, which their tags tell, to the one in which the last flit is consumed.
//
// Check: packets and their latencies are those that the nodes count by themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/breakdown_statistics.h"
#include "trace/packet_follower.h"
#include "trace/packet_list.h"
#include "traffic/traffic_node.h"

namespace fredsim {

class TrafficBreakdown final : public PacketFollower {
 public:
  TrafficBreakdown(const BreakdownOptions& options, const FabricCore& core,
                   const Topology& topology, SwitchCores switches);

  void begin_set_up() { begin(); }            // for a fabric that has been reset
  void begin_run(const TrafficMeter& meter);  // before the edge of cycle 0; for its window
  // `counted`: by the nodes. RunFailed where the check fails.
  LatencyBreakdown result(const LatencyHistogram& counted) const;

 protected:
  std::uint64_t handed_over(NodeId node, int port, const FlitHeader& head) override;
  void delivered(const Delivery& packet) override;
  void joined(int /*stage*/, const FlitHeader& /*flit*/, std::uint64_t /*cycles*/) override {}
  std::uint64_t handing_over() const override { return 0; }

 private:
  const TrafficMeter* meter_ = nullptr;
  std::uint64_t first_ = 0;
  BreakdownStatistics statistics_;
  PacketList list_;
  StageCycles cycles_;  // cycles of the packet under examination
  std::vector<int> visits_;
};

}  // namespace fredsim
