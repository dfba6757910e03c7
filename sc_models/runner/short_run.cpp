// SPDX-License-Identifier: Apache-2.0
#include "runner/short_run.h"

#include <set>
#include <utility>

#include "base/error.h"
#include "flow/flow_traffic.h"
#include "plan/link_load.h"
#include "runner/flow_results.h"
#include "runner/shape_surplus.h"

namespace fredsim {

bool is_short(const Topology& topology, std::span<const IssuedPlan> issued) {
  std::uint64_t hops = 0;
  for (const IssuedPlan& one : issued) {
    if (one.times == 0) continue;
    const std::uint64_t more = flit_hops(topology, one.plan->plan);
    if (more > (kMaxShapeHops - hops) / one.times) return false;
    hops += one.times * more;
  }
  return true;
}

RunResult flow_result_of(const Topology& topology, std::span<const IssuedPlan> issued,
                         RunResult exact) {
  if (exact.incomplete) throw Interrupted("interrupted while flows were calibrated");
  FlowTraffic traffic = no_traffic(topology);
  std::set<std::uint64_t> sizes;
  for (const IssuedPlan& one : issued) {
    if (one.times == 0) continue;
    add_traffic(flow_traffic(topology, one.plan->plan), one.times, traffic);
    for (const Part& part : one.plan->plan.parts) sizes.insert(part.bytes);
  }
  RunResult result = flow_result_of(topology, traffic, std::move(exact));
  result.flow->error->sizes.assign(sizes.begin(), sizes.end());
  return result;
}

}  // namespace fredsim
