// SPDX-License-Identifier: Apache-2.0
#include "runner/flow_results.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/part_results.h"
#include "engine/run_counts.h"
#include "flow/flow_run.h"
#include "flow/system_flows.h"
#include "plan/link_load.h"

namespace fredsim {
namespace {

template <class PlanOfForm>
FlowRun as_flows(const Topology& topology, const PlanOfForm& plan, const std::vector<Part>& parts,
                 std::span<const double> offset, const FlowLifts& lifts) {
  FlowRun run;
  FlowTimes times;
  run_timed([&] { times = run_flows(topology, plan, offset, lifts); }, run.result);
  run.end = times.end;
  fill_flow_run(topology, times.end, run.result);
  run.result.bound_ns = plan.bound_ns;
  std::vector<const Part*> all;
  std::vector<PartTime> part_times;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    all.push_back(&parts[p]);
    part_times.push_back(
        {.start = flow_cycles(times.parts[p].start), .end = flow_cycles(times.parts[p].end)});
  }
  fill_parts(topology, all, part_times, run.result);
  if constexpr (std::is_same_v<PlanOfForm, Plan>) fill_operations(plan, part_times, run.result);
  return run;
}

}  // namespace

std::uint64_t flow_cycles(double cycles) {
  constexpr double kRounded = 1e-6;  // max rounding error of sums of whole-cycle times
  return static_cast<std::uint64_t>(std::ceil(std::max(cycles - kRounded, 0.0)));
}

void fill_flow_run(const Topology& topology, double end, RunResult& result) {
  result.fabric = topology.name;
  result.model = "flow";
  result.clock_ghz = static_cast<double>(topology.clock_hz) / 1e9;
  result.cycles = flow_cycles(end);
  result.time_ns = static_cast<double>(result.cycles) / result.clock_ghz;
  result.payload = "not carried";
}

void fill_flow_links(const Topology& topology, const FlowTraffic& traffic, RunResult& result) {
  result.delivered_bytes = traffic.result_bytes;
  for (std::size_t l = 0; l < topology.links.size(); ++l) {
    const Link& link = topology.links[l];
    LinkResult r = named_link(topology, link);
    r.flits = r.busy_cycles = traffic.flits[l];
    r.phase_flits = traffic.phase_flits[l];
    r.bytes = traffic.bytes[l];
    if (result.cycles > 0)
      r.utilization = std::min(1.0, static_cast<double>(r.flits) /
                                        (link.rate.value() * static_cast<double>(result.cycles)));
    result.links.push_back(std::move(r));
  }
  result.additions = traffic.additions;
  result.switch_additions = traffic.switch_additions;
  fill_traffic(topology, traffic.acknowledgements, result);
}

void run_timed(const std::function<void()>& run, RunResult& result) {
  const auto wall_start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  run();
  result.cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  result.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count();
}

FlowRun run_as_flows(const Topology& topology, const Plan& plan, std::span<const double> offset,
                     const FlowLifts& lifts) {
  return as_flows(topology, plan, plan.parts, offset, lifts);
}

FlowRun run_as_flows(const Topology& topology, const SystemPlan& plan,
                     std::span<const double> offset, const FlowLifts& lifts) {
  return as_flows(topology, plan, plan.collectives, offset, lifts);
}

RunResult complete(RunResult exact) {
  if (exact.incomplete) throw Interrupted("interrupted while flows were calibrated");
  return exact;
}

RunResult flow_result_of(const Topology& topology, const FlowTraffic& traffic, RunResult exact) {
  const auto cycles = static_cast<double>(exact.cycles);
  RunResult result = std::move(exact);
  result.lanes = 1;
  result.slices = result.slices_simulated = 0;
  result.idle_cycles = result.repeated_cycles = result.repeated_flit_hops = 0;
  result.equal_slices_flit_hops = 0;
  result.injected_bytes = result.injected_bytes_per_npu_max = 0;
  result.acknowledgement_packets = result.acknowledgement_bytes = 0;
  result.link_bytes = result.flit_hops = 0;
  result.links.clear();
  result.words_written = 0;
  result.switches.clear();
  result.breakdowns.clear();
  result.sim_cycles_per_s = 0;
  if (result.operations) {
    result.operations->rows = {};
    result.operations->waited_for_rows = 0;
  }
  fill_flow_run(topology, cycles, result);
  fill_flow_links(topology, traffic, result);
  result.flow = FlowResult{
      .error = FlowErrorResult{.measured_on = topology.name, .sizes = {result.size_bytes}}};
  return result;
}

FlowTraffic traffic_of(const Topology& topology, const IssuedPlans& issued) {
  FlowTraffic sum = no_traffic(topology);
  for (const auto& [plan, times, cycles] : issued) {
    if (times == 0) continue;
    add_traffic(plan->system != nullptr ? flow_traffic(topology, *plan->system)
                                        : flow_traffic(topology, plan->plan),
                times, sum);
  }
  return sum;
}

bool is_short(const Topology& topology, const IssuedPlans& issued) {
  std::uint64_t hops = 0;
  for (const auto& [plan, times, cycles] : issued) {
    if (times == 0) continue;
    const std::uint64_t more = flit_hops(topology, plan->plan);
    if (more > (kMaxShapeHops - hops) / times) return false;
    hops += times * more;
  }
  return true;
}

RunResult flow_result_of(const Topology& topology, const IssuedPlans& issued, RunResult exact) {
  std::set<std::uint64_t> sizes;
  for (const auto& [plan, times, cycles] : issued)
    for (const Part& part : plan->plan.parts)
      if (times > 0) sizes.insert(part.bytes);
  RunResult result =
      flow_result_of(topology, traffic_of(topology, issued), complete(std::move(exact)));
  result.flow->error->sizes.assign(sizes.begin(), sizes.end());
  return result;
}

FlowErrorResult stated(FlowErrorResult measured, const ErrorMargin& margin) {
  for (double* percent : {&measured.mean_percent, &measured.worst_percent})
    *percent = *percent * margin.factor + margin.percent;
  return measured;
}

}  // namespace fredsim
