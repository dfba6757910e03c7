// SPDX-License-Identifier: Apache-2.0
// Paths of unicasts where a kind of topology lays them itself, by a rule of its own that needs no
// levels and no dimensions (routing/online_routes.h has those). One path from every port of every
// endpoint by which its packets may go to every other endpoint, free of deadlock with one virtual
// channel; components that have failed are not gone round.
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
  // equally good, in order. Empty: all that it has.
  virtual std::vector<int> nic_ports(int /*from*/, std::uint16_t /*address*/) const { return {}; }
};

}  // namespace fredsim
