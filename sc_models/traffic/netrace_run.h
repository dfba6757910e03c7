// SPDX-License-Identifier: Apache-2.0
// Replays a trace of Netrace (netrace_file.h) on a fabric, with its dependencies.
//
// Nodes: node n of the trace is rank n. A packet waits at its source until its cycle of the trace
//   has come and all packets that it depends on have arrived; it can leave at the edge after the
//   last of them. Packets of a node to itself arrive after one cycle, without the fabric.
// Lengths: bytes of the packet's type over the bytes of a flit, rounded up.
// Measurement: all packets, from the first cycle until the fabric has drained. Latency counts from
//   the cycle at which a packet could leave. Rates are of the nodes that send, over the cycles of
//   the trace (offered) and of the replay (accepted).
//   A replay is never called saturated: how much longer it takes than the trace says it.
// Memory: the packets that have been read and have not arrived.
// Errors: as TrafficFabric; BadInput as NetraceFile, and for fewer NPUs than nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "traffic/netrace_file.h"
#include "traffic/traffic_fabric.h"

namespace fredsim {

struct NetraceOptions {
  std::string file{};  // empty: none
  std::optional<int> region{};
  int flit_bytes = kFlitBytes;
};

class NetraceRun final : public TrafficFabric {
 public:
  // One partition, one process.
  NetraceRun(const Topology& topology, const TrafficOptions& options, const NetraceOptions& netrace,
             const SwitchFactory& factory);
  ~NetraceRun() override;

  TrafficSetup setup() const override;
  double offered() const;  // the rate of the trace

 private:
  class Feeder;

  TrafficPoint measure_once(double rate, const OnProgress& on_progress) override;
  double forecast_end(double rate) const override;
  double node_cycles(std::uint64_t cycles) const;

  NetraceOptions netrace_;
  NetraceFacts facts_;
  std::unique_ptr<Feeder> feeder_;
};

}  // namespace fredsim
