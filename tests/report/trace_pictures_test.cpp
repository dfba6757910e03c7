// SPDX-License-Identifier: Apache-2.0
// Pictures of execution traces, their figures as JSON and the data of their page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>

#include "base/error.h"
#include "report/trace_dot.h"
#include "report/trace_figures.h"
#include "report/trace_page.h"
#include "report/trace_timeline.h"
#include "support/temporary_folder.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {
namespace {

using nlohmann::json;

constexpr std::uint64_t kUs = 1'000'000;

TraceNode picture_node(std::uint64_t id, const std::string& name, std::vector<std::uint64_t> after,
                       std::uint64_t us) {
  return {.id = id,
          .name = name,
          .type = TraceNodeType::kCompute,
          .after = std::move(after),
          .duration_ps = us * kUs};
}

// A thread that launches two kernels, the second on another stream, a node without time between
// the first and an all-reduce.
std::vector<TraceNode> step_nodes() {
  std::vector<TraceNode> nodes{
      picture_node(1, "cpu", {}, 10),    picture_node(2, "mm", {1}, 30),
      picture_node(3, "cpu", {1}, 5),    picture_node(4, "copy", {3}, 20),
      picture_node(5, "record", {2}, 0), picture_node(6, "all \"reduce\"\\", {5, 4}, 40)};
  nodes[0].on_cpu = nodes[2].on_cpu = true;
  nodes[0].stream = nodes[2].stream = 9;
  nodes[1].stream = 7;
  nodes[3].stream = 20;
  nodes[3].type = TraceNodeType::kLoad;
  nodes[3].tensor_bytes = 4096;
  nodes[5].type = TraceNodeType::kCollective;
  nodes[5].stream = 40;
  nodes[5].bytes = 1024;
  nodes[5].group = "dp";
  return nodes;
}

ShownTrace shown(std::vector<TraceNode> nodes) {
  ShownTrace trace{.path = "a.0.et", .nodes = std::move(nodes)};
  trace.begins = trace_begins(trace.path, trace.nodes);
  return trace;
}

ShownTrace chain(std::size_t length) {
  std::vector<TraceNode> nodes;
  for (std::size_t n = 0; n < length; ++n)
    nodes.push_back(picture_node(
        n + 100, fmt::format("op{}", n % 3),
        n == 0 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{n + 99}, 1));
  return shown(std::move(nodes));
}

std::vector<std::uint64_t> ids_of(const ShownTrace& trace, const TraceSubgraph& graph) {
  std::vector<std::uint64_t> ids;
  for (const std::size_t n : graph.nodes) ids.push_back(trace.nodes[n].id);
  return ids;
}

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

TEST(TracePictures, BeginsAreTheEarliestWhereNoneAreRecorded) {
  const ShownTrace trace = shown(step_nodes());
  EXPECT_FALSE(trace.begins.is_recorded);
  EXPECT_EQ(trace.begins.ps,
            (std::vector<std::uint64_t>{0, 10 * kUs, 10 * kUs, 15 * kUs, 40 * kUs, 40 * kUs}));
  std::vector<TraceNode> recorded = step_nodes();
  recorded[5].start_ps = 77;
  const ShownTrace as_recorded = shown(recorded);
  EXPECT_TRUE(as_recorded.begins.is_recorded);
  EXPECT_EQ(as_recorded.begins.ps, (std::vector<std::uint64_t>{0, 0, 0, 0, 0, 77}));
}

TEST(TracePictures, LanesAreThreadsThenStreamsWithoutOverlap) {
  std::vector<TraceNode> nodes = step_nodes();
  nodes.push_back(picture_node(7, "beside", {1}, 3));  // on stream 7, while mm runs there
  nodes.back().stream = 7;
  const ShownTrace trace = shown(nodes);
  std::vector<std::string> names;
  for (const TraceLane& lane : trace_lanes(trace)) {
    names.push_back(lane.name);
    std::uint64_t until = 0;
    for (const std::size_t n : lane.nodes) {
      EXPECT_GE(trace.begins.ps[n], until) << lane.name;
      until = trace.begins.ps[n] + trace.nodes[n].duration_ps;
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"CPU thread 9", "stream 7", "stream 7 (2)",
                                             "stream 20", "stream 40"}));
}

TEST(TracePictures, TimelineHasATrackPerLaneAndAnArrowPerDependency) {
  const std::vector<ShownTrace> traces{shown(step_nodes())};
  TraceTimelineCounts counts;
  const json file = json::parse(trace_timeline(traces, counts).json("1.2.3"));
  EXPECT_EQ(file["otherData"]["time"], "earliest by dependencies; args has picoseconds");
  std::map<int, std::string> tracks;
  std::map<std::string, json> spans;  // key: id of the node
  std::map<int, std::vector<json>> arrows;
  for (const json& event : file["traceEvents"]) {
    if (event["name"] == "thread_name") tracks[event["tid"]] = event["args"]["name"];
    if (event["ph"] == "X") spans[event["args"]["node"].dump()] = event;
    if (event["cat"] == "arrows") arrows[event["id"]].push_back(event);
  }
  ASSERT_EQ(spans.size(), 5U);
  EXPECT_EQ(tracks[spans["6"]["tid"]], "stream 40");
  EXPECT_EQ(spans["6"]["ts"], 40.0);
  EXPECT_EQ(spans["6"]["dur"], 40.0);
  EXPECT_EQ(spans["6"]["cat"], "communications");
  EXPECT_EQ(spans["6"]["args"]["bytes"], 1024);
  EXPECT_EQ(spans["6"]["args"]["begin_ps"], 40 * kUs);
  EXPECT_EQ(spans["6"]["args"]["duration_ps"], 40 * kUs);
  EXPECT_EQ(spans["4"]["args"]["bytes"], 4096);
  EXPECT_EQ(spans["4"]["cat"], "memory");
  EXPECT_EQ(spans["1"]["cat"], "CPU");
  // Node 5 takes no time: the arrow of 6 comes from 2.
  std::set<std::pair<double, double>> ends;  // begins of both spans
  for (const auto& [id, events] : arrows) {
    ASSERT_EQ(events.size(), 2U);
    ends.emplace(events[0]["ts"], events[1]["ts"]);
  }
  EXPECT_EQ(ends, (std::set<std::pair<double, double>>{{0, 10}, {10, 15}, {10, 40}, {15, 40}}));
  EXPECT_EQ(arrows.size(), 5U);
  EXPECT_EQ(counts.spans, 5U);
  EXPECT_EQ(counts.arrows, 5U);
  EXPECT_EQ(counts.untimed, 1U);
  EXPECT_EQ(counts.backward, 0U);
}

TEST(TracePictures, TimelineStartsAtTheFirstBeginAndCountsWhatTheRecordingBreaks) {
  std::vector<TraceNode> nodes = step_nodes();
  for (TraceNode& node : nodes) node.start_ps = 5'000'000 * kUs;
  nodes[1].start_ps -= 2 * kUs;  // before the thread that launches it
  const std::vector<ShownTrace> traces{shown(nodes), shown(nodes)};
  TraceTimelineCounts counts;
  const json file = json::parse(trace_timeline(traces, counts).json("1.2.3"));
  EXPECT_EQ(file["otherData"]["time"], "as recorded; args has picoseconds");
  for (const json& event : file["traceEvents"])
    if (event["ph"] == "X") {
      EXPECT_EQ(event["ts"], event["name"] == "mm" ? 0.0 : 2.0) << event;
    }
  EXPECT_EQ(counts.backward, 2U);
  EXPECT_EQ(counts.arrows, 8U);
}

TEST(TracePictures, GraphOfANodeGoesAsFarAsItsDepthBothWays) {
  const ShownTrace trace = chain(9);
  EXPECT_EQ(ids_of(trace, trace_subgraph(trace, {.from = "104", .depth = 0})),
            (std::vector<std::uint64_t>{104}));
  const TraceSubgraph two = trace_subgraph(trace, {.from = "104", .depth = 2});
  EXPECT_EQ(ids_of(trace, two), (std::vector<std::uint64_t>{104, 103, 105, 102, 106}));
  EXPECT_EQ(two.edges.size(), 4U);
  EXPECT_EQ(two.left_out, 0U);
  for (const auto& [before, after] : two.edges) EXPECT_EQ(before + 1, after);
}

TEST(TracePictures, NodesAreFoundByIdNameAndPlace) {
  const ShownTrace trace = chain(9);
  const auto from = [&](const std::string& text) {
    return trace.nodes[*trace_subgraph(trace, {.from = text}).from].id;
  };
  EXPECT_EQ(from("105"), 105U);
  EXPECT_EQ(from("op2"), 102U);
  EXPECT_EQ(from("op2 [0]"), 102U);
  EXPECT_EQ(from("op2 [2]"), 108U);
  EXPECT_EQ(refusal_of([&] { from("op2 [3]"); }),
            "--from: found 'op2 [3]'; allowed: the id or name of a node of a.0.et");
  EXPECT_EQ(refusal_of([&] { from("op"); }),
            "--from: found 'op'; allowed: the id or name of a node of a.0.et, such as op0, op1, "
            "op2");
}

TEST(TracePictures, GraphTakesTheFirstNodesByBeginAndCountsTheOthers) {
  const ShownTrace trace = chain(9);
  const TraceSubgraph graph = trace_subgraph(trace, {.most = 4});
  EXPECT_EQ(ids_of(trace, graph), (std::vector<std::uint64_t>{100, 101, 102, 103}));
  EXPECT_EQ(graph.left_out, 5U);
  EXPECT_EQ(graph.edges.size(), 3U);
  EXPECT_EQ(trace_subgraph(trace, {}).nodes.size(), 9U);
}

TEST(TracePictures, DotQuotesNames) {
  const ShownTrace trace = shown(step_nodes());
  const std::string dot = trace_dot(trace, trace_subgraph(trace, {}));
  EXPECT_NE(dot.find(R"(n6 [label="all \"reduce\"\\\nstream 40, 40.0 µs", )"
                     R"(tooltip="6: all \"reduce\"\\", shape=ellipse)"),
            std::string::npos)
      << dot;
  EXPECT_NE(dot.find("  n5 -> n6;\n"), std::string::npos);
  EXPECT_NE(dot.find("no time"), std::string::npos);
}

TEST(TracePictures, GraphMlHasEveryNodeAndDependency) {
  const ShownTrace trace = shown(step_nodes());
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(trace_graphml(trace, trace_subgraph(trace, {})).c_str()));
  const pugi::xml_node graph = document.child("graphml").child("graph");
  std::map<std::string, std::map<std::string, std::string>> nodes;
  for (const pugi::xml_node& node : graph.children("node"))
    for (const pugi::xml_node& datum : node.children("data"))
      nodes[node.attribute("id").value()][datum.attribute("key").value()] = datum.text().get();
  ASSERT_EQ(nodes.size(), 6U);
  EXPECT_EQ(nodes["n6"], (std::map<std::string, std::string>{{"name", "all \"reduce\"\\"},
                                                             {"type", "COMM_COLL_NODE"},
                                                             {"lane", "stream 40"},
                                                             {"begin_ps", "40000000"},
                                                             {"duration_ps", "40000000"},
                                                             {"bytes", "1024"},
                                                             {"collective", "ALL_REDUCE"},
                                                             {"group", "dp"}}));
  std::set<std::pair<std::string, std::string>> edges;
  for (const pugi::xml_node& edge : graph.children("edge"))
    edges.emplace(edge.attribute("source").value(), edge.attribute("target").value());
  EXPECT_EQ(
      edges,
      (std::set<std::pair<std::string, std::string>>{
          {"n1", "n2"}, {"n1", "n3"}, {"n3", "n4"}, {"n2", "n5"}, {"n5", "n6"}, {"n4", "n6"}}));
}

// Figures of a trace and of all, from files.
TEST(TraceFigures, OfAllAreSumsAndTheJsonHasThem) {
  const TemporaryFolder folder;
  ChakraWriter writer;
  for (const TraceNode& node : step_nodes()) writer.add(node);
  for (const char* name : {"a.0.et", "a.1.et"})
    std::ofstream(folder.file(name), std::ios::binary) << writer.text();
  const TraceFigures figures = trace_figures({folder.file("a.0.et"), folder.file("a.1.et")});
  const json file = json::parse(trace_figures_json({"1.2.3", "5da5371", "fredsim t"}, figures));
  ASSERT_EQ(file["traces"].size(), 2U);
  const json& one = file["traces"][0];
  EXPECT_EQ(one["nodes"], 6);
  EXPECT_EQ(one["dependencies"], 6);
  EXPECT_EQ(one["work_ns"], 105'000.0);
  EXPECT_EQ(one["critical_path_ns"], 80'000.0);
  EXPECT_EQ(one["parallelism"], 1.3125);
  EXPECT_EQ(one["exposed_ns"], nullptr);
  const json& all = file["all"];
  EXPECT_EQ(all["nodes"], 12);
  EXPECT_EQ(all["work_ns"], 210'000.0);
  EXPECT_EQ(all["communications"],
            json::parse(R"([{"collective": "ALL_REDUCE", "group": "dp", "nodes": 2,
                             "time_ns": 80000.0, "bytes": 2048}])"));
  EXPECT_EQ(all["durations"],
            json::parse(R"({"nodes": 10, "p10": 5000.0, "p50": 20000.0, "p90": 40000.0,
                            "p99": 40000.0, "max": 40000.0})"));
  EXPECT_EQ(all["sizes"], json::parse(R"({"nodes": 2, "p10": 1024, "p50": 1024, "p90": 1024,
                                          "p99": 1024, "max": 1024})"));
  EXPECT_EQ(all["lanes"].size(), one["lanes"].size());
  EXPECT_EQ(all["lanes"].back()["lane"], "CPU thread 9");
  EXPECT_EQ(all["lanes"].back()["time_ns"], 30'000.0);
  EXPECT_EQ(all["longest"].size(), 10U);
  EXPECT_EQ(all["longest"][0]["time_ns"], 40'000.0);
}

std::string simulated_file() {
  return R"({"traceEvents": [
    {"ph": "M", "pid": 3, "tid": 3, "name": "process_name", "args": {"name": "mesh"}},
    {"ph": "X", "pid": 3, "tid": 4, "name": "runs", "ts": 0, "dur": 9, "args": {"cycle": 0}},
    {"ph": "X", "pid": 3, "tid": 5, "name": "mm", "ts": 99, "dur": 30,
     "args": {"iteration": 1, "rank": 0, "node": 2}},
    {"ph": "X", "pid": 3, "tid": 5, "name": "mm", "ts": 12.5, "dur": 30,
     "args": {"iteration": 0, "rank": 0, "node": 2}},
    {"ph": "X", "pid": 3, "tid": 6, "name": "mm", "ts": 7, "dur": 3,
     "args": {"iteration": 0, "rank": 1, "node": 2}}]})";
}

TEST(TracePage, PutsSimulatedOperationsBesideRecordedOnes) {
  const auto machines = simulated_machines("s.json", simulated_file());
  ASSERT_EQ(machines.size(), 1U);
  const std::vector<ShownTrace> traces{shown(step_nodes())};
  const TracePageData data = trace_page_data(traces, machines);
  EXPECT_EQ(data.json["machines"], json::parse(R"(["mesh"])"));
  const auto& rank = data.json["ranks"][0];
  EXPECT_EQ(rank["rank"], 0);
  EXPECT_EQ(rank["recorded"], false);
  EXPECT_EQ(rank["lanes"][1]["name"], "stream 7");
  EXPECT_EQ(rank["lanes"][1]["spans"].dump(), "[[1,1,10000.0,30000.0,12500.0,30000.0]]");
  EXPECT_EQ(rank["lanes"][2]["spans"].dump(), "[[2,2,15000.0,20000.0,null,null]]");
  EXPECT_EQ(data.spans, 5U);
  EXPECT_EQ(data.simulated, std::vector<std::uint64_t>{1});
}

TEST(TracePage, RefusesOtherFilesThanTimelinesOfTraces) {
  constexpr const char* kAllowed =
      "; allowed: a file that train --trace … --timeline FILE.json wrote";
  const auto refused = [](const std::string& text) {
    return refusal_of([&] { simulated_machines("s.json", text); });
  };
  EXPECT_EQ(refused("{"), fmt::format("--simulated: s.json: found no JSON{}", kAllowed));
  EXPECT_EQ(refused("[]"), fmt::format("--simulated: s.json: found no 'traceEvents'{}", kAllowed));
  EXPECT_EQ(refused(R"({"traceEvents": []})"),
            fmt::format("--simulated: s.json: found no operations of traces{}", kAllowed));
  EXPECT_EQ(refused(R"({"traceEvents": [{"ph": "X", "args": {"node": 3}}]})"),
            fmt::format("--simulated: s.json: found an event without its fields{}", kAllowed));
}

}  // namespace
}  // namespace fredsim
