// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic_breakdown.h"

#include <fmt/format.h>

#include "base/error.h"

namespace fredsim {

TrafficBreakdown::TrafficBreakdown(const BreakdownOptions& options, const FabricCore& core,
                                   const Topology& topology, SwitchCores switches)
    : PacketFollower(core, topology, switches, 1),
      statistics_(stages().count()),
      list_(options),
      cycles_(stages().count()) {}

void TrafficBreakdown::begin_run(const TrafficMeter& meter) {
  meter_ = &meter;
  first_ = core().edge();
  statistics_ = BreakdownStatistics(stages().count());
  list_.clear();
}

std::uint64_t TrafficBreakdown::handed_over(NodeId /*node*/, int /*port*/, const FlitHeader& head) {
  return first_ + (meter_->feeder != nullptr ? meter_->feeder->creation(head.tag) : head.tag);
}

void TrafficBreakdown::delivered(const Delivery& packet) {
  if (packet.header.vc != kDp) return;  // a reply
  const std::uint64_t creation = packet.handed - first_;
  if (creation < meter_->window_begin || creation >= meter_->window_end) return;
  cycles_.clear();
  visits_.clear();
  add_up(packet, cycles_, visits_);
  statistics_.add(packet.latency(), cycles_, visits_, 1);
  if (!list_.wants(packet.latency())) return;
  PacketBreakdown shown = describe(packet, first_);
  shown.name = fmt::format("{} to {}, created in {}", shown.source, shown.destination, creation);
  list_.add(std::move(shown));
}

LatencyBreakdown TrafficBreakdown::result(const LatencyHistogram& counted) const {
  if (statistics_.packets() != counted.count() || statistics_.latencies() != counted.sum()) {
    throw RunFailed(fmt::format(
        "breakdown: the nodes count {} packets with {} cycles, but the breakdown has {} with {}",
        counted.count(), counted.sum(), statistics_.packets(), statistics_.latencies()));
  }
  LatencyBreakdown breakdown = statistics_.result(stages());
  breakdown.listed = list_.packets();
  return breakdown;
}

}  // namespace fredsim
