#include "report/breakdown_json.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

Json figures_json(const CycleFigures& figures) {
  return {{"mean", figures.mean}, {"p50", figures.p50}, {"p99", figures.p99}, {"max", figures.max}};
}

Json causes_json(const NamedCycles& causes) {
  Json json = Json::object();
  for (const auto& [cause, cycles] : causes) json[cause] = cycles;
  return json;
}

Json stage_json(const BreakdownStage& stage) {
  Json json = {{"stage", stage.name}, {"visits", stage.visits}};
  json["causes"] = Json::array();
  for (const BreakdownCause& cause : stage.causes) {
    Json shown = {{"cause", cause.name}};
    shown.update(figures_json(cause.cycles));
    shown["share"] = cause.share;
    shown["total_cycles"] = cause.total;
    json["causes"].push_back(std::move(shown));
  }
  if (stage.operands > 0) {
    json["join"] = {{"operands", stage.operands}};
    json["join"].update(figures_json(stage.join));
  }
  return json;
}

Json packet_json(const PacketBreakdown& packet) {
  Json json = {{"packet", packet.name},
               {"source", packet.source},
               {"destination", packet.destination},
               {"begin_cycle", packet.begin},
               {"latency_cycles", packet.end - packet.begin}};
  json["hops"] = Json::array();
  for (const PacketHop& hop : packet.hops) {
    json["hops"].push_back({{"place", hop.place},
                            {"stage", hop.stage},
                            {"begin_cycle", hop.begin},
                            {"causes", causes_json(hop.causes)}});
  }
  return json;
}

Json path_json(const PathBreakdown& path) {
  Json json = {{"cycles", path.cycles}, {"packets", path.packets}};
  json["stages"] = Json::array();
  for (const auto& [stage, causes] : path.stages) {
    json["stages"].push_back({{"stage", stage}, {"causes", causes_json(causes)}});
  }
  return json;
}

}  // namespace

Json breakdown_json(std::span<const LatencyBreakdown> breakdowns) {
  Json all = Json::array();
  for (const LatencyBreakdown& breakdown : breakdowns) {
    Json json = Json::object();
    if (!breakdown.work.empty()) json["work"] = breakdown.work;
    json["packets"] = breakdown.packets;
    json["latency_cycles"] = figures_json(breakdown.latency);
    json["stages"] = Json::array();
    for (const BreakdownStage& stage : breakdown.stages)
      json["stages"].push_back(stage_json(stage));
    if (breakdown.critical) json["critical_packet"] = packet_json(*breakdown.critical);
    if (breakdown.path) json["path"] = path_json(*breakdown.path);
    json["listed"] = Json::array();
    for (const PacketBreakdown& packet : breakdown.listed)
      json["listed"].push_back(packet_json(packet));
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace fredsim
