// SPDX-License-Identifier: Apache-2.0
#include "route_reference.h"

namespace tb {
namespace {

bool goes_upwards(int from, int to, int side) {
  const std::optional<int> up = hops(from, to, side, true), down = hops(from, to, side, false);
  if (!up || !down) return up.has_value();
  return *up == *down ? from % 2 == 0 : *up < *down;
}

}  // namespace

std::optional<int> hops(int from, int to, int side, bool upwards) {
  int count = 0;
  for (int at = from; at != to; ++count) {
    at += upwards ? 1 : -1;
    if (side != 0) at = (at + side) % side;
    if (at < 0 || at > 63) return std::nullopt;
  }
  return count;
}

std::optional<int> expected_port(const Router& router, const Destination& to, int in_port) {
  int port = 0;
  if (to.x != router.x) {
    port = goes_upwards(router.x, to.x, router.columns) ? kEast : kWest;
  } else if (to.y != router.y) {
    port = goes_upwards(router.y, to.y, router.rows) ? kSouth : kNorth;
  } else if (to.endpoint != 0) {
    if (to.endpoint > router.ios) return std::nullopt;
    return kFirstLocal + router.locals + to.endpoint - 1;
  } else {
    const int mirrored = in_port < kFirstLocal ? in_port : in_port - kFirstLocal;
    int local = mirrored % router.locals;
    for (int left = router.locals; left > 0 && (router.no_link >> local & 1U) != 0; --left)
      local = (local + 1) % router.locals;
    return kFirstLocal + local;
  }
  if (port == in_port) return std::nullopt;  // back where it came from
  return port;
}

}  // namespace tb
