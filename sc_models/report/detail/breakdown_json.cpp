// SPDX-License-Identifier: Apache-2.0
#include "report/detail/breakdown_json.h"

#include "results/fields/breakdown.h"
#include "results/json_object.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

JsonObject<fields::kCycleFigures> figures_json(const CycleFigures& figures) {
  return {{"mean", figures.mean}, {"p50", figures.p50}, {"p99", figures.p99}, {"max", figures.max}};
}

Json causes_json(const NamedCycles& causes) {
  Json json = Json::object();
  for (const auto& [cause, cycles] : causes) json[cause] = cycles;
  return json;
}

JsonObject<fields::kStage> stage_json(const BreakdownStage& stage) {
  Json causes = Json::array();
  for (const BreakdownCause& cause : stage.causes) {
    JsonObject<fields::kBreakdownCause> json{{"cause", cause.name}};
    json.add(figures_json(cause.cycles));
    json.add({{"share", cause.share}, {"total_cycles", cause.total}});
    causes.push_back(json);
  }
  JsonObject<fields::kStage> json{
      {"stage", stage.name}, {"visits", stage.visits}, {"causes", std::move(causes)}};
  if (stage.operands > 0) {
    JsonObject<fields::kJoin> join{{"operands", stage.operands}};
    join.add(figures_json(stage.join));
    json.set("join", join);
  }
  return json;
}

JsonObject<fields::kPacket> packet_json(const PacketBreakdown& packet) {
  Json hops = Json::array();
  for (const PacketHop& hop : packet.hops) {
    hops.push_back(JsonObject<fields::kHop>{{"place", hop.place},
                                            {"stage", hop.stage},
                                            {"begin_cycle", hop.begin},
                                            {"causes", causes_json(hop.causes)}});
  }
  return {{"packet", packet.name},
          {"source", packet.source},
          {"destination", packet.destination},
          {"begin_cycle", packet.begin},
          {"latency_cycles", packet.end - packet.begin},
          {"hops", std::move(hops)}};
}

JsonObject<fields::kPath> path_json(const PathBreakdown& path) {
  Json stages = Json::array();
  for (const auto& [stage, causes] : path.stages) {
    stages.push_back(
        JsonObject<fields::kPathStage>{{"stage", stage}, {"causes", causes_json(causes)}});
  }
  return {{"cycles", path.cycles}, {"packets", path.packets}, {"stages", std::move(stages)}};
}

}  // namespace

Json breakdown_json(std::span<const LatencyBreakdown> breakdowns) {
  Json all = Json::array();
  for (const LatencyBreakdown& breakdown : breakdowns) {
    JsonObject<fields::kBreakdown> json;
    if (!breakdown.work.empty()) json.set("work", breakdown.work);
    Json stages = Json::array();
    for (const BreakdownStage& stage : breakdown.stages) stages.push_back(stage_json(stage));
    json.add({{"packets", breakdown.packets},
              {"latency_cycles", figures_json(breakdown.latency)},
              {"stages", std::move(stages)}});
    if (breakdown.critical) json.set("critical_packet", packet_json(*breakdown.critical));
    if (breakdown.path) json.set("path", path_json(*breakdown.path));
    Json listed = Json::array();
    for (const PacketBreakdown& packet : breakdown.listed) listed.push_back(packet_json(packet));
    json.set("listed", std::move(listed));
    all.push_back(json);
  }
  return all;
}

}  // namespace fredsim
