// SPDX-License-Identifier: Apache-2.0
// Unicast paths computed by a kind of topology, by its own rule without levels or dimensions (for
// which see routing/online_routes.h). One path from every port of every endpoint by which its
// packets may go to every other endpoint, free of deadlock with one virtual channel; failed
// components are not avoided.
#pragma once

#include <cstdint>
#include <vector>

namespace fredsim {

class UnicastPaths {
 public:
  UnicastPaths() = default;
  virtual ~UnicastPaths() = default;
  UnicastPaths(const UnicastPaths&) = delete;
  UnicastPaths& operator=(const UnicastPaths&) = delete;

  // Output port of switch `chiplet` (a node's number) for packets to the endpoint of this address.
  virtual int port(int chiplet, std::uint16_t address) const = 0;
  // NIC ports of endpoint `from` (a node's number) whose paths to the endpoint of this address are
  // equally good, in order. Empty: all of its ports.
  virtual std::vector<int> nic_ports(int /*from*/, std::uint16_t /*address*/) const { return {}; }
};

}  // namespace fredsim
