// SPDX-License-Identifier: Apache-2.0
#include "report/trace_figures.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "results/document.h"
#include "results/fields/traces.h"
#include "results/json_object.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

void add_tally(TraceTally& sum, const TraceTally& tally) {
  sum.count += tally.count;
  sum.ps += tally.ps;
  sum.bytes += tally.bytes;
}

template <class Key>
void add_tallies(std::map<Key, TraceTally>& sums, const std::map<Key, TraceTally>& tallies) {
  for (const auto& [key, tally] : tallies) add_tally(sums[key], tally);
}

double trace_ns(std::uint64_t ps) { return static_cast<double>(ps) / 1000; }

template <const fields::Object& kTallied>
Json tally_json(JsonObject<kTallied> of, const TraceTally& tally) {
  of.add({{"nodes", tally.count}, {"time_ns", trace_ns(tally.ps)}, {"bytes", tally.bytes}});
  return of;
}

Json types_json(const TraceInfo& info) {
  Json all = Json::array();
  for (const auto& [type, tally] : info.types)
    all.push_back(tally_json(JsonObject<fields::kTraceType>{{"type", to_string(type)}}, tally));
  return all;
}

Json communications_json(const TraceInfo& info) {
  Json all = Json::array();
  for (const auto& [key, tally] : info.collectives)
    all.push_back(tally_json(
        JsonObject<fields::kTraceCommunication>{{"collective", key.first}, {"group", key.second}},
        tally));
  return all;
}

Json lanes_json(const TraceInfo& info) {
  Json all = Json::array();
  for (const auto& [lane, tally] : info.lanes) {
    const auto& [on_cpu, stream] = lane;
    all.push_back(tally_json(
        JsonObject<fields::kTraceLane>{
            {"lane", trace_lane_text(on_cpu, stream)},
            {"on_cpu", on_cpu},
            {"stream", stream == TraceNode::kNobody ? Json() : Json(stream)}},
        tally));
  }
  return all;
}

Json longest_json(const TraceInfo& info) {
  Json all = Json::array();
  for (const TraceNode& node : info.longest)
    all.push_back(
        JsonObject<fields::kTraceNodeOf>{{"name", node.name},
                                         {"type", to_string(node.type)},
                                         {"lane", trace_lane_text(node.on_cpu, node.stream)},
                                         {"time_ns", trace_ns(node.duration_ps)}});
  return all;
}

static_assert(TraceQuantiles::kPercents == std::array{10, 50, 90, 99});

JsonObject<fields::kTraceFigures> figures_json(const TraceInfo& info) {
  const auto& [p10, p50, p90, p99] = info.durations.values;
  const auto& sizes = info.sizes.values;
  return {{"nodes", info.nodes},
          {"dependencies", info.dependencies},
          {"work_ns", trace_ns(info.work_ps)},
          {"types", types_json(info)},
          {"communications", communications_json(info)},
          {"lanes", lanes_json(info)},
          {"durations", JsonObject<fields::kTraceTimes>{{"nodes", info.durations.count},
                                                        {"p10", trace_ns(p10)},
                                                        {"p50", trace_ns(p50)},
                                                        {"p90", trace_ns(p90)},
                                                        {"p99", trace_ns(p99)},
                                                        {"max", trace_ns(info.durations.max)}}},
          {"sizes", JsonObject<fields::kTraceSizes>{{"nodes", info.sizes.count},
                                                    {"p10", sizes[0]},
                                                    {"p50", sizes[1]},
                                                    {"p90", sizes[2]},
                                                    {"p99", sizes[3]},
                                                    {"max", info.sizes.max}}},
          {"longest", longest_json(info)}};
}

}  // namespace

TraceFigures trace_figures(const std::vector<std::string>& paths) {
  TraceFigures figures;
  TraceInfo& all = figures.all;
  std::vector<std::uint64_t> durations, sizes;
  for (const std::string& path : paths) {
    const std::vector<TraceNode> nodes = read_trace_nodes(path);
    const TraceInfo& info =
        figures.traces.emplace_back(NamedTraceInfo{path, trace_info(path, nodes)}).info;
    all.nodes += info.nodes;
    all.dependencies += info.dependencies;
    all.work_ps += info.work_ps;
    add_tallies(all.types, info.types);
    add_tallies(all.collectives, info.collectives);
    add_tallies(all.lanes, info.lanes);
    for (const TraceNode& node : nodes) {
      if (node.duration_ps != 0) durations.push_back(node.duration_ps);
      if (is_communication(node)) sizes.push_back(node.bytes);
    }
    all.longest.insert(all.longest.end(), info.longest.begin(), info.longest.end());
  }
  all.durations = quantiles_of(std::move(durations));
  all.sizes = quantiles_of(std::move(sizes));
  constexpr std::size_t kLongest = 10;
  std::ranges::stable_sort(all.longest, std::greater(), &TraceNode::duration_ps);
  all.longest.resize(std::min(kLongest, all.longest.size()));
  return figures;
}

std::string trace_figures_json(const Origin& origin, const TraceFigures& figures) {
  Json traces = Json::array();
  for (const NamedTraceInfo& trace : figures.traces) {
    JsonObject<fields::kTraceOfRank> one{
        {"trace", trace.path},
        {"critical_path_ns", trace_ns(trace.info.critical_ps)},
        {"parallelism", trace.info.parallelism()},
        {"exposed_ns", trace.info.exposed_ps ? Json(trace_ns(*trace.info.exposed_ps)) : Json()}};
    one.add(figures_json(trace.info));
    traces.push_back(std::move(one));
  }
  JsonObject<fields::kTraceDocument> json;
  json.add(document_of(origin));
  json.add({{"traces", std::move(traces)}, {"all", figures_json(figures.all)}});
  return text_of(json);
}

}  // namespace fredsim
