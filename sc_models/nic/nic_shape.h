// SPDX-License-Identifier: Apache-2.0
// Shape of a NIC: its sizes, and the endpoints of its machine that it can send packets to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/vc_order.h"
#include "topology/topology.h"

namespace fredsim {

// Addresses of a machine's endpoints; one for all of its NICs.
class EndpointAddresses {
 public:
  explicit EndpointAddresses(const Topology& topology);
  bool has(std::uint16_t address) const { return address < known_.size() && known_[address]; }
  std::string text() const;  // "0 to 19, 64"

 private:
  void add(const Topology& topology);

  std::vector<bool> known_;
};

struct NicShape {
  int ports = 1;
  int lanes = 1;
  std::uint16_t address = 0;
  std::vector<std::uint16_t> port_addresses{};  // addresses of systems; empty: `address` at all
                                                // ports
  int receive_flits = 96;                       // receive buffer per port and VC
  int packet_flits = kPacketFlits;              // longest data packet
  VcOrder vc_order = kDefaultVcOrder;
  int queue_packets = 2;                                    // send queue per port and VC
  std::shared_ptr<const EndpointAddresses> destinations{};  // null: any
  // Rows of the phase store of the switch at each port; 0: none. Empty: any.
  std::vector<int> phases{};
  std::uint16_t address_of(int port) const {
    return port_addresses.empty() ? address : port_addresses[port];
  }
};

// Shape for an endpoint of a machine.
NicShape nic_shape(const Topology& topology, NodeId endpoint, int lanes,
                   std::shared_ptr<const EndpointAddresses> destinations);

}  // namespace fredsim
