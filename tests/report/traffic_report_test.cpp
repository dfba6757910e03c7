// SPDX-License-Identifier: Apache-2.0
// Table and JSON of synthetic traffic.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "report/json.h"
#include "report/traffic_table.h"

namespace fredsim {
namespace {

using nlohmann::json;

TrafficSetup sample_setup() {
  TrafficSetup setup;
  setup.config = "configs/mesh.yaml";
  setup.machine = {{"clock", "1 GHz"}};
  setup.settings.all = {{"npu.count", "20"}};
  setup.fabric = "mesh";
  setup.model = "tlm";
  setup.clock_ghz = 1.5;
  setup.pattern = "transpose";
  setup.packet_flits = 8;
  setup.seed = 3;
  setup.warmup_cycles = 100;
  setup.window_cycles = 200;
  setup.nodes = 20;
  setup.sending_nodes = 18;
  setup.injection_limit = 3.5;
  setup.layout = {.kind = "torus2d", .nodes = {{"a", "mesh_router", GridPlace{1, 0}, {}}}};
  return setup;
}

TrafficPoint sample_point(double rate, double accepted, bool saturated) {
  TrafficPoint point;
  point.rate = rate;
  point.offered = rate + 0.001;
  point.accepted = accepted;
  point.saturated = saturated;
  point.packets = 50;
  point.arrived = saturated ? 40 : 50;
  point.latency_mean = 100.5;
  point.latency_p50 = 100;
  point.latency_p95 = 120;
  point.latency_p99 = 130;
  point.latency_max = 140;
  point.flit_hops = 900;
  point.hops = 2.25;
  point.links = {{"a.0->b.1", "a", "b", false, 11, 5632, 11, 0.25, {}},
                 {"b.1->a.0", "b", "a", false, 31, 15872, 31, 0.75, {}}};
  point.switches = {{"a", "tlm", 31, 11, 0, 0, {{"credit", 5}, {"arbiter", 6}}}};
  point.cycles = 500;
  point.wall_s = 0.5;
  point.sim_cycles_per_s = 1000;
  return point;
}

TEST(TrafficJson, HasEveryKey) {
  const std::vector<TrafficPoint> points{sample_point(0.5, 0.25, true)};
  const json document = json::parse(
      traffic_json({"1.2.3", "5da5371", "fredsim traffic a.yaml"}, sample_setup(), points));
  const json expected = json::parse(R"({
    "fredsim": "1.2.3", "commit": "5da5371", "schema": 1, "command": "fredsim traffic a.yaml",
    "runs": [{
      "config": "configs/mesh.yaml", "settings": {"npu.count": "20"},
      "machine": {"clock": "1 GHz"}, "fabric": "mesh", "model": "tlm", "lanes": 1,
      "clock_ghz": 1.5, "pattern": "transpose", "self_addressed": "excluded", "nodes": 20,
      "sending_nodes": 18, "packet_flits": 8, "seed": 3, "warmup_cycles": 100,
      "window_cycles": 200, "injection_limit": 3.5, "rate": 0.5, "offered_rate": 0.501,
      "accepted_rate": 0.25, "saturated": true, "packets": 50, "packets_arrived": 40,
      "latency_cycles": {"mean": 100.5, "p50": 100, "p95": 120, "p99": 130, "max": 140},
      "hops": 2.25, "flit_hops": 900, "cycles": 500,
      "links": [{"name": "a.0->b.1", "from": "a", "to": "b", "on_die": false, "flits": 11,
                 "bytes": 5632, "busy_cycles": 11, "utilization": 0.25},
                {"name": "b.1->a.0", "from": "b", "to": "a", "on_die": false, "flits": 31,
                 "bytes": 15872, "busy_cycles": 31, "utilization": 0.75}],
      "switches": [{"name": "a", "model": "tlm", "flits_in": 31, "flits_out": 11, "reductions": 0,
                    "phase_changes": 0, "stall_cycles": {"credit": 5, "arbiter": 6}}],
      "layout": {"kind": "torus2d",
                 "nodes": [{"name": "a", "kind": "mesh_router", "x": 1, "y": 0}]},
      "wall_s": 0.5, "sim_cycles_per_s": 1000.0
    }],
    "saturation": {"accepted_rate": 0.25, "first_saturated_rate": 0.5}})");
  EXPECT_EQ(document, expected) << json::diff(expected, document).dump(2);
}

TEST(TrafficJson, WithoutAPacketThereIsNoLatency) {
  TrafficPoint point = sample_point(0.5, 0, false);
  point.packets = point.arrived = 0;
  TrafficSetup setup = sample_setup();
  setup.hotspot_node = 2;
  setup.hotspot_fraction = 0.5;
  const json document =
      json::parse(traffic_json({"1.2.3", "5da5371", "fredsim traffic a.yaml"}, setup, {&point, 1}));
  EXPECT_TRUE(document["runs"][0]["latency_cycles"]["mean"].is_null());
  EXPECT_TRUE(document["runs"][0]["latency_cycles"]["max"].is_null());
  EXPECT_EQ(document["runs"][0]["hotspot_node"], 2);
  EXPECT_EQ(document["runs"][0]["hotspot_fraction"], 0.5);
  EXPECT_TRUE(document["saturation"]["first_saturated_rate"].is_null());
}

TEST(TrafficTable, ShowsRatesLatenciesAndWhereItSaturates) {
  const std::vector<TrafficPoint> points{sample_point(0.25, 0.25, false),
                                         sample_point(0.5, 0.375, true)};
  const TitledTable titled = traffic_table(sample_setup(), points);
  EXPECT_EQ(titled.heading,
            "mesh: transpose traffic, 18 of 20 NPUs send, packets of 8 flits, model tlm, clock 1.5 "
            "GHz, seed 3\n"
            "warm-up 100 cycles, window 200 cycles, injection limit 3.5 flits per cycle and NPU");
  EXPECT_EQ(
      titled.table.to_string(),
      "  rate  offered  accepted  latency                      hops      link  missing  state\n"
      "                              mean  p50  p95  p99  max  mean  load max  packets\n"
      "--------------------------------------------------------------------------------"
      "----------\n"
      "0.2500   0.2510    0.2500    100.5  100  120  130  140  2.25    75.0 %        0\n"
      "0.5000   0.5010    0.3750    100.5  100  120  130  140  2.25    75.0 %       10  "
      "saturated\n");
  EXPECT_EQ(traffic_summary(sample_setup(), points),
            "saturation: highest accepted rate 0.3750, first saturated rate 0.5000\n"
            "busiest links at rate 0.5000: b.1->a.0 75.0 %, a.0->b.1 25.0 %\n");
}

// A hot spot saturates its own senders long before the remaining ones.
TEST(TrafficTable, AcceptsNoMoreThanSaturatesUnlessItSaysSo) {
  const std::vector<TrafficPoint> points{sample_point(0.25, 0.25, false),
                                         sample_point(0.4, 0.375, true),
                                         sample_point(1, 0.4648, true)};
  EXPECT_TRUE(traffic_summary(sample_setup(), points)
                  .starts_with("saturation: first saturated rate 0.4000, accepted 0.3750; beyond "
                               "it 0.4648 is accepted, at "
                               "rate 1.0000\n"))
      << traffic_summary(sample_setup(), points);
}

TEST(TrafficTable, PacketsAreMissingOnlyWhereSomeAre) {
  TrafficPoint point = sample_point(0.25, 0.25, false);
  point.arrived = point.packets;
  const TitledTable titled = traffic_table(sample_setup(), {&point, 1});
  EXPECT_EQ(titled.table.to_string().find("missing"), std::string::npos);
  const std::string csv = TableOutput(TableFormat::kCsv, {}).table(titled);
  EXPECT_EQ(csv,
            "config,settings,fabric,model,clock_ghz,seed,pattern,hotspot_node,hotspot_fraction,"
            "excluded_nodes,pattern_file,nodes,sending_nodes,packet_flits,packet_sizes,burst,"
            "request_reply,warmup_cycles,window_cycles,"
            "injection_limit_flits_per_cycle,rate_flits_per_cycle,offered_flits_per_cycle,"
            "accepted_flits_per_cycle,latency_mean_cycles,latency_request_mean_cycles,latency_p50_"
            "cycles,latency_p95_cycles,"
            "latency_p99_cycles,latency_max_cycles,hops,link_utilization_max,packets_missing,"
            "state,packets,cycles,wall_s\n"
            "configs/"
            "mesh.yaml,npu.count=20,mesh,tlm,1.5,3,transpose,,,,,20,18,8,,,,100,200,3.5,0.25,"
            "0.251,0.25,100.5,,100,120,130,140,2.25,0.75,0,free,50,500,0.5\n");
}

TEST(TrafficTable, SaysWhatSourcesSend) {
  TrafficSetup setup = sample_setup();
  setup.pattern = "background";
  setup.excluded_nodes = {0, 5};
  setup.packet_flits = 4.5;
  setup.packet_sizes = "1:0.5,8:0.5";
  setup.burst = "alpha=0.02,beta=0.1";
  const std::vector<TrafficPoint> points{sample_point(0.25, 0.25, false)};
  EXPECT_TRUE(traffic_table(setup, points)
                  .heading.starts_with("mesh: background (none to NPU 0, 5) traffic, 18 of 20 NPUs "
                                       "send, packets of 4.5 flits (1:0.5,8:0.5) in bursts "
                                       "(alpha=0.02,beta=0.1), model tlm"));
  setup.pattern = "matrix";
  setup.excluded_nodes.clear();
  setup.pattern_file = "rates.csv";
  setup.request_reply = "read=1:8,write=8:1,writes=0.5";
  EXPECT_TRUE(traffic_table(setup, points)
                  .heading.starts_with("mesh: matrix (rates.csv) traffic, 18 of 20 NPUs send, "
                                       "requests and replies (read=1:8,write=8:1,writes=0.5) in"));
}

TEST(TrafficTable, SaysHowMuchLongerAReplayTookThanItsTrace) {
  TrafficSetup setup = sample_setup();
  setup.netrace = NetraceSetup{.file = "a.tra.bz2",
                               .benchmark = "blackscholes",
                               .region = 2,
                               .flit_bytes = 16,
                               .nodes = 16,
                               .cycles = 400,
                               .packets = 60,
                               .local_packets = 10,
                               .dependencies = 44,
                               .outside = 3};
  const std::vector<TrafficPoint> points{sample_point(0.25, 0.2, false)};
  EXPECT_EQ(traffic_table(setup, points).heading,
            "mesh: replay of blackscholes, region 2, 18 of 20 NPUs send, packets of 8 flits, model "
            "tlm, clock 1.5 GHz\n"
            "trace of 16 nodes: 60 packets in 400 cycles, 10 of a node to itself, 44 dependencies, "
            "16 B per flit\n"
            "3 dependencies are on packets that the trace or region lacks, and do not count");
  EXPECT_TRUE(traffic_summary(setup, points)
                  .starts_with("replay: 400 cycles of the trace took 500, 1.250 times as long\n"));
}

TEST(TrafficTable, SaysWhenNothingSaturates) {
  const std::vector<TrafficPoint> points{sample_point(0.0005, 0.0005, false)};
  const std::string text = traffic_summary(sample_setup(), points);
  EXPECT_NE(text.find("saturation: none of these rates; highest accepted rate 0.000500\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace fredsim
