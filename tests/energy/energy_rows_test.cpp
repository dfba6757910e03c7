// SPDX-License-Identifier: Apache-2.0
// Rows of energy: every kind has some, how a switch finds its own, and energies of counts that are
// known.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "config/config.h"
#include "energy/run_energy.h"

namespace fredsim::test {
namespace {

constexpr const char* kSmallRows =
    R"({"flit_bits": 100, "memory_read_pj_per_bit": 0.1, "memory_write_pj_per_bit": 0.2, "link_pj_per_bit": 0.5, "rows": [
 {"kind": "fred", "ports": 2, "parameters": {"M": 3}, "unicast_pj": 1, "clock_pj": 2, "flow_pj": 3, "addition_pj": 4, "copy_pj": 5},
 {"kind": "fred", "ports": 4, "parameters": {"M": 3}, "unicast_pj": 3, "clock_pj": 4, "flow_pj": 5, "addition_pj": 6, "copy_pj": 7,
  "unicast_load_pj": 8, "flow_load_pj": 10, "addition_load_pj": 12, "copy_load_pj": 14}]})";

Topology tree(std::string kind, int npus_per_l1) {
  return load_config("configs/fred_d.yaml",
                     {"switch.kind=" + kind, "io.count=0", "fabric.l1_switches=2",
                      "fabric.npus_per_l1=" + std::to_string(npus_per_l1),
                      "npu.count=" + std::to_string(2 * npus_per_l1), "fabric.slices=1",
                      "npu.bandwidth=600 GB/s", "fabric.uplinks=1",
                      "fabric.l2_chiplets_per_slice=1", "fabric.uplink_bandwidth=600 GB/s"})
      .topology;
}

const Node& first_switch(const Topology& topology) {
  for (const Node& node : topology.nodes)
    if (node.is_switch()) return node;
  throw std::logic_error("no switch");
}

TEST(EnergyRows, EveryKindHasSome) {
  for (const SwitchKind* kind : switch_kinds()) {
    const bool has_some = std::ranges::any_of(
        energy_rows().rows, [&](const EnergyRow& row) { return row.kind == kind->name(); });
    EXPECT_TRUE(has_some || kind->rtl_top().empty()) << kind->name();
  }
  for (const EnergyRow& row : energy_rows().rows) {
    for (const double pj : {row.unicast_pj, row.clock_pj})
      EXPECT_GT(pj, 0) << row.kind << row.ports;
    EXPECT_GE(row.copy_pj, 0) << row.kind << row.ports;
    if (!row.adds) continue;
    for (const double pj : {row.flow_pj, row.addition_pj})
      EXPECT_GT(pj, 0) << row.kind << row.ports;
  }
}

TEST(EnergyRows, ThoseOfMachinesAreFound) {
  for (const char* machine : {"fred_a", "fred_d", "mesh", "mesh_reducing", "torus"}) {
    const Topology topology = load_config(std::string("configs/") + machine + ".yaml").topology;
    for (const Node& node : topology.nodes) {
      if (!node.is_switch()) continue;
      EXPECT_EQ(find_energy_row(energy_rows(), topology, node).missing, "") << machine << node.name;
    }
  }
}

// Links, buffers and tables take the values of technology.json, unless a machine file overrides
// them.
TEST(EnergyRows, HaveTheDefaultsOfTheKeys) {
  const EnergyFigures figures = load_config("configs/fred_d.yaml").energy;
  EXPECT_EQ(figures.link, energy_rows().link_pj_per_bit);
  EXPECT_EQ(figures.io_link, energy_rows().link_pj_per_bit);
  EXPECT_EQ(figures.memory_read, energy_rows().memory_read_pj_per_bit);
  EXPECT_EQ(figures.memory_write, energy_rows().memory_write_pj_per_bit);
}

TEST(EnergyRows, BetweenTwoAndALittleBeyondThereIsALine) {
  const EnergyRows rows = parse_energy_rows(kSmallRows);
  const auto found = [&](int npus) {
    const Topology topology = tree("fred", npus);
    return find_energy_row(rows, topology, first_switch(topology));
  };
  EXPECT_EQ(found(1).row.unicast_pj, 1);  // two ports
  EXPECT_EQ(found(2).row.unicast_pj, 2);
  EXPECT_EQ(found(2).row.copy_pj, 6);
  EXPECT_EQ(found(3).row.clock_pj, 4);
  EXPECT_EQ(found(5).row.addition_pj, 8);  // six ports
  EXPECT_EQ(found(6).missing,
            "switches of the kind fred with 7 ports have no energy row; there are some of 2 to 4");
  const Topology other = tree("reducing_crossbar", 2);
  EXPECT_EQ(find_energy_row(rows, other, first_switch(other)).missing,
            "switches of the kind reducing_crossbar with these parameters have no energy row");
}

TEST(EnergyRows, RtlOfOnesOwnHasNone) {
  Topology topology = load_config("configs/fred_d.yaml").topology;
  topology.rtl_top = "my_switch";
  RunResult run;
  run.links.resize(topology.links.size());
  const EnergyResult energy = energy_of(topology, {}, run);
  EXPECT_EQ(energy.missing, "the RTL my_switch of one's own has no energy row");
  EXPECT_EQ(energy.total, 0);
}

// A flit of each of two NPUs is added up in their switch, and the sum goes back to both.
TEST(RunEnergy, IsThatOfItsEvents) {
  const Topology topology = tree("fred", 2);
  RunResult run;
  run.cycles = 10;
  run.links.resize(topology.links.size());
  run.switch_additions.resize(topology.nodes.size());
  const NodeId node = topology.links[topology.link_out(0, 0)].to;
  for (const NodeId npu : {0, 1}) {
    for (const int l : {topology.link_out(npu, 0), topology.link_in(npu, 0)}) {
      run.links[l].flits = run.links[l].phase_flits = run.links[l].busy_cycles = 1;
      run.links[l].bytes = 512;
    }
  }
  run.switch_additions[node] = 1;
  run.additions = 3;
  run.parts.emplace_back().size_bytes = 512;
  const EnergyFigures figures{.link = 0.5,
                              .io_link = 1,
                              .memory_read = 0.1,
                              .memory_write = 0.2,
                              .npu_memory = 2,
                              .npu_compute = 0.25};
  const EnergyResult energy = energy_of(topology, figures, run, 8, parse_energy_rows(kSmallRows));
  ASSERT_EQ(energy.missing, "");
  EXPECT_EQ(*energy.parts.adders, 5);                // three ports
  EXPECT_EQ(*energy.parts.interconnect, 4 + 6);      // the sum, and a copy of it
  EXPECT_NEAR(*energy.parts.buffers, 4 * 30, 1e-9);  // in and staged
  EXPECT_EQ(*energy.parts.npu_links, 4 * 50);
  EXPECT_EQ(*energy.parts.switch_links, 0);
  EXPECT_FALSE(energy.parts.io_links.has_value());
  EXPECT_EQ(*energy.parts.clock, 10 * (3 + 3 + 2) + 5 + 6 + 7);  // and a switch of two ports above
  EXPECT_EQ(*energy.parts.npu_adders, 2 * 7);
  EXPECT_EQ(*energy.parts.npu_memory, (4 * 512 + 2 * 512) * 8 * 2);
  EXPECT_EQ(*energy.parts.npu_compute, 2);
  EXPECT_EQ(energy.bits, 4096);
  double sum = 0;
  for (const EnergyPart& part : kEnergyParts) sum += (energy.parts.*part.value).value_or(0);
  EXPECT_NEAR(energy.total, sum, 1e-9 * sum);
}

TEST(RunEnergy, WhatIsUnsetIsLeftOut) {
  const Topology topology = tree("fred", 2);
  RunResult run;
  run.links.resize(topology.links.size());
  const EnergyResult energy = energy_of(topology, {}, run);
  EXPECT_EQ(energy.missing, "");
  for (const auto& part : {energy.parts.npu_links, energy.parts.buffers, energy.parts.tables,
                           energy.parts.npu_memory, energy.parts.npu_compute})
    EXPECT_FALSE(part.has_value());
}

TEST(RunEnergy, AnInterruptedRunHasNone) {
  const Topology topology = tree("fred", 2);
  RunResult run;
  run.incomplete = true;
  EXPECT_EQ(energy_of(topology, {}, run).missing, "the run was interrupted");
}

}  // namespace
}  // namespace fredsim::test
