// SPDX-License-Identifier: Apache-2.0
// The breakdown of the packets of synthetic traffic (packet_follower.h) that are created in the
// window: from the cycle of creation, taken from their tags, to the cycle in which the last flit is
// consumed; in request-reply traffic of the requests alone.
//
// Check: packets and their latencies equal the nodes' own counts.
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

  void begin_set_up() { begin(); }            // call with a fabric that has been reset
  void begin_run(const TrafficMeter& meter);  // call before cycle 0; uses the meter's window
  // `counted`: the nodes' latencies. RunFailed if the check fails.
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
