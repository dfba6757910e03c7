// SPDX-License-Identifier: Apache-2.0
#include "report/report_data.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "report/json.h"
#include "support/sample_run.h"

namespace fredsim {
namespace {

using Json = ReportData::Json;

std::string results(const std::vector<ReportedRun>& runs) {
  return results_json({"1.2.3", "5da5371", "fredsim run a.yaml"}, runs);
}

std::string traffic() {
  TrafficSetup setup;
  setup.config = "a.yaml";
  setup.fabric = "a";
  setup.pattern = "uniform";
  TrafficPoint point;
  point.rate = 0.5;
  point.links = sample_run().links;
  point.switches = sample_run().switches;
  return traffic_json({"1.2.3", "5da5371", "fredsim traffic a.yaml"}, setup, {&point, 1});
}

Json data_of(const std::string& text) {
  ReportData data;
  data.add({.path = "a.json", .text = text});
  return data.json();
}

std::string refusal(const std::string& text) {
  try {
    data_of(text);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

TEST(ReportData, InterruptedRunsAreLeftOut) {
  RunResult interrupted = sample_run();
  interrupted.incomplete = true;
  const Json data = data_of(results({{interrupted, std::nullopt}, {sample_run(), std::nullopt}}));
  EXPECT_EQ(data["runs"].size(), 1U);
  EXPECT_NE(refusal(results({{interrupted, std::nullopt}})).find("not interrupted"),
            std::string::npos);
}

TEST(ReportData, KeepsWhatThePageShows) {
  const Json data = data_of(results({{sample_run(), Comparison{2, 0.5, 0.25}}}));
  EXPECT_EQ(data["files"], Json::parse(R"_([{"name": "a.json", "version": "1.2.3 (commit 5da5371)",
                                            "command": "fredsim run a.yaml"}])_"));
  const Json& run = data["runs"][0];
  EXPECT_EQ(run["file"], 0);
  EXPECT_EQ(run["fabric_index"], 0);
  EXPECT_EQ(run["time_ns"], 200);
  EXPECT_EQ(run["speedup"], 2);
  EXPECT_EQ(run["parts"][0]["group"], Json::parse("[0, 1, 5, 6]"));
  EXPECT_EQ(run["traffic"]["link_bytes"], 4000);
  EXPECT_EQ(run["links"], Json::parse("[[11, 5632, 0.25]]"));
  EXPECT_EQ(run["switches"][0]["stall_cycles"], Json::parse(R"({"join": 25, "credit": 26})"));
  EXPECT_FALSE(run.contains("wall_s")) << "differs from run to run";
  EXPECT_FALSE(run.contains("sim_cycles_per_s"));
  const Json& fabric = data["fabrics"][0];
  EXPECT_EQ(fabric["links"][0]["from"], "a");
  EXPECT_EQ(fabric["switches"], Json::parse(R"(["r0_0"])"));
  EXPECT_EQ(fabric["layout"]["nodes"][1]["y"], 3);
  EXPECT_EQ(fabric["layout"]["nodes"][2]["chiplet"], 1);
}

TEST(ReportData, HasWhatAMachineHasLost) {
  RunResult run = sample_run();
  run.layout.nodes.front().failed = true;
  run.layout.nodes.front().above = "r2_3";
  Json text = Json::parse(results({{run, std::nullopt}}));
  EXPECT_EQ(data_of(text.dump())["fabrics"][0]["faults"], Json::array());
  text["runs"][0]["faults"] = {"npu:0", "link:a.0->b.1"};
  const Json fabric = data_of(text.dump())["fabrics"][0];
  EXPECT_EQ(fabric["faults"], Json::parse(R"(["npu:0", "link:a.0->b.1"])"));
  EXPECT_EQ(fabric["layout"]["nodes"][0]["lost"], true);
  EXPECT_EQ(fabric["layout"]["nodes"][0]["above"], "r2_3");
  EXPECT_FALSE(fabric["layout"]["nodes"][1].contains("lost"));
}

TEST(ReportData, TakesRunsOfOwnNpusWithWhatDoesNotApplyLeftOut) {
  RunResult own = sample_run();
  own.is_own = true;
  own.config.clear();
  own.size_bytes = own.seed = 0;
  own.algbw_gbps = own.busbw_gbps = 0;
  own.payload.clear();
  const Json run = data_of(results({{own, std::nullopt}}))["runs"][0];
  for (const char* key : {"config", "size_bytes", "seed", "algbw_gbps", "busbw_gbps", "payload"}) {
    EXPECT_TRUE(run[key].is_null()) << key;
  }
  EXPECT_TRUE(run["derived"]["bound_ns"].is_null());
  EXPECT_EQ(run["time_ns"], 200);
}

TEST(ReportData, TrafficHasItsSwitchesToo) {
  const Json data = data_of(traffic());
  EXPECT_EQ(data["runs"][0]["rate"], 0.5);
  EXPECT_TRUE(data["runs"][0]["latency_cycles"]["p99"].is_null());
  EXPECT_EQ(data["runs"][0]["switches"][0]["stall_cycles"]["credit"], 26);
  EXPECT_EQ(data["fabrics"][0]["switches"], Json::parse(R"(["r0_0"])"));
  Json older = Json::parse(traffic());  // a file from before traffic had them
  older["runs"][0].erase("switches");
  EXPECT_TRUE(data_of(older.dump())["runs"][0]["switches"].empty());
}

TEST(ReportData, RatesOfConflictsAreNoRuns) {
  const std::vector<ConflictPoint> points{{.flows = 3, .middle = 2, .conflicts = 5, .trials = 10}};
  const std::string text =
      conflicts_json({"1.2.3", "5da5371", "fredsim conflicts"},
                     {.kind = "any", .ports = 12, .trials = 10, .seed = 4}, points);
  const Json data = data_of(text);
  EXPECT_TRUE(data["runs"].empty());
  ASSERT_EQ(data["conflicts"].size(), 1U);
  const Json& rate = data["conflicts"][0];
  EXPECT_EQ(rate["file"], 0);
  EXPECT_EQ(rate["flows"], 3);
  EXPECT_EQ(rate["conflict_rate"], 0.5);
  EXPECT_GT(rate["wilson_95"]["high"], 0.5);
  Json wrong = Json::parse(text);
  wrong["runs"][0]["wilson_95"].erase("low");
  EXPECT_NE(refusal(wrong.dump()).find("runs[0].wilson_95: found no key 'low'"), std::string::npos);
}

TEST(ReportData, KindsOfSwitchesAreNoRuns) {
  Json file = Json::parse(R"({"fredsim": "1.2.3", "microarchitectures": [
    {"name": "Fred_3", "kind": "fred", "config": "configs/fred_d.yaml", "logic_kge": 34108.9,
     "area_mm2": 290.5, "path_fo4": 76.3, "clock_ghz": 1.56, "saturation": 0.6,
     "conflict_rate": null, "own": 1,
     "works": [{"work": "all-reduce 4 KiB", "algorithm": "in_switch", "time_ns": 114.7,
                "own_clock_time_ns": 112, "energy_pj_per_byte": null}]}]})");
  const Json data = data_of(file.dump());
  EXPECT_TRUE(data["runs"].empty());
  ASSERT_EQ(data["microarchitectures"].size(), 1U);
  const Json& kind = data["microarchitectures"][0];
  EXPECT_EQ(kind["area_mm2"], 290.5);
  EXPECT_TRUE(kind["conflict_rate"].is_null());
  EXPECT_FALSE(kind.contains("own"));
  EXPECT_FALSE(kind.contains("conflicts"));
  EXPECT_EQ(kind["works"][0]["time_ns"], 114.7);
  Json never = file;
  never["microarchitectures"][0]["conflicts"] = "none by construction";
  EXPECT_EQ(data_of(never.dump())["microarchitectures"][0]["conflicts"], "none by construction");
  Json wrong = file;
  wrong["microarchitectures"][0]["works"][0].erase("algorithm");
  EXPECT_NE(refusal(wrong.dump()).find("microarchitectures[0].works[0]: found no key 'algorithm'"),
            std::string::npos);
  wrong = file;
  wrong["microarchitectures"][0]["works"].clear();
  EXPECT_NE(refusal(wrong.dump()).find("allowed: one work or more"), std::string::npos);
  wrong = file;
  wrong["microarchitectures"].clear();
  EXPECT_NE(refusal(wrong.dump()).find("allowed: one kind of switch or more"), std::string::npos);
}

TEST(ReportData, SaysWhereWorkersAre) {
  const Json run = data_of(results({{sample_run(), {}}}))["runs"][0];
  EXPECT_EQ(run["placement"], "paper");
  EXPECT_EQ(run["strategy"], "mp2-dp2-pp1");
  EXPECT_EQ(run["dimensions"], Json::parse(R"(["mp", "dp"])"));
  RunResult plain = sample_run();
  plain.workers.reset();
  EXPECT_TRUE(data_of(results({{plain, {}}}))["runs"][0]["dimensions"].is_null());
  Json older = Json::parse(results({{sample_run(), {}}}));
  for (const char* key : {"placement", "strategy", "dimensions"}) older["runs"][0].erase(key);
  EXPECT_FALSE(data_of(older.dump())["runs"][0].contains("strategy"));
  Json wrong = Json::parse(results({{sample_run(), {}}}));
  wrong["runs"][0]["dimensions"] = 3;
  EXPECT_NE(refusal(wrong.dump()).find("runs[0].dimensions"), std::string::npos);
}

TEST(ReportData, SettingsOfARun) {
  Json document = Json::parse(results({{sample_run(), {}}}));
  EXPECT_EQ(data_of(document.dump())["runs"][0]["settings"],
            Json::parse(R"({"npu.count": "20", "io.count": "0"})"));
  document["runs"][0]["settings"]["io.count"] = 0;
  EXPECT_NE(refusal(document.dump()).find("runs[0].settings.io.count: found 0"), std::string::npos);
  document["runs"][0].erase("settings");
  EXPECT_EQ(data_of(document.dump())["runs"][0]["settings"], Json::object()) << "an older file";
  document.erase("commit");
  EXPECT_EQ(data_of(document.dump())["files"][0]["version"], "1.2.3");
}

TEST(ReportData, RunsOfOneMachineShareItsFabric) {
  RunResult other = sample_run();
  other.links[0].to = "c";
  ReportData data;
  data.add({"a.json", results({{sample_run(), {}}, {other, {}}, {sample_run(), {}}})});
  data.add({"b.json", results({{other, {}}})});
  std::vector<int> fabrics;
  std::vector<int> files;
  for (const Json& run : data.json()["runs"]) {
    fabrics.push_back(run["fabric_index"]);
    files.push_back(run["file"]);
  }
  EXPECT_EQ(fabrics, (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(files, (std::vector<int>{0, 0, 0, 1}));
  EXPECT_EQ(data.json()["fabrics"].size(), 2U);
}

TEST(ReportData, FilesOfBeforeTheNewKeysAreTaken) {
  Json document = Json::parse(results({{sample_run(), {}}}));
  document.erase("command");
  for (const char* key : {"parts", "layout", "derived"}) document["runs"][0].erase(key);
  const Json data = data_of(document.dump());
  EXPECT_TRUE(data["files"][0]["command"].is_null());
  EXPECT_TRUE(data["fabrics"][0]["layout"].is_null());
}

// Every key in turn taken away, or given a value of another kind.
TEST(ReportData, WhatIsNotOursIsRefusedByFileAndKey) {
  struct Case {
    const char* pointer;
    const char* place;
  };
  const Json run = Json::parse(results({{sample_run(), {}}}));
  const Json load = Json::parse(traffic());
  const auto check = [](Json document, const Case& one) {
    const Json::json_pointer at(one.pointer);
    document[at] = Json::parse("[[{}]]");
    const std::string wrong_kind = refusal(document.dump());
    EXPECT_EQ(wrong_kind.rfind("a.json: ", 0), 0U) << wrong_kind;
    EXPECT_NE(wrong_kind.find(one.place), std::string::npos) << wrong_kind;
    EXPECT_NE(wrong_kind.find("; allowed: "), std::string::npos) << wrong_kind;
    document[at.parent_pointer()].erase(at.back());
    const std::string missing = refusal(document.dump());
    EXPECT_NE(missing.find("found no key '" + at.back() + "'"), std::string::npos) << missing;
  };
  for (const Case& one :
       std::vector<Case>{{"/fredsim", "fredsim: found a list"},
                         {"/runs/0/config", "runs[0].config"},
                         {"/runs/0/size_bytes", "runs[0].size_bytes"},
                         {"/runs/0/groups", "runs[0].groups[0][0]"},
                         {"/runs/0/parts/0/priority", "runs[0].parts[0].priority"},
                         {"/runs/0/traffic/link_bytes", "runs[0].traffic.link_byte"},
                         {"/runs/0/links", "runs[0].links[0]"},
                         {"/runs/0/links/0/on_die", "runs[0].links[0].on_die"},
                         {"/runs/0/links/0/utilization", "links[0].utilization"},
                         {"/runs/0/switches/0/name", "runs[0].switches[0].name"},
                         {"/runs/0/layout/nodes/1/y", "runs[0].layout.nodes[1].y"}}) {
    check(run, one);
  }
  check(load, {"/runs/0/accepted_rate", "runs[0].accepted_rate"});
  check(load, {"/runs/0/latency_cycles/p99", "runs[0].latency_cycles.p99"});
}

TEST(ReportData, OtherFilesAreRefused) {
  EXPECT_NE(refusal("").find("a.json: found no JSON"), std::string::npos) << refusal("");
  EXPECT_NE(refusal("{\"fredsim\": ").find("a.json: found no JSON at byte"), std::string::npos);
  EXPECT_NE(refusal("[1]").find("a.json: found a list"), std::string::npos) << refusal("[1]");
  EXPECT_NE(refusal(R"({"fredsim": "1", "runs": []})").find("runs: found a list"),
            std::string::npos);
  Json document = Json::parse(results({{sample_run(), {}}}));
  document["runs"][0]["cycles"] = -1;
  EXPECT_NE(refusal(document.dump()).find("runs[0].cycles: found -1; allowed: a number, 0 or more"),
            std::string::npos);
}

}  // namespace
}  // namespace fredsim
