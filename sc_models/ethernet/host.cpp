// SPDX-License-Identifier: Apache-2.0
#include "ethernet/host.h"

#include <algorithm>
#include <cmath>

namespace fredsim {

bool QueuePair::has_window(const EthernetSettings& settings, const ControlledPath& path,
                           Picoseconds now) {
  if (settings.window == EthernetWindow::kNone) return true;
  const double rate = settings.window == EthernetWindow::kBdp ? path.line_rate : control->rate(now);
  const double window = rate * static_cast<double>(path.longest) / 8e12;
  const auto in_flight = static_cast<double>(next - acknowledged);
  return in_flight < std::max(window, static_cast<double>(settings.mtu));
}

void QueuePair::pace(std::uint32_t bytes, double line_rate, Picoseconds now) {
  const double rate = control->rate(now);
  if (rate >= line_rate) return;  // the port itself is busy that long
  next_at = now + static_cast<Picoseconds>(std::ceil(static_cast<double>(bytes) * 8e12 / rate));
}

std::uint64_t QueuePair::take(std::uint64_t offset, std::uint32_t payload,
                              const EthernetSettings& settings) {
  if (offset < expected) return 0;
  const std::uint64_t before = expected;
  if (!settings.any_order) {
    if (offset == expected) expected += payload;
    return expected - before;
  }
  early[offset] = payload;
  while (!early.empty() && early.begin()->first == expected) {
    expected += early.begin()->second;
    early.erase(early.begin());
  }
  return expected - before;
}

}  // namespace fredsim
