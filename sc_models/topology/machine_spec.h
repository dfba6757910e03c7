// SPDX-License-Identifier: Apache-2.0
// Fabric-independent description of a machine. Builders make a topology of it and of the parameters
// of their fabric (topology/<kind>/<kind>.h).
//
// Units: bandwidths in bytes/s per direction, latencies in ps, clock in Hz; a link's rate
//   becomes an exact rational of flits per cycle, its latency is rounded up to cycles
//   (Topology::notes says so).
// Node ids: NPUs first, then switches, then I/O controllers.
// Errors: BadInput naming the configuration key (config.h) whose value does not work out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/switch_wires.h"
#include "topology/topology.h"

namespace fredsim {

struct MachineSpec {
  std::string name;
  bool clock_is_auto = false;  // clock_hz is a minimum, raised if a link needs it
  std::uint64_t clock_hz = 0;
  int npus = 0;
  std::uint64_t npu_bandwidth = 0;  // per NPU, over all its NIC ports
  int io_controllers = 0;
  std::uint64_t io_bandwidth = 0;  // per I/O controller; > 0 where there are any
  std::uint64_t link_latency_ps = 0;
  BufferShape buffers;
  int packet_flits = kPacketFlits;  // longest data packet
  VcOrder vc_order = kDefaultVcOrder;
  FpFormat format = FpFormat::kFp16;
  std::vector<NamedValue> switch_values{};  // Topology
  std::vector<NamedValue> own_values{};     // Topology
  std::string rtl_top;                      // top module of a user's own switch RTL; empty: ours
  std::string switch_kind{};                // empty: the topology kind's default
  SwitchWires wires{};
};

}  // namespace fredsim
