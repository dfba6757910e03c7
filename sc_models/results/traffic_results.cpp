// SPDX-License-Identifier: Apache-2.0
#include "results/traffic_results.h"

namespace fredsim {

TrafficSaturation saturation_of(std::span<const TrafficPoint> points) {
  TrafficSaturation saturation;
  for (const TrafficPoint& point : points) {
    if (point.incomplete) continue;
    if (point.accepted > saturation.accepted) {
      saturation.accepted = point.accepted;
      saturation.accepted_rate = point.rate;
    }
    if (point.saturated && (!saturation.first_rate || point.rate < *saturation.first_rate)) {
      saturation.first_rate = point.rate;
      saturation.first_accepted = point.accepted;
    }
  }
  return saturation;
}

}  // namespace fredsim
