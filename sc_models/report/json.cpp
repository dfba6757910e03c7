// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/member.h"
#include "report/detail/breakdown_json.h"
#include "report/detail/result_json.h"
#include "report/series_file.h"
#include "results/document.h"
#include "results/fields/routing.h"
#include "results/fields/run.h"
#include "results/fields/traffic.h"
#include "results/json_object.h"

namespace fredsim {

using Json = nlohmann::ordered_json;

namespace {

JsonObject<fields::kLink> link_json(const LinkResult& link) {
  JsonObject<fields::kLink> json{{"name", link.name},
                                 {"from", link.from},
                                 {"to", link.to},
                                 {"on_die", link.on_die},
                                 {"flits", link.flits},
                                 {"bytes", link.bytes},
                                 {"busy_cycles", link.busy_cycles},
                                 {"utilization", link.utilization}};
  for (const auto& [name, value] : link.counters) json.set_named(name, value);
  return json;
}

JsonObject<fields::kSwitch> switch_json(const SwitchResult& result) {
  JsonObject<fields::kStalls> stalls;
  for (const auto& [reason, cycles] : result.stall_cycles) stalls.set_named(reason, cycles);
  return {{"name", result.name},
          {"model", result.model},
          {"flits_in", result.flits_in},
          {"flits_out", result.flits_out},
          {"reductions", result.reductions},
          {"phase_changes", result.phase_changes},
          {"stall_cycles", stalls}};
}

// A bandwidth; null if the run is incomplete.
Json bandwidth_json(double gbps, bool incomplete) { return incomplete ? Json() : Json(gbps); }

// NPUs as numbers, I/O controllers by their names.
Json group_json(const std::vector<int>& group) {
  Json json = Json::array();
  for (const int member : group)
    json.push_back(is_io_member(member) ? Json(member_name(member)) : Json(member));
  return json;
}

JsonObject<fields::kPart> part_json(const PartResult& part) {
  JsonObject<fields::kPart> json{{"collective", part.collective},
                                 {"algorithm", part.algorithm},
                                 {"group", group_json(part.group)},
                                 {"priority", part.priority},
                                 {"size_bytes", part.size_bytes},
                                 {"start_cycle", part.start_cycle},
                                 {"cycles", part.cycles},
                                 {"time_ns", part.time_ns},
                                 {"algbw_gbps", bandwidth_json(part.algbw_gbps, part.incomplete)},
                                 {"busbw_gbps", bandwidth_json(part.busbw_gbps, part.incomplete)},
                                 {"bound_ns", part.bound_ns}};
  if (!part.name.empty()) json.set("name", part.name);
  if (part.operations > 1) json.set("operations", part.operations);
  if (!part.packet_order.empty()) json.set("packet_order", part.packet_order);
  if (part.frame_cycles > 0) json.set("frame_cycles", part.frame_cycles);
  if (part.incomplete) json.set("incomplete", true);
  return json;
}

// Written for machines with failed components only.
template <const fields::Object& kObject>
void add_faults(std::span<const MachineKey> machine, JsonObject<kObject>& json) {
  const auto faults = std::ranges::find(machine, "faults", &MachineKey::path);
  if (faults != machine.end())
    json.set("faults", std::get<std::vector<std::string>>(faults->value));
}

}  // namespace

nlohmann::ordered_json flow_error_json(const FlowResult& flow) {
  if (!flow.error) return {};
  return JsonObject<fields::kFlowError>{{"measured_on", flow.error->measured_on},
                                        {"sizes", flow.error->sizes},
                                        {"mean_percent", flow.error->mean_percent},
                                        {"worst_percent", flow.error->worst_percent}};
}

JsonObject<fields::kRunHead> run_head_json(const RunResult& r) {
  JsonObject<fields::kRunHead> json{{"config", r.config},
                                    {"settings", settings_json(r.settings)},
                                    {"machine", machine_json(r.machine)},
                                    {"fabric", r.fabric},
                                    {"model", r.model},
                                    {"lanes", r.lanes},
                                    {"clock_ghz", r.clock_ghz}};
  add_faults(r.machine, json);
  return json;
}

Json links_json(std::span<const LinkResult> links) {
  Json json = Json::array();
  for (const LinkResult& link : links) json.push_back(link_json(link));
  return json;
}

Json switches_json(std::span<const SwitchResult> switches) {
  Json json = Json::array();
  for (const SwitchResult& result : switches) json.push_back(switch_json(result));
  return json;
}

JsonObject<fields::kOperations> operations_json(const OperationsResult& operations) {
  const OperationsResult::Rows& rows = operations.rows;
  return {{"complete", operations.complete},
          {"phases", JsonObject<fields::kPhases>{{"preloaded", rows.preloaded},
                                                 {"loaded", rows.loaded},
                                                 {"found", rows.found},
                                                 {"evicted", rows.evicted},
                                                 {"words_written", rows.words_written}}},
          {"waited_for_phases_cycles", operations.waited_for_rows},
          {"waited_for_others_cycles", operations.waited_for_others}};
}

JsonObject<fields::kLayout> layout_json(const Layout& layout) {
  Json nodes = Json::array();
  for (const LayoutNode& node : layout.nodes) {
    JsonObject<fields::kNode> json{{"name", node.name}, {"kind", node.kind}};
    if (node.grid) json.add({{"x", node.grid->x}, {"y", node.grid->y}});
    if (node.tree) {
      json.add({{"level", node.tree->level},
                {"switch", node.tree->switch_index},
                {"slice", node.tree->slice},
                {"chiplet", node.tree->chiplet}});
    }
    if (node.failed) json.set("lost", true);
    if (!node.above.empty()) json.set("above", node.above);
    nodes.push_back(json);
  }
  return {{"kind", layout.kind}, {"nodes", std::move(nodes)}};
}

JsonObject<fields::kSystemUse> system_json(const SystemResult& system) {
  std::vector<JsonObject<fields::kDimensionUse>> dimensions;
  for (const SystemResult::Dimension& one : system.dimensions)
    dimensions.push_back({{"name", one.name},
                          {"bandwidth_gbps", one.bandwidth_gbps},
                          {"utilization", one.utilization}});
  return {{"dimension_order", system.dimension_order},
          {"chunk_order", system.chunk_order},
          {"dimensions", dimensions},
          {"utilization", system.utilization}};
}

JsonObject<fields::kSlices> slices_json(const RunResult& r) {
  return {{"all", r.slices}, {"simulated", r.slices_simulated}};
}

JsonObject<fields::kSkipped> skipped_json(const RunResult& r) {
  return {{"idle_cycles", r.idle_cycles},
          {"repeated_cycles", r.repeated_cycles},
          {"repeated_flit_hops", r.repeated_flit_hops},
          {"equal_slices_flit_hops", r.equal_slices_flit_hops}};
}

JsonObject<fields::kInjected> traffic_json(const RunResult& r) {
  return {{"injected_bytes", r.injected_bytes},
          {"injected_bytes_per_npu_max", r.injected_bytes_per_npu_max},
          {"link_bytes", r.link_bytes},
          {"flit_hops", r.flit_hops},
          {"acknowledgement_packets", r.acknowledgement_packets},
          {"acknowledgement_bytes", r.acknowledgement_bytes}};
}

namespace {

JsonObject<fields::kEnergyEvents> events_json(const EnergyEvents& events) {
  return {{"unicast_flits", events.unicast_flits},
          {"flow_flits", events.flow_flits},
          {"additions", events.additions},
          {"copies", events.copies},
          {"npu_additions", events.npu_additions},
          {"buffer_flits", events.buffer_flits},
          {"link_flits", events.link_flits},
          {"npu_bytes", events.npu_bytes},
          {"flops", events.flops}};
}

}  // namespace

JsonObject<fields::kEnergy> energy_json(const EnergyResult& energy) {
  const bool is_known = energy.missing.empty();
  const auto known = [&](auto value) { return is_known ? Json(value) : Json(); };
  JsonObject<fields::kEnergy> json{
      {"missing", is_known ? Json() : Json(energy.missing)},
      {"total_pj", known(energy.total)},
      {"pj_per_bit", is_known && energy.bits > 0
                         ? Json(energy.total / static_cast<double>(energy.bits))
                         : Json()}};
  for (const EnergyPart& part : kEnergyParts) {
    const std::optional<double>& pj = energy.parts.*part.value;
    json.set_named(part.name, pj ? Json(*pj) : Json());
  }
  json.set("events", is_known ? Json(events_json(energy.events)) : Json());
  return json;
}

namespace {

// Sets fields that do not apply to a testbench's own NPUs to null.
void clear_what_does_not_apply(const RunResult& r, JsonObject<fields::kRun>& json) {
  const auto clear = [&](fields::Key<fields::kRun> key, bool is_nothing) {
    if (is_nothing) json.set(key, nullptr);
  };
  clear("config", r.config.empty());
  clear("machine", r.machine.empty());
  clear("size_bytes", r.size_bytes == 0);
  clear("seed", r.seed == 0);
  clear("algbw_gbps", r.algbw_gbps == 0);
  clear("busbw_gbps", r.busbw_gbps == 0);
  clear("payload", r.payload.empty());
}

Json groups_json(const RunResult& r) {
  Json groups = Json::array();
  for (const std::vector<int>& group : r.groups) groups.push_back(group_json(group));
  return groups;
}

Json parts_json(const RunResult& r) {
  Json parts = Json::array();
  for (const PartResult& part : r.parts) parts.push_back(part_json(part));
  return parts;
}

JsonObject<fields::kCreditLimit> credit_limit_json(const CreditLimit& limit) {
  return {{"link", limit.link},
          {"link_gbps", limit.link_gbps},
          {"carried_gbps", limit.carried_gbps},
          {"buffer_bytes", limit.buffer_bytes},
          {"covering_bytes", limit.covering_bytes},
          {"key", limit.key}};
}

JsonObject<fields::kDerived> derived_json(const RunResult& r) {
  const auto over = [&](double bound) {
    return bound > 0 && !r.incomplete ? Json(r.time_ns / bound) : Json();
  };
  JsonObject<fields::kDerived> json{{"bound_ns", r.is_own ? Json() : Json(r.bound_ns)},
                                    {"time_over_bound", over(r.bound_ns)}};
  if (r.network_bound_ns > 0) {
    json.add({{"network_bound_ns", r.network_bound_ns},
              {"time_over_network_bound", over(r.network_bound_ns)}});
  }
  if (r.credit_limit) json.set("credit_limit", credit_limit_json(*r.credit_limit));
  return json;
}

// Leaves out an infinite ratio, to a run of no time or no traffic, since JSON has no infinity.
void add_ratio(fields::Key<fields::kRun> key, double ratio, JsonObject<fields::kRun>& json) {
  if (std::isfinite(ratio)) json.set(key, ratio);
}

JsonObject<fields::kRun> run_json(const ReportedRun& run) {
  const RunResult& r = run.result;
  JsonObject<fields::kRun> json;
  json.add(run_head_json(r));
  json.add(
      {{"collective", r.collective},
       {"algorithm", r.algorithm},
       {"groups", groups_json(r)},
       {"placement", r.workers ? Json(r.workers->placement) : Json()},
       {"strategy", r.workers && !r.workers->strategy.empty() ? Json(r.workers->strategy) : Json()},
       {"dimensions",
        r.workers && !r.workers->dimensions.empty() ? Json(r.workers->dimensions) : Json()},
       {"size_bytes", r.size_bytes},
       {"seed", r.seed},
       {"cycles", r.cycles},
       {"time_ns", r.time_ns},
       {"algbw_gbps", bandwidth_json(r.algbw_gbps, r.incomplete)},
       {"busbw_gbps", bandwidth_json(r.busbw_gbps, r.incomplete)},
       {"payload", r.payload}});
  if (r.flow) {
    json.set("engine", "flow");
    json.set("error", flow_error_json(*r.flow));
  }
  if (r.collective_overhead_ns > 0) json.set("collective_overhead_ns", r.collective_overhead_ns);
  if (!r.skew.empty()) json.set("skew", r.skew);
  if (r.workers && !r.workers->npus.empty()) json.set("placement_npus", r.workers->npus);
  if (r.incomplete) {
    json.set("incomplete", true);
    json.set("delivered_bytes", r.delivered_bytes);
  }
  json.set("parts", parts_json(r));
  if (std::ranges::any_of(r.parts,
                          [](const PartResult& part) { return part.packet_order == "recurring"; }))
    json.set("idealised", std::vector<std::string>{kRecurringOrder});
  if (r.operations) json.set("operations", operations_json(*r.operations));
  if (r.slices > 0) json.set("slices", slices_json(r));
  if (r.system) json.set("system", system_json(*r.system));
  json.set("skipped", skipped_json(r));
  json.set("traffic", traffic_json(r));
  if (r.energy) json.set("energy", energy_json(*r.energy));
  if (run.is_best_base) json.set("best_base", true);
  if (run.speedup_best_base) json.set("speedup_best_base", *run.speedup_best_base);
  if (run.comparison) {
    add_ratio("speedup", run.comparison->speedup, json);
    add_ratio("injected_traffic_reduction", run.comparison->injected_traffic_reduction, json);
    add_ratio("link_traffic_reduction", run.comparison->link_traffic_reduction, json);
  }
  json.set("derived", derived_json(r));
  json.set("links", links_json(r.links));
  json.set("switches", switches_json(r.switches));
  if (r.series) json.set("series", series_json(*r.series));
  if (!r.breakdowns.empty()) json.set("breakdown", breakdown_json(r.breakdowns));
  json.set("layout", layout_json(r.layout));
  json.set("wall_s", r.wall_s);
  json.set("sim_cycles_per_s", r.sim_cycles_per_s);
  if (r.is_own) clear_what_does_not_apply(r, json);
  return json;
}

// A whole number without decimals.
Json number_json(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? Json(whole) : Json(number);
}

void add_pattern(const TrafficSetup& s, const TrafficPoint& p,
                 JsonObject<fields::kTrafficRun>& json) {
  if (s.hotspot_node) json.set("hotspot_node", *s.hotspot_node);
  if (s.hotspot_fraction) json.set("hotspot_fraction", *s.hotspot_fraction);
  if (!s.excluded_nodes.empty()) json.set("excluded_nodes", s.excluded_nodes);
  if (!s.pattern_file.empty()) json.set("pattern_file", s.pattern_file);
  if (!s.netrace) return;
  const NetraceSetup& trace = *s.netrace;
  json.set("netrace", JsonObject<fields::kNetrace>{
                          {"file", trace.file},
                          {"benchmark", trace.benchmark},
                          {"region", trace.region ? Json(*trace.region) : Json()},
                          {"flit_bytes", trace.flit_bytes},
                          {"nodes", trace.nodes},
                          {"trace_cycles", trace.cycles},
                          {"trace_packets", trace.packets},
                          {"local_packets", trace.local_packets},
                          {"dependencies", trace.dependencies},
                          {"outside", trace.outside},
                          {"slowdown", p.incomplete ? Json() : Json(trace.slowdown(p.cycles))}});
}

JsonObject<fields::kTrafficRun> point_json(const TrafficSetup& s, const TrafficPoint& p) {
  JsonObject<fields::kTrafficRun> json{{"config", s.config},
                                       {"settings", settings_json(s.settings)},
                                       {"machine", machine_json(s.machine)},
                                       {"fabric", s.fabric},
                                       {"model", s.model},
                                       {"lanes", 1},
                                       {"clock_ghz", s.clock_ghz},
                                       {"pattern", s.pattern}};
  add_faults(s.machine, json);
  add_pattern(s, p, json);
  json.add({{"self_addressed", "excluded"},
            {"nodes", s.nodes},
            {"sending_nodes", s.sending_nodes},
            {"packet_flits", number_json(s.packet_flits)}});
  if (!s.packet_sizes.empty()) json.set("packet_sizes", s.packet_sizes);
  if (!s.burst.empty()) json.set("burst", s.burst);
  if (!s.request_reply.empty()) json.set("request_reply", s.request_reply);
  json.add({{"seed", s.seed},
            {"warmup_cycles", s.warmup_cycles},
            {"window_cycles", s.window_cycles},
            {"injection_limit", s.injection_limit},
            {"rate", p.rate},
            {"offered_rate", p.offered},
            {"accepted_rate", p.accepted},
            {"saturated", p.incomplete ? Json() : Json(p.saturated)},
            {"packets", p.packets},
            {"packets_arrived", p.arrived}});
  const auto of_arrived = [&](Json value) { return p.arrived > 0 ? std::move(value) : Json(); };
  json.set("latency_cycles", JsonObject<fields::kLatency>{{"mean", of_arrived(p.latency_mean)},
                                                          {"p50", of_arrived(p.latency_p50)},
                                                          {"p95", of_arrived(p.latency_p95)},
                                                          {"p99", of_arrived(p.latency_p99)},
                                                          {"max", of_arrived(p.latency_max)}});
  if (!s.request_reply.empty())
    json.set("request_latency_mean",
             p.request_latency_mean ? Json(*p.request_latency_mean) : Json());
  if (p.incomplete) {
    json.set("incomplete", true);
    json.set("delivered_bytes", p.delivered_bytes);
  }
  json.add({{"hops", p.incomplete ? Json() : Json(p.hops)},
            {"flit_hops", p.flit_hops},
            {"cycles", p.cycles}});
  if (p.energy) json.set("energy", energy_json(*p.energy));
  json.set("links", links_json(p.links));
  json.set("switches", switches_json(p.switches));
  if (p.series) json.set("series", series_json(*p.series));
  if (p.breakdown) json.set("breakdown", breakdown_json({&*p.breakdown, 1}));
  json.set("layout", layout_json(s.layout));
  json.set("wall_s", p.wall_s);
  json.set("sim_cycles_per_s", p.sim_cycles_per_s);
  return json;
}

JsonObject<fields::kConflictRun> conflict_json(const ConflictSetup& setup, const ConflictPoint& p) {
  const Interval interval = wilson_95(p.conflicts, p.trials);
  JsonObject<fields::kConflictRun> json{
      {"ports", setup.ports},
      {"middle", p.middle},
      {"kind", setup.kind},
      {"flows", p.flows},
      {"trials", p.trials},
      {"seed", setup.seed},
      {"conflicts", p.conflicts},
      {"conflict_rate", static_cast<double>(p.conflicts) / static_cast<double>(p.trials)},
      {"wilson_95", JsonObject<fields::kInterval>{{"low", interval.low}, {"high", interval.high}}}};
  if (p.trials < setup.trials) json.set("incomplete", true);
  return json;
}

}  // namespace

Json settings_json(const Settings& settings) {
  Json json = Json::object();
  for (const auto& [key, value] : settings.all) json[key] = value;
  return json;
}

Json machine_json(std::span<const MachineKey> keys) {
  Json machine = Json::object();
  for (const MachineKey& key : keys) {
    Json* place = &machine;
    std::istringstream names(key.path);
    for (std::string name; std::getline(names, name, '.');) {
      const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
      place = is_number ? &(*place)[std::stoul(name) - 1] : &(*place)[name];
    }
    std::visit([place](const auto& value) { *place = value; }, key.value);
  }
  return machine;
}

std::string results_json(const Origin& origin, std::span<const ReportedRun> runs) {
  JsonObject<fields::kRunDocument> json;
  json.add(document_of(origin));
  Json objects = Json::array();
  for (const ReportedRun& run : runs) objects.push_back(run_json(run));
  json.set("runs", std::move(objects));
  return text_of(json);
}

std::string traffic_json(const Origin& origin, const TrafficSetup& setup,
                         std::span<const TrafficPoint> points) {
  JsonObject<fields::kTrafficDocument> json;
  json.add(document_of(origin));
  Json runs = Json::array();
  for (const TrafficPoint& point : points) runs.push_back(point_json(setup, point));
  json.set("runs", std::move(runs));
  const TrafficSaturation saturation = saturation_of(points);
  json.set("saturation", JsonObject<fields::kSaturation>{
                             {"accepted_rate", saturation.accepted},
                             {"first_saturated_rate",
                              saturation.first_rate ? Json(*saturation.first_rate) : Json()}});
  return text_of(json);
}

std::string conflicts_json(const Origin& origin, const ConflictSetup& setup,
                           std::span<const ConflictPoint> points) {
  JsonObject<fields::kConflictDocument> json;
  json.add(document_of(origin));
  Json runs = Json::array();
  for (const ConflictPoint& point : points) runs.push_back(conflict_json(setup, point));
  json.set("runs", std::move(runs));
  return text_of(json);
}

}  // namespace fredsim
