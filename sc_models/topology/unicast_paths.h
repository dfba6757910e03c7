// SPDX-License-Identifier: Apache-2.0
// Paths of unicasts where a kind of topology lays them itself, by a rule of its own that needs no levels and no dimensions
// (routing/online_routes.h has those). One path from every port of every endpoint to every other endpoint, free of deadlock with one
// virtual channel; components that have failed are not gone round.
#pragma once

#include <cstdint>

namespace fredsim {

class UnicastPaths {
 public:
  UnicastPaths() = default;
  virtual ~UnicastPaths() = default;
  UnicastPaths(const UnicastPaths&) = delete;
  UnicastPaths& operator=(const UnicastPaths&) = delete;

  // Output port of switch `chiplet` (a node's number) for packets to the endpoint of this address.
  virtual int port(int chiplet, std::uint16_t address) const = 0;
};

}  // namespace fredsim
