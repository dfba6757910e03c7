// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic on a fabric: latency and throughput against the offered load.
//
// Measurement: warm-up, then a window; packets created in the window are measured, and the run goes
//   on, with traffic still offered, until all of them have arrived or 10 windows and 10 000 cycles
//   more have passed; then sources stop, the fabric drains and its balance is checked. In
//   request-reply traffic a packet is an exchange: it is created with its request and has arrived
//   with its reply.
// Rates in flits per cycle and sending node, replies included (a node that is its own partner in the
//   pattern sends nothing and does not count): offered = created in the window, accepted = consumed
//   in the window. In a matrix, a node's rate is its row's sum times the rate that is asked for.
// Saturated: not all measured packets arrived, or less than 95 % of the offered flits were
//   accepted, and the shortfall is beyond chance: more than 3 standard deviations of the difference
//   of two counts of that many packets.
// Errors: as TrafficFabric; BadInput for a pattern in which no node sends, bursts that cannot have
//   the rate.
#pragma once

#include <cstdint>
#include <vector>

#include "traffic/creation_process.h"
#include "traffic/traffic_fabric.h"

namespace fredsim {

class TrafficRun final : public TrafficFabric {
 public:
  // The topology must outlive the run. With threads, switches of the factory must share no state
  // that is written (FabricOptions::own_contexts). BadInput for more threads than switches.
  TrafficRun(const Topology& topology, const TrafficOptions& options, const SwitchFactory& factory);
  // Uses this cut, regardless of the number of threads; partitions take turns on one thread. Each
  // of several processes has its share, and all make the same calls.
  TrafficRun(const Topology& topology, const TrafficOptions& options, const SwitchFactory& factory,
             const Cut& cut);
  TrafficRun(const Topology& topology, const TrafficOptions& options, const SwitchFactory& factory,
             const RankedCut& cut);

  TrafficSetup setup() const override;

  // A step of measure(), of a rate kMinTrafficRate … injection_limit(): resets the fabric, sets its
  // switches up and starts sources at cycle 0.
  void start(double rate);

 private:
  void start_sources(double rate);
  TrafficPoint measure_once(double rate, const OnProgress& on_progress) override;
  double forecast_end(double rate) const override;
  bool falls_short(const CreatedPackets& created, std::uint64_t consumed) const;

  TrafficPattern pattern_;
  std::vector<CreationProcess> processes_;  // index: rank in a matrix, else one
};

}  // namespace fredsim
