// SPDX-License-Identifier: Apache-2.0
// Machine files from the user's side: shipped files, trees of all shapes, defaults, overrides,
// kinds of switches.
#include "config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/refusal_of.h"
#include "support/random_range.h"
#include "support/temporary_folder.h"
#include "switch/node_shape.h"
#include "topology/facts.h"
#include "topology/support.h"

namespace fredsim {
namespace {

TEST(Config, ShippedFilesLoad) {
  std::vector<std::filesystem::path> files{"configs/paper/mesh.yaml"};
  for (const auto& entry : std::filesystem::directory_iterator("configs"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file);
    const MachineConfig config = load_config(file.string());
    expect_sound(config.topology);
    EXPECT_EQ(config.path, file.string());
    EXPECT_EQ(config.topology.name, file.stem().string());
    EXPECT_EQ(config.topology.clock_hz, 1'500'000'000U);
  }
}

TEST(Config, Mesh) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  EXPECT_EQ(topology.kind, "mesh2d");
  EXPECT_EQ(topology.grid.width, 5);
  EXPECT_EQ(topology.grid.height, 4);
  EXPECT_EQ(topology.io_controllers.size(), 18U);
  EXPECT_EQ(topology.buffers.data_flits, 80);
  EXPECT_EQ(topology.buffers.control_flits, 4);
  EXPECT_EQ(topology.buffers.receive_flits, 96);
  EXPECT_EQ(topology.format, FpFormat::kFp16);
  EXPECT_EQ(link_named(topology, "r0_0.1->r1_0.3").rate, (Rational{125, 128}));
  EXPECT_EQ(bisection_bytes_per_second(topology), 3'750'000'000'000U);
}

// Exact values, for every link except links on dies, and for a dimension's links alone if the file
// says so.
TEST(Config, LinkEfficiency) {
  const Topology mesh = load_config("configs/mesh.yaml", {"link.efficiency=0.816"}).topology;
  EXPECT_EQ(link_named(mesh, "r0_0.1->r1_0.3").rate,
            Rational::reduced(125 * 816, 128 * std::uint64_t{1000}));
  for (const Link& link : mesh.links) EXPECT_EQ(link.wire_stretch > 1, !link.on_die) << link.name;
  const Topology box =
      load_config("configs/systems/own_box.yaml", {"fabric.links.1.efficiency=0.5"}).topology;
  for (const Link& link : box.links) EXPECT_EQ(link.rate, (Rational{225, 512})) << link.name;
  const Topology system =
      load_config("configs/systems/dgx_8_128.yaml", {"fabric.dimensions.1.efficiency=0.5"})
          .topology;
  for (const Link& link : system.links)
    EXPECT_EQ(link.wire_stretch, link.bytes_per_second == 25'000'000'000 ? 1 : 2) << link.name;
}

// The mesh with more links: nothing else is different.
TEST(Config, Torus) {
  const Topology torus = load_config("configs/torus.yaml").topology;
  const Topology mesh = load_config("configs/mesh.yaml").topology;
  EXPECT_EQ(torus.kind, "torus2d");
  EXPECT_EQ(torus.io_controllers.size(), mesh.io_controllers.size());
  EXPECT_EQ(torus.links.size(), mesh.links.size() + 2 * (5 + 4));
  EXPECT_EQ(torus.buffers.data_flits, mesh.buffers.data_flits);
  EXPECT_EQ(bisection_bytes_per_second(torus), 2 * bisection_bytes_per_second(mesh));
  expect_parts(
      refused("configs/torus.yaml", {"switch.input_buffer=4 KiB"}),
      {"--set switch.input_buffer=4 KiB: switch.input_buffer: found 4 KiB", "4608 B or more"});
  expect_parts(refused("configs/torus.yaml", {"switch.kind=mesh_reducing"}),
               {"switch.kind: found 'mesh_reducing' in a torus2d; allowed: mesh"});
  expect_parts(refused("configs/torus.yaml", {"fabric.slices=5"}),
               {"fabric.slices: found in a torus2d; allowed: in a fred_tree"});
}

// The mesh with reducing routers: no other difference.
TEST(Config, ReducingMesh) {
  const Topology file = load_config("configs/mesh_reducing.yaml").topology;
  const Topology set = load_config("configs/mesh.yaml", {"switch.kind=mesh_reducing"}).topology;
  EXPECT_EQ(file.npus, set.npus);
  EXPECT_EQ(file.switch_values, set.switch_values);
  EXPECT_EQ(file.buffers.data_flits, set.buffers.data_flits);
  EXPECT_EQ(file.buffers.output_flits, 24);
  EXPECT_EQ(set.buffers.output_flits, 24);
  EXPECT_TRUE(adds_in_switches(file));
  EXPECT_FALSE(adds_in_switches(load_config("configs/mesh.yaml").topology));
  ASSERT_EQ(file.nodes.size(), set.nodes.size());
  for (std::size_t n = 0; n < file.nodes.size(); ++n) {
    EXPECT_EQ(file.nodes[n].switch_kind, set.nodes[n].switch_kind);
    EXPECT_EQ(file.nodes[n].name, set.nodes[n].name);
  }
  expect_parts(refused("configs/mesh.yaml", {"switch.kind=fred"}),
               {"switch.kind: found 'fred' in a mesh2d; allowed: mesh or mesh_reducing"});
}

TEST(Config, FredD) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  EXPECT_EQ(topology.kind, "fred_tree");
  ASSERT_EQ(topology.tree.depth(), 2);
  EXPECT_EQ(topology.tree.switches(1), 5);
  EXPECT_EQ(topology.tree.npus_per_l1(), 4);
  EXPECT_EQ(topology.slices, 5);
  EXPECT_EQ(topology.tree.levels[0].uplinks, 4);
  EXPECT_EQ(topology.tree.levels[1].chiplets_per_slice, 2);
  EXPECT_EQ(switch_parameter(topology, "M"), 3);
  EXPECT_TRUE(topology.in_switch);
  EXPECT_EQ(topology.buffers.data_flits, 48);
  EXPECT_EQ(topology.buffers.control_flits, 4);
  EXPECT_EQ(topology.buffers.output_flits, 24);
  EXPECT_EQ(link_named(topology, "npu3.0->l1_0.s0.3").rate, (Rational{25, 32}));
  EXPECT_EQ(bisection_bytes_per_second(topology), 30'000'000'000'000U);
}

// The paper's four variants: uplinks of an L1 switch, bisection, in-switch collectives.
TEST(Config, FredAToD) {
  struct Variant {
    const char* file;
    std::uint64_t uplink_bandwidth;
    std::uint64_t bisection;
    bool in_switch;
  };
  for (const Variant& variant :
       {Variant{"configs/fred_a.yaml", 1'500'000'000'000, 3'750'000'000'000, false},
        Variant{"configs/fred_b.yaml", 1'500'000'000'000, 3'750'000'000'000, true},
        Variant{"configs/fred_c.yaml", 12'000'000'000'000, 30'000'000'000'000, false},
        Variant{"configs/fred_d.yaml", 12'000'000'000'000, 30'000'000'000'000, true}}) {
    SCOPED_TRACE(variant.file);
    const Topology topology = load_config(variant.file).topology;
    EXPECT_EQ(topology.tree.levels[0].uplink_bandwidth, variant.uplink_bandwidth);
    EXPECT_EQ(bisection_bytes_per_second(topology), variant.bisection);
    EXPECT_EQ(topology.in_switch, variant.in_switch);
    // All else is Fred-D's.
    const Topology d =
        load_config("configs/fred_d.yaml",
                    {fmt::format("fabric.uplink_bandwidth={} B/s", variant.uplink_bandwidth)})
            .topology;
    ASSERT_EQ(topology.links.size(), d.links.size());
    for (std::size_t i = 0; i < d.links.size(); ++i) {
      EXPECT_EQ(topology.links[i].name, d.links[i].name);
      EXPECT_EQ(topology.links[i].rate, d.links[i].rate);
    }
    EXPECT_EQ(topology.buffers.data_flits, d.buffers.data_flits);
    EXPECT_EQ(topology.buffers.output_flits, d.buffers.output_flits);
  }
}

TEST(Config, Levels) {
  const Topology topology = load_config("configs/fred_64.yaml").topology;
  EXPECT_EQ(topology.npus.size(), 64U);
  ASSERT_EQ(topology.tree.depth(), 3);
  EXPECT_EQ(topology.tree.levels[0].chiplets_per_slice, 1);
  EXPECT_EQ(topology.tree.levels[1].uplinks, 4);
  EXPECT_EQ(topology.tree.levels[1].uplink_bandwidth, 14'400'000'000'000U);
  EXPECT_EQ(topology.tree.levels[2].below, 4);
  EXPECT_EQ(topology.tree.levels[2].uplinks, 0);
  const Topology wide =
      load_config("configs/fred_64.yaml",
                  {"fabric.levels.3.below=2", "npu.count=32",
                   "fabric.levels.2={below: 4, uplinks: 4, uplink_bandwidth: 6 TB/s}"})
          .topology;
  EXPECT_EQ(wide.npus.size(), 32U);
  EXPECT_EQ(wide.tree.levels[1].chiplets_per_slice, 1);
}

// The keys of one level as a file writes them: in one line, or one line each.
std::string level_text(const TreeLevel& level, bool one_line) {
  std::vector<std::string> keys = {fmt::format("below: {}", level.below)};
  if (level.chiplets_per_slice != 1) {
    keys.push_back(fmt::format("chiplets_per_slice: {}", level.chiplets_per_slice));
  }
  if (level.uplinks != 0) {
    keys.push_back(fmt::format("uplinks: {}", level.uplinks));
    keys.push_back(fmt::format("uplink_bandwidth: {} B/s", level.uplink_bandwidth));
  }
  return one_line ? fmt::format("    - {{{}}}\n", fmt::join(keys, ", "))
                  : fmt::format("    - {}\n", fmt::join(keys, "\n      "));
}

TEST(Config, RandomTreesComeBackFromTheirText) {
  constexpr std::uint64_t kSeed = 64;
  Random random(kSeed);
  const auto pick = [&](int low, int high) { return test::random_between(random, low, high); };
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", case " << i);
    SwitchTree tree{.levels = std::vector<TreeLevel>(pick(1, 4))};
    const int slices = pick(1, 5);
    const int middle = pick(2, 4);
    const bool in_switch = pick(0, 1) == 1;
    const bool all_slices = pick(0, 1) == 1;
    int npus = 1;
    std::string levels;
    for (int k = 1; k <= tree.depth(); ++k) {
      TreeLevel& level = tree.levels[k - 1];
      level.below = pick(2, 4);
      npus *= level.below;
      if (k > 1) level.chiplets_per_slice = tree.levels[k - 2].uplinks;
      if (k < tree.depth()) {
        level.uplinks = pick(1, 3);
        level.uplink_bandwidth =
            1'000'000'000ULL * pick(1, 100) * slices * level.chiplets_per_slice * level.uplinks;
      }
      levels += level_text(level, pick(0, 1) == 1);
    }
    const std::string text = fmt::format(
        "name: tree\nclock: 1.5 GHz\nnpu: {{count: {}, bandwidth: {} GB/s}}\n"
        "fabric:\n  type: fred_tree\n  levels:\n{}  slices: {}\n  middle: {}\n"
        "  link_latency: 20 ns\n  in_switch: {}\n  simulate_slices: {}\n"
        "switch: {{input_buffer: 24 KiB, control_buffer: 2 KiB, output_buffer: 12 KiB}}\n",
        npus, 100 * slices, levels, slices, middle, in_switch, all_slices ? "all" : "distinct");
    const TemporaryFolder folder;
    const Topology topology = load_config(write_file(folder, text)).topology;
    const SwitchTree& read = topology.tree;
    EXPECT_EQ(topology.slices, slices);
    EXPECT_EQ(switch_parameter(topology, "M"), middle);
    EXPECT_EQ(topology.in_switch, in_switch);
    EXPECT_EQ(topology.simulate_all_slices, all_slices);
    EXPECT_EQ(std::ssize(topology.npus), npus);
    ASSERT_EQ(read.depth(), tree.depth());
    for (int k = 0; k < tree.depth(); ++k) {
      EXPECT_EQ(read.levels[k].below, tree.levels[k].below);
      EXPECT_EQ(read.levels[k].chiplets_per_slice, tree.levels[k].chiplets_per_slice);
      EXPECT_EQ(read.levels[k].uplinks, tree.levels[k].uplinks);
      EXPECT_EQ(read.levels[k].uplink_bandwidth, tree.levels[k].uplink_bandwidth);
    }
  }
}

TEST(Config, DefaultsAndOverrides) {
  const Topology small = load_config("configs/mesh_2x2.yaml").topology;
  EXPECT_EQ(small.buffers.receive_flits, 96);
  EXPECT_EQ(small.format, FpFormat::kFp16);
  EXPECT_EQ(link_named(small, "npu0.0->r0_0.4").latency, 1);

  const Topology other =
      load_config("configs/mesh_2x2.yaml",
                  {"fabric.width=3", "npu.count=6", "io.count=0", "switch.format=bf16",
                   "npu.receive_buffer=4 KiB", "fabric.local_latency=2 ns", "fabric.width=2",
                   "npu.count=4", "name=other"})
          .topology;
  EXPECT_EQ(other.name, "other");
  EXPECT_EQ(other.npus.size(), 4U);
  EXPECT_TRUE(other.io_controllers.empty());
  EXPECT_EQ(other.format, FpFormat::kBf16);
  EXPECT_EQ(other.buffers.receive_flits, 8);
  EXPECT_EQ(link_named(other, "npu0.0->r0_0.4").latency, 3);
  EXPECT_FALSE(
      load_config("configs/fred_small.yaml", {"fabric.in_switch=false"}).topology.in_switch);
}

std::string text_of(const MachineKey& key) {
  std::string text = key.path + "=";
  if (const auto* word = std::get_if<std::string>(&key.value)) return text + *word;
  if (const auto* number = std::get_if<std::int64_t>(&key.value)) {
    return text + std::to_string(*number);
  }
  if (const auto* words = std::get_if<std::vector<std::string>>(&key.value))
    return fmt::format("{}[{}]", text, fmt::join(*words, ", "));
  return text + (std::get<bool>(key.value) ? "yes" : "no");
}

TEST(Config, KeysAreTheWholeMachine) {
  const MachineConfig config = load_config(
      "configs/fred_64.yaml", {"fabric.levels.2.uplink_bandwidth=7.2TB/s", "clock=2GHz"});
  std::vector<std::string> keys;
  for (const MachineKey& key : config.keys) keys.push_back(text_of(key));
  const std::vector<std::string> want{"name=fred_64",
                                      "clock=2GHz",
                                      "npu.count=64",
                                      "npu.bandwidth=1.8 TB/s",
                                      "npu.receive_buffer=48 KiB",
                                      "npu.peak=990 TFLOP/s",
                                      "npu.memory_bandwidth=3 TB/s",
                                      "npu.memory=80 GB",
                                      "npu.expanded_memory=0 GB",
                                      "npu.expanded_memory_bandwidth=250 GB/s",
                                      "npu.efficiency=1",
                                      "npu.value_bytes.weights=2",
                                      "npu.value_bytes.activations=2",
                                      "npu.value_bytes.kv=2",
                                      "npu.collective_overhead=0 ns",
                                      "fabric.type=fred_tree",
                                      "fabric.link_latency=20 ns",
                                      "fabric.packet=4 KiB",
                                      "fabric.slices=3",
                                      "fabric.middle=3",
                                      "fabric.chiplet_ports=0",
                                      "fabric.levels.1.below=4",
                                      "fabric.levels.1.chiplets_per_slice=1",
                                      "fabric.levels.1.uplinks=4",
                                      "fabric.levels.1.uplink_bandwidth=7.2 TB/s",
                                      "fabric.levels.2.below=4",
                                      "fabric.levels.2.chiplets_per_slice=2",
                                      "fabric.levels.2.uplinks=4",
                                      "fabric.levels.2.uplink_bandwidth=7.2TB/s",
                                      "fabric.levels.3.below=4",
                                      "fabric.levels.3.chiplets_per_slice=4",
                                      "fabric.in_switch=yes",
                                      "fabric.simulate_slices=distinct",
                                      "energy.link_pj_per_bit=0.063",
                                      "energy.io_link_pj_per_bit=0.063",
                                      "energy.memory_read_pj_per_bit=0.018",
                                      "energy.memory_write_pj_per_bit=0.026",
                                      "energy.npu_memory_pj_per_bit=none",
                                      "energy.npu_compute_pj_per_flop=none",
                                      "switch.kind=fred",
                                      "switch.input_buffer=24 KiB",
                                      "switch.control_buffer=2 KiB",
                                      "switch.output_buffer=12 KiB",
                                      "switch.format=fp16",
                                      "switch.yield=4",
                                      "switch.quantum=64",
                                      "switch.phases_in_use=1",
                                      "switch.adder_stages=1",
                                      "switch.chiplet_mm=0",
                                      "switch.wire_ns_per_mm=0.1",
                                      "switch.vc_order=[control, mp, pp, dp]"};
  EXPECT_EQ(keys, want);
}

TEST(Config, PacketsMayBeShorter) {
  EXPECT_EQ(load_config("configs/mesh.yaml").topology.packet_flits, kPacketFlits);
  const Topology topology =
      load_config("configs/fred_small.yaml", {"fabric.packet=1KiB", "switch.output_buffer=1KiB"})
          .topology;
  EXPECT_EQ(topology.packet_flits, 2);
  EXPECT_EQ(topology.buffers.output_flits, 2);
  expect_parts(refused_fred("fabric.packet=8 KiB"),
               {"fabric.packet: found 8 KiB = 16 flits; allowed: 512 B (1 flit) to 8 flits"});
}

TEST(Config, SwitchesHaveAKindAndParameters) {
  const auto load = [](const std::vector<std::string>& overrides) {
    return load_config("configs/fred_small.yaml", overrides).topology;
  };
  EXPECT_EQ(load({}).switch_values, (std::vector<NamedValue>{{"YIELD", 4}, {"QUANTUM", 64}}));
  EXPECT_EQ(load({"switch.kind=fred"}).nodes.back().switch_kind, "fred");
  EXPECT_EQ(load({"switch.kind=reducing_crossbar"}).nodes.back().switch_kind, "reducing_crossbar");
  EXPECT_EQ(load({"switch.yield=9", "switch.quantum=100"}).switch_values,
            (std::vector<NamedValue>{{"YIELD", 9}, {"QUANTUM", 100}}));
  EXPECT_EQ(load({"switch.phases_in_use=2"}).switch_values,
            (std::vector<NamedValue>{{"YIELD", 4}, {"QUANTUM", 64}, {"PHASES_IN_USE", 2}}));
  expect_parts(refused_fred("switch.phases_in_use=3"), {"switch.phases_in_use", "3", "1 to 2"});
  expect_parts(refused_fred("switch.params.PHASES_IN_USE=2"), {"set by switch.phases_in_use"});
  EXPECT_EQ(load({"switch.adder_stages=2"}).switch_values,
            (std::vector<NamedValue>{{"YIELD", 4}, {"QUANTUM", 64}, {"ADDER_STAGES", 2}}));
  expect_parts(refused_fred("switch.adder_stages=3"), {"switch.adder_stages", "3", "1 to 2"});
  EXPECT_THROW(load({"switch.kind=reducing_crossbar", "switch.adder_stages=2"}), BadInput);
  EXPECT_NO_THROW(load({"switch.kind=reducing_crossbar", "switch.adder_stages=1"}));
  EXPECT_THROW(load({"switch.kind=reducing_crossbar", "switch.phases_in_use=2"}), BadInput);
  const Topology own =
      load({"switch.rtl_top=mine", "switch.params.WAYS=2", "switch.params.DEEP=7"});
  EXPECT_EQ(own.own_values, (std::vector<NamedValue>{{"DEEP", 7}, {"WAYS", 2}}));
  EXPECT_EQ(load({"switch.rtl_top=mine", "switch.params={WAYS: 2, DEEP: 7}"}).own_values,
            own.own_values);
  EXPECT_EQ(load({"switch.kind=aggregator", "switch.params.ADDERS=7"}).switch_values,
            (std::vector<NamedValue>{{"YIELD", 4}, {"QUANTUM", 64}, {"ADDERS", 7}}));
  EXPECT_THROW(load({"switch.kind=aggregator", "switch.params.ADDERS=0"}), BadInput);
  expect_parts(refused_fred("switch.params.ADDERS=7"), {"kind fred have no such parameter"});
  expect_parts(refused_fred("switch.kind=frid"),
               {"switch.kind: found 'frid'; did you mean 'fred'?"});
  expect_parts(refused_fred("switch.kind=mesh"),
               {"switch.kind: found 'mesh' in a fred_tree; allowed: fred, reducing_crossbar, "
                "aggregator or voq_crossbar"});
  expect_parts(refused_fred("switch.yield=0"),
               {"switch.yield: found '0'; allowed: an integer from 1 to"});
  expect_parts(refused_fred("switch.params.DEEP=7"),
               {"switch.params.DEEP: found 7, but switches of the kind fred have no such parameter",
                "switch.rtl_top"});
  expect_parts(refused_fred("switch.params.YIELD=7"), {"this parameter is set by switch.yield"});
  expect_parts(refused_fred("switch.params.P=7"), {"this parameter is set by the fabric"});
  expect_parts(refused_fred("switch.params=7"),
               {"switch.params: found the value '7'; names with values"});
  expect_parts(refused_fred("switch.params.DEEP=x"),
               {"switch.params.DEEP: found 'x', which is no integer"});
  expect_parts(refused_fred("switch.params.2=7"), {"switch.params: found the key '2'"});
}

}  // namespace
}  // namespace fredsim
