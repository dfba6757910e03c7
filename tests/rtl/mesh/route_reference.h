// SPDX-License-Identifier: Apache-2.0
// X-Y routing on a mesh or torus, from the contract of rtl/common/route_select.sv: by counting the
// hops either way.
//
// Ports: north, east, south, west, local ones, I/O ones. North is y - 1, east is x + 1.
#pragma once

#include <optional>

namespace tb {

constexpr int kNorth = 0, kEast = 1, kSouth = 2, kWest = 3, kFirstLocal = 4;

struct Router {
  int x = 0, y = 0;
  int columns = 0, rows = 0;  // sides of the rings; 0: none
  int locals = 1, ios = 0;
  unsigned no_link = 0;  // local ports, a bit each
};

struct Destination {
  int x = 0, y = 0, endpoint = 0;
  unsigned address() const {
    return static_cast<unsigned>(x) | static_cast<unsigned>(y) << 6 |
           static_cast<unsigned>(endpoint) << 12;
  }
};

// Hops along one dimension, to higher coordinates or to lower ones; none: no such path.
std::optional<int> hops(int from, int to, int side, bool upwards);

// Output port of a packet that came in by `in_port`; none: it has no route.
std::optional<int> expected_port(const Router& router, const Destination& to, int in_port);

}  // namespace tb
