// SPDX-License-Identifier: Apache-2.0
#include "support/sample_run.h"

namespace fredsim {

RunResult sample_run() {
  RunResult run;
  run.config = "configs/mesh.yaml";
  run.machine = {{"name", "a"},
                 {"npu.count", 4},
                 {"fabric.in_switch", true},
                 {"fabric.levels.1.below", 2},
                 {"fabric.levels.2.below", 3},
                 {"fabric.levels.2.uplinks", 1}};
  run.settings = {.all = {{"npu.count", "20"}, {"io.count", "0"}}, .own = {}};
  run.fabric = "mesh";
  run.model = "rtl";
  run.lanes = 3;
  run.clock_ghz = 1.5;
  run.collective = "all_reduce";
  run.algorithm = "hier_ring";
  run.groups = {{0, 1, 5, 6}};
  run.parts = {{.name = {},
                .collective = "all_reduce",
                .algorithm = "hier_ring",
                .group = {0, 1, 5, 6},
                .priority = "dp",
                .packet_order = {},
                .size_bytes = 65536,
                .start_cycle = 30,
                .cycles = 270,
                .time_ns = 180,
                .algbw_gbps = 320,
                .busbw_gbps = 480,
                .bound_ns = 150}};
  run.workers = {
      .placement = "paper", .npus = {}, .strategy = "mp2-dp2-pp1", .dimensions = {"mp", "dp"}};
  run.size_bytes = 65536;
  run.seed = 7;
  run.cycles = 300;
  run.time_ns = 200;
  run.algbw_gbps = 327.68;
  run.busbw_gbps = 491.52;
  run.bound_ns = 160;
  run.network_bound_ns = 125;
  run.payload = "exact";
  run.idle_cycles = 31;
  run.repeated_cycles = 32;
  run.repeated_flit_hops = 33;
  run.equal_slices_flit_hops = 34;
  run.injected_bytes = 1000;
  run.injected_bytes_per_npu_max = 300;
  run.link_bytes = 4000;
  run.flit_hops = 8;
  run.acknowledgement_packets = 3;
  run.acknowledgement_bytes = 1536;
  run.links = {{"a.0->b.1", "a", "b", false, 11, 5632, 12, 0.25, {}}};
  run.switches = {{"r0_0", "rtl", 21, 22, 23, 24, {{"join", 25}, {"credit", 26}}}};
  run.layout = {.kind = "mesh2d",
                .nodes = {{"npu0", "npu", {}, {}},
                          {"r0_0", "mesh_router", GridPlace{2, 3}, {}},
                          {"l2.s4.c1", "fred_switch", {}, TreePlace{2, 5, 4, 1}}}};
  run.wall_s = 0.5;
  run.sim_cycles_per_s = 600;
  return run;
}

}  // namespace fredsim
