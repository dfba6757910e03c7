// SPDX-License-Identifier: Apache-2.0
#include "plan/channels.h"

#include <algorithm>

namespace fredsim {

std::vector<int> channels_of(const Topology& topology, const Plan& plan, int part) {
  const int own = plan.parts[part].vc;
  std::vector<int> channels;
  std::vector<int> free;  // since the last channel that is a part's priority
  for (const int vc : topology.vc_order) {
    if (vc == kControl) continue;
    if (std::ranges::none_of(plan.parts, [&](const Part& p) { return p.vc == vc; })) {
      free.push_back(vc);
      continue;
    }
    if (vc == own) {
      channels = std::move(free);
      channels.push_back(vc);
    } else if (!channels.empty()) {
      return channels;  // free VCs in between belong to that part
    }
    free.clear();
  }
  channels.insert(channels.end(), free.begin(), free.end());
  return channels;
}

}  // namespace fredsim
