// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/member.h"
#include "support/sample_run.h"

namespace fredsim {
namespace {

using nlohmann::json;

json parsed(const std::vector<ReportedRun>& runs) {
  return json::parse(results_json({"1.2.3", "5da5371", "fredsim run a.yaml"}, runs));
}

TEST(ResultsJson, NamesIoControllers) {
  RunResult run = sample_run();
  run.groups = {{io_member(12), 0, 1}};
  run.parts.front().group = run.groups.front();
  const json found = parsed({{run, std::nullopt}})["runs"][0];
  EXPECT_EQ(found["groups"], json::parse(R"([["io12", 0, 1]])"));
  EXPECT_EQ(found["parts"][0]["group"], found["groups"][0]);
}

TEST(ResultsJson, HasEveryKeyOfTheContract) {
  const json document = parsed({{sample_run(), std::nullopt}});
  const json expected = json::parse(R"({
    "fredsim": "1.2.3", "commit": "5da5371", "schema": 1, "command": "fredsim run a.yaml",
    "runs": [{
      "config": "configs/mesh.yaml", "settings": {"npu.count": "20", "io.count": "0"},
      "machine": {"name": "a", "npu": {"count": 4}, "fabric": {
        "in_switch": true, "levels": [{"below": 2}, {"below": 3, "uplinks": 1}]}},
      "fabric": "mesh", "model": "rtl", "lanes": 3,
      "clock_ghz": 1.5, "collective": "all_reduce", "algorithm": "hier_ring",
      "groups": [[0, 1, 5, 6]], "placement": "paper", "strategy": "mp2-dp2-pp1",
      "dimensions": ["mp", "dp"], "size_bytes": 65536, "seed": 7, "cycles": 300, "time_ns": 200.0,
      "algbw_gbps": 327.68, "busbw_gbps": 491.52, "payload": "exact",
      "parts": [{"collective": "all_reduce", "algorithm": "hier_ring", "group": [0, 1, 5, 6],
                 "priority": "dp", "size_bytes": 65536, "start_cycle": 30, "cycles": 270,
                 "time_ns": 180.0, "algbw_gbps": 320.0, "busbw_gbps": 480.0, "bound_ns": 150.0}],
      "skipped": {"idle_cycles": 31, "repeated_cycles": 32, "repeated_flit_hops": 33,
                  "equal_slices_flit_hops": 34},
      "traffic": {"injected_bytes": 1000, "injected_bytes_per_npu_max": 300, "link_bytes": 4000,
                  "flit_hops": 8, "acknowledgement_packets": 3, "acknowledgement_bytes": 1536},
      "derived": {"bound_ns": 160.0, "time_over_bound": 1.25, "network_bound_ns": 125.0,
                  "time_over_network_bound": 1.6},
      "links": [{"name": "a.0->b.1", "from": "a", "to": "b", "flits": 11, "bytes": 5632,
                 "busy_cycles": 12, "utilization": 0.25, "on_die": false}],
      "switches": [{"name": "r0_0", "model": "rtl", "flits_in": 21, "flits_out": 22,
                    "reductions": 23, "phase_changes": 24,
                    "stall_cycles": {"join": 25, "credit": 26}}],
      "layout": {"kind": "mesh2d", "nodes": [
        {"name": "npu0", "kind": "npu"}, {"name": "r0_0", "kind": "mesh_router", "x": 2, "y": 3},
        {"name": "l2.s4.c1", "kind": "fred_switch", "level": 2, "switch": 5, "slice": 4,
         "chiplet": 1}]},
      "wall_s": 0.5, "sim_cycles_per_s": 600.0
    }]})");
  EXPECT_EQ(document, expected) << json::diff(expected, document).dump(2);
}

TEST(ResultsJson, ComparisonOnlyWhereThereIsOne) {
  const json document =
      parsed({{sample_run(), std::nullopt}, {sample_run(), Comparison{2, 0.5, -0.25}}});
  EXPECT_FALSE(document["runs"][0].contains("speedup"));
  EXPECT_EQ(document["runs"][1]["speedup"], 2);
  EXPECT_EQ(document["runs"][1]["injected_traffic_reduction"], 0.5);
  EXPECT_EQ(document["runs"][1]["link_traffic_reduction"], -0.25);
}

// JSON has no infinity: against a run that takes no time or moves nothing there is no ratio.
TEST(ResultsJson, ARatioWithoutANumberIsLeftOut) {
  const double infinity = std::numeric_limits<double>::infinity();
  const json run = parsed({{sample_run(), Comparison{infinity, 2, infinity}}})["runs"][0];
  EXPECT_FALSE(run.contains("speedup"));
  EXPECT_EQ(run["injected_traffic_reduction"], 2);
  EXPECT_FALSE(run.contains("link_traffic_reduction"));
}

TEST(ResultsJson, LargeCountersStayExact) {
  RunResult run = sample_run();
  run.link_bytes = 18'446'744'073'709'551'615ULL;
  run.time_ns = 0.1 + 0.2;
  const json document = parsed({{run, std::nullopt}});
  EXPECT_EQ(document["runs"][0]["traffic"]["link_bytes"].get<std::uint64_t>(), run.link_bytes);
  EXPECT_EQ(document["runs"][0]["time_ns"].get<double>(), run.time_ns);
}

TEST(ResultsJson, PathThatIsNotUtf8IsStillJson) {
  RunResult run = sample_run();
  run.config = "caf\xE9.yaml";
  EXPECT_EQ(parsed({{run, std::nullopt}})["runs"][0]["config"], "caf\uFFFD.yaml");
}

TEST(ResultsJson, NullWhatDoesNotApplyToOwnNpus) {
  RunResult run = sample_run();
  run.is_own = true;
  const json with_all = parsed({{run, std::nullopt}})["runs"][0];
  for (const char* key :
       {"config", "machine", "size_bytes", "seed", "algbw_gbps", "busbw_gbps", "payload"}) {
    EXPECT_FALSE(with_all[key].is_null()) << key;
  }
  run.config.clear();
  run.machine.clear();
  run.size_bytes = run.seed = 0;
  run.algbw_gbps = run.busbw_gbps = run.bound_ns = 0;
  run.payload.clear();
  const json with_nothing = parsed({{run, std::nullopt}})["runs"][0];
  for (const char* key :
       {"config", "machine", "size_bytes", "seed", "algbw_gbps", "busbw_gbps", "payload"}) {
    EXPECT_TRUE(with_nothing[key].is_null()) << key;
  }
  EXPECT_EQ(with_nothing["derived"],
            json::parse(R"({"bound_ns": null, "network_bound_ns": 125.0, "time_over_bound": null,
                                                         "time_over_network_bound": 1.6})"));
  EXPECT_EQ(with_nothing["cycles"], 300);
}

TEST(ResultsJson, NoBoundNoRatio) {
  RunResult run = sample_run();
  run.bound_ns = 0;
  EXPECT_TRUE(parsed({{run, std::nullopt}})["runs"][0]["derived"]["time_over_bound"].is_null());
}

}  // namespace
}  // namespace fredsim
