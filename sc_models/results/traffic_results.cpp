// SPDX-License-Identifier: Apache-2.0
#include "results/traffic_results.h"

#include <algorithm>

namespace fredsim {

TrafficSaturation saturation_of(std::span<const TrafficPoint> points) {
  TrafficSaturation saturation;
  for (const TrafficPoint& point : points) {
    if (point.incomplete) continue;
    saturation.accepted = std::max(saturation.accepted, point.accepted);
    if (point.saturated && (!saturation.first_rate || point.rate < *saturation.first_rate)) {
      saturation.first_rate = point.rate;
    }
  }
  return saturation;
}

}  // namespace fredsim
