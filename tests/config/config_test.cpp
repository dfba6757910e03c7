// Configuration files as the user meets them: the shipped ones, and every way to get one wrong.
#include "config/config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "temporary_folder.h"
#include "topology/facts.h"
#include "topology/support.h"

namespace fredsim {
namespace {

std::string refused(const std::string& path, const std::vector<std::string>& overrides) {
  return refusal([&] { load_config(path, overrides); });
}

std::string mesh(const std::string& override_text) {
  return refused("configs/mesh.yaml", {override_text});
}

std::string fred(const std::string& override_text) {
  return refused("configs/fred_d.yaml", {override_text});
}

std::string write_file(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder.file("machine.yaml")) << text;
  return folder.file("machine.yaml");
}

std::string refused_text(const std::string& text) {
  const TemporaryFolder folder;
  return refused(write_file(folder, text), {});
}

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
  EXPECT_EQ(topology.kind, FabricKind::kMesh2d);
  EXPECT_EQ(topology.mesh.width, 5);
  EXPECT_EQ(topology.mesh.height, 4);
  EXPECT_EQ(topology.io_controllers.size(), 18U);
  EXPECT_EQ(topology.buffers.data_flits, 80);
  EXPECT_EQ(topology.buffers.control_flits, 4);
  EXPECT_EQ(topology.buffers.receive_flits, 96);
  EXPECT_EQ(topology.format, FpFormat::kFp16);
  EXPECT_EQ(link_named(topology, "r0_0.1->r1_0.3").rate, (Rational{125, 128}));
  EXPECT_EQ(bisection_bytes_per_second(topology), 3'750'000'000'000U);
}

// The mesh with more links: nothing else is different.
TEST(Config, Torus) {
  const Topology torus = load_config("configs/torus.yaml").topology;
  const Topology mesh = load_config("configs/mesh.yaml").topology;
  EXPECT_EQ(torus.kind, FabricKind::kTorus2d);
  EXPECT_EQ(torus.io_controllers.size(), mesh.io_controllers.size());
  EXPECT_EQ(torus.links.size(), mesh.links.size() + 2 * (5 + 4));
  EXPECT_EQ(torus.buffers.data_flits, mesh.buffers.data_flits);
  EXPECT_EQ(bisection_bytes_per_second(torus), 2 * bisection_bytes_per_second(mesh));
  expect_parts(
      refused("configs/torus.yaml", {"switch.input_buffer=4 KiB"}),
      {"--set switch.input_buffer=4 KiB: switch.input_buffer: found 4 KiB", "4608 B or more"});
  expect_parts(refused("configs/torus.yaml", {"fabric.slices=5"}),
               {"fabric.slices: a key of fabric type fred_tree, but fabric.type is torus2d"});
}

TEST(Config, FredD) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  EXPECT_EQ(topology.kind, FabricKind::kFredTree);
  ASSERT_EQ(topology.fred.depth(), 2);
  EXPECT_EQ(topology.fred.switches(1), 5);
  EXPECT_EQ(topology.fred.npus_per_l1(), 4);
  EXPECT_EQ(topology.fred.slices, 5);
  EXPECT_EQ(topology.fred.levels[0].uplinks, 4);
  EXPECT_EQ(topology.fred.levels[1].chiplets_per_slice, 2);
  EXPECT_EQ(topology.fred.middle, 3);
  EXPECT_TRUE(topology.fred.in_switch);
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
    EXPECT_EQ(topology.fred.levels[0].uplink_bandwidth, variant.uplink_bandwidth);
    EXPECT_EQ(bisection_bytes_per_second(topology), variant.bisection);
    EXPECT_EQ(topology.fred.in_switch, variant.in_switch);
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
  ASSERT_EQ(topology.fred.depth(), 3);
  EXPECT_EQ(topology.fred.levels[0].chiplets_per_slice, 1);
  EXPECT_EQ(topology.fred.levels[1].uplinks, 4);
  EXPECT_EQ(topology.fred.levels[1].uplink_bandwidth, 14'400'000'000'000U);
  EXPECT_EQ(topology.fred.levels[2].below, 4);
  EXPECT_EQ(topology.fred.levels[2].uplinks, 0);
  const Topology wide =
      load_config("configs/fred_64.yaml",
                  {"fabric.levels.3.below=2", "npu.count=32",
                   "fabric.levels.2={below: 4, uplinks: 4, uplink_bandwidth: 6 TB/s}"})
          .topology;
  EXPECT_EQ(wide.npus.size(), 32U);
  EXPECT_EQ(wide.fred.levels[1].chiplets_per_slice, 1);
}

// The keys of one level as a file writes them: in one line, or one line each.
std::string level_text(const FredLevel& level, bool one_line) {
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
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", case " << i);
    FredTreeFacts tree{
        .levels = std::vector<FredLevel>(pick(1, 4)), .slices = pick(1, 5), .middle = pick(2, 4)};
    tree.in_switch = pick(0, 1) == 1;
    tree.simulate_all_slices = pick(0, 1) == 1;
    int npus = 1;
    std::string levels;
    for (int k = 1; k <= tree.depth(); ++k) {
      FredLevel& level = tree.levels[k - 1];
      level.below = pick(2, 4);
      npus *= level.below;
      if (k > 1) level.chiplets_per_slice = tree.levels[k - 2].uplinks;
      if (k < tree.depth()) {
        level.uplinks = pick(1, 3);
        level.uplink_bandwidth = 1'000'000'000ULL * pick(1, 100) * tree.slices *
                                 level.chiplets_per_slice * level.uplinks;
      }
      levels += level_text(level, pick(0, 1) == 1);
    }
    const std::string text = fmt::format(
        "name: tree\nclock: 1.5 GHz\nnpu: {{count: {}, bandwidth: {} GB/s}}\n"
        "fabric:\n  type: fred_tree\n  levels:\n{}  slices: {}\n  middle: {}\n"
        "  link_latency: 20 ns\n  in_switch: {}\n  simulate_slices: {}\n"
        "switch: {{input_buffer: 24 KiB, control_buffer: 2 KiB, output_buffer: 12 KiB}}\n",
        npus, 100 * tree.slices, levels, tree.slices, tree.middle, tree.in_switch,
        tree.simulate_all_slices ? "all" : "distinct");
    const TemporaryFolder folder;
    const Topology topology = load_config(write_file(folder, text)).topology;
    const FredTreeFacts& read = topology.fred;
    EXPECT_EQ(read.slices, tree.slices);
    EXPECT_EQ(read.middle, tree.middle);
    EXPECT_EQ(read.in_switch, tree.in_switch);
    EXPECT_EQ(read.simulate_all_slices, tree.simulate_all_slices);
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

TEST(Config, LevelsRefused) {
  const auto of = [](const std::string& override_text) {
    return refused("configs/fred_64.yaml", {override_text});
  };
  expect_parts(of("fabric.levels.2.uplinks=three"),
               {"--set fabric.levels.2.uplinks=three: fabric.levels.2.uplinks: found 'three'"});
  expect_parts(of("fabric.levels.2.uplink=3"),
               {"unknown key 'fabric.levels.2.uplink'; did you mean 'uplinks'?",
                "(allowed: below, chiplets_per_slice, uplinks and uplink_bandwidth)"});
  expect_parts(of("fabric.levels.3.uplinks=3"),
               {"fabric.levels.3.uplinks: found at the last level, the top"});
  expect_parts(of("fabric.levels.1.chiplets_per_slice=2"),
               {"fabric.levels.1.chiplets_per_slice: found '2'", "from 1 to 1"});
  expect_parts(of("fabric.levels.5.below=4"), {"found '5'", "a list of 3; allowed is 1 to 4"});
  expect_parts(of("fabric.levels.4.below=4"),
               {"missing key 'fabric.levels.3.uplinks' (uplinks of one chiplet)"});
  expect_parts(of("fabric.levels.0.below=4"), {"allowed is 1 to 4"});
  expect_parts(of("fabric.levels.x.below=4"), {"found 'x'"});
  expect_parts(of("fabric.levels.2=4"),
               {"fabric.levels.2: found the value '4'; keys are wanted: below"});
  expect_parts(of("fabric.levels.2=[4]"),
               {"fabric.levels.2: found a list; keys are wanted: below"});
  expect_parts(of("fabric.levels=3"), {"fabric.levels: found the value '3'; a list is wanted"});
  expect_parts(of("fabric.levels={below: 3}"), {"fabric.levels: found keys; a list is wanted"});
  expect_parts(of("fabric.levels=[]"), {"the number of levels: found 0"});
  expect_parts(of("fabric.levels=[~]"), {"fabric.levels.1: found nothing"});
  expect_parts(of("fabric.uplinks=4"),
               {"fabric.uplinks: found beside fabric.levels, which stands in its place"});
  expect_parts(of("fabric.levels.2.uplinks=3"),
               {"--set fabric.levels.2.uplinks=3: fabric.levels.2.uplinks: found 3 x"});
  expect_parts(of("fabric.levels=[{below: 8, uplinks: 3, uplink_bandwidth: 9 TB/s}, {below: 8}]"),
               {"fabric.levels.1.uplink_bandwidth: link l1_0.s0.8->l2.s0.c0.0 of 1 TB/s"});
  expect_parts(mesh("fabric.levels=[{below: 3}]"),
               {"fabric.levels: a key of fabric type fred_tree"});
  expect_parts(refused_text("name: w\nfabric:\n  levels:\n    - below: 2\n      width: 3\n"),
               {"machine.yaml:5: unknown key 'fabric.levels.1.width'"});
  expect_parts(refused_text("name: [w]\n"), {"machine.yaml:1: name: found a list"});
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
      load_config("configs/fred_small.yaml", {"fabric.in_switch=false"}).topology.fred.in_switch);
}

LoadedMachines loaded(const std::vector<MachineFile>& files,
                      const std::vector<std::string>& overrides) {
  return load_configs(files, overrides);
}

std::string refused_machines(const std::vector<MachineFile>& files,
                             const std::vector<std::string>& overrides) {
  return refusal([&] { load_configs(files, overrides); });
}

TEST(Config, SettingsOfOneMachine) {
  const LoadedMachines both =
      loaded({{"configs/fred_d.yaml", {"fabric.middle=2", "switch.input_buffer=48 KiB"}},
              {"configs/fred_d.yaml", {}}},
             {"fabric.middle=4", "switch.output_buffer=24KiB"});
  EXPECT_TRUE(both.notes.empty());
  ASSERT_EQ(both.machines.size(), 2U);
  const auto& [own, other] = std::tie(both.machines[0], both.machines[1]);
  EXPECT_EQ(own.path, "configs/fred_d.yaml");
  EXPECT_EQ(own.topology.fred.middle, 2) << "its own setting comes after --set";
  EXPECT_EQ(own.topology.buffers.data_flits, 96);
  EXPECT_EQ(own.topology.buffers.output_flits, 48);
  EXPECT_EQ(own.settings.all, (std::vector<Setting>{{"switch.output_buffer", "24KiB"},
                                                    {"fabric.middle", "2"},
                                                    {"switch.input_buffer", "48 KiB"}}));
  EXPECT_EQ(own.settings.own,
            (std::vector<Setting>{{"fabric.middle", "2"}, {"switch.input_buffer", "48 KiB"}}));
  EXPECT_EQ(other.topology.fred.middle, 4);
  EXPECT_EQ(other.topology.buffers.data_flits, 48);
  EXPECT_TRUE(other.settings.own.empty());
  EXPECT_EQ(other.settings.all,
            (std::vector<Setting>{{"fabric.middle", "4"}, {"switch.output_buffer", "24KiB"}}));
}

TEST(Config, OverrideOfSomeMachinesIsAppliedToThoseAndNoted) {
  const std::vector<MachineFile> files{{"configs/mesh.yaml", {}},
                                       {"configs/fred_d.yaml", {"fabric.in_switch=false"}},
                                       {"configs/fred_64.yaml", {}}};
  const LoadedMachines all =
      loaded(files, {"fabric.middle=2", "fabric.uplinks=4", "fabric.levels.2.uplinks=8",
                     "clock=2 GHz", "fabric.local_latency=2 ns"});
  EXPECT_EQ(all.notes,
            (std::vector<std::string>{
                "--set fabric.middle=2: applies to configs/fred_d.yaml@fabric.in_switch=false and "
                "configs/fred_64.yaml; configs/mesh.yaml has no such key",
                "--set fabric.uplinks=4: applies to configs/fred_d.yaml@fabric.in_switch=false; "
                "configs/mesh.yaml and configs/fred_64.yaml have no such key",
                "--set fabric.levels.2.uplinks=8: applies to configs/fred_64.yaml; "
                "configs/mesh.yaml and configs/fred_d.yaml@fabric.in_switch=false have no such key",
                "--set fabric.local_latency=2 ns: applies to configs/mesh.yaml; "
                "configs/fred_d.yaml@fabric.in_switch=false and configs/fred_64.yaml have no such "
                "key"}));
  EXPECT_EQ(all.machines[0].settings.all,
            (std::vector<Setting>{{"clock", "2 GHz"}, {"fabric.local_latency", "2 ns"}}));
  EXPECT_EQ(all.machines[1].topology.fred.middle, 2);
  EXPECT_EQ(all.machines[1].topology.fred.levels[0].uplinks, 4);
  EXPECT_EQ(all.machines[2].topology.fred.middle, 2);
  EXPECT_EQ(all.machines[2].topology.fred.levels[1].uplinks, 8);
  for (const MachineConfig& machine : all.machines) {
    EXPECT_EQ(machine.topology.clock_hz, 2'000'000'000U);
  }
}

TEST(Config, OverrideOfTheIoSectionIsForMachinesThatHaveOne) {
  const std::vector<MachineFile> files{{"configs/mesh_2x2.yaml", {}},
                                       {"configs/fred_small.yaml", {}}};
  const LoadedMachines both = loaded(files, {"io.bandwidth=64 GB/s"});
  EXPECT_EQ(both.notes, (std::vector<std::string>{
                            "--set io.bandwidth=64 GB/s: applies to configs/mesh_2x2.yaml; "
                            "configs/fred_small.yaml has no such key"}));
  EXPECT_EQ(link_named(both.machines[0].topology, "io0.0->r0_0.8").bytes_per_second,
            64'000'000'000U);
  EXPECT_TRUE(both.machines[1].topology.io_controllers.empty());

  // Of one machine it makes the section; none need no bandwidth.
  const auto small = [](const std::vector<std::string>& overrides) {
    return load_config("configs/fred_small.yaml", overrides).topology.io_controllers.size();
  };
  EXPECT_EQ(small({"io.count=0"}), 0U);
  EXPECT_EQ(small({"io.count=2", "io.bandwidth=64 GB/s"}), 2U);
  expect_parts(refused_machines({{"configs/fred_small.yaml", {}}}, {"io.count=2"}),
               {"missing key 'io.bandwidth'"});
}

TEST(Config, OverrideThatNoMachineHasIsRefusedAsForOne) {
  const std::vector<MachineFile> grids{{"configs/mesh.yaml", {}}, {"configs/torus.yaml", {}}};
  EXPECT_EQ(refused_machines(grids, {"fabric.middle=2"}),
            "--set fabric.middle=2: fabric.middle: a key of fabric type fred_tree, but fabric.type "
            "is mesh2d");
  expect_parts(refused_machines(grids, {"fabric.widht=2"}),
               {"--set fabric.widht=2: unknown key 'fabric.widht'; did you mean 'width'?"});
  expect_parts(refused_machines({{"configs/mesh.yaml", {}}, {"configs/fred_64.yaml", {}}},
                                {"fabric.levels.4.below=2"}),
               {"fabric.levels"});
}

TEST(Config, RefusalsNameTheMachine) {
  const MachineFile mesh{"configs/mesh.yaml", {}};
  expect_parts(refused_machines({mesh, {"configs/fred_d.yaml", {"fabric.middle=5"}}}, {}),
               {"configs/fred_d.yaml@fabric.middle=5: fabric.middle: found '5'"});
  expect_parts(refused_machines({mesh, {"configs/fred_d.yaml", {}}}, {"fabric.middle=5"}),
               {"configs/fred_d.yaml: --set fabric.middle=5: fabric.middle: found '5'"});
  expect_parts(
      refused_machines({{"configs/mesh.yaml", {"fabric.middle=2"}}, mesh}, {}),
      {"configs/mesh.yaml@fabric.middle=2: fabric.middle: a key of fabric type fred_tree"});
  expect_parts(refused_machines({{"configs/mesh.yaml", {"fabric.middel=2"}}, mesh}, {}),
               {"configs/mesh.yaml@fabric.middel=2: unknown key 'fabric.middel'"});
  expect_parts(refused_machines({{"configs/mesh.yaml", {"npu.count"}}}, {}),
               {"configs/mesh.yaml@npu.count: key.path=value is wanted"});
}

std::string text_of(const MachineKey& key) {
  std::string text = key.path + "=";
  if (const auto* word = std::get_if<std::string>(&key.value)) return text + *word;
  if (const auto* number = std::get_if<std::int64_t>(&key.value)) {
    return text + std::to_string(*number);
  }
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
                                      "fabric.type=fred_tree",
                                      "fabric.link_latency=20 ns",
                                      "fabric.packet=4 KiB",
                                      "fabric.slices=3",
                                      "fabric.middle=3",
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
                                      "switch.kind=fred",
                                      "switch.input_buffer=24 KiB",
                                      "switch.control_buffer=2 KiB",
                                      "switch.output_buffer=12 KiB",
                                      "switch.format=fp16",
                                      "switch.yield=4",
                                      "switch.quantum=64"};
  EXPECT_EQ(keys, want);
}

TEST(Config, UnknownKeys) {
  expect_parts(refused_text("name: w\nclok: 1 GHz\n"),
               {"machine.yaml:2: unknown key 'clok'; did you mean 'clock'?",
                "(allowed: name, clock, npu, io, fabric and switch)"});
  expect_parts(
      refused_text("fabric:\n  type: mesh2d\n  widht: 5\n"),
      {"machine.yaml:3: unknown key 'fabric.widht'; did you mean 'width'?",
       "(allowed: type, link_latency, packet, width, height, link_bandwidth and local_latency)"});
  expect_parts(mesh("fabric.widht=3"),
               {"--set fabric.widht=3: unknown key 'fabric.widht'; did you mean 'width'?"});
  expect_parts(mesh("fabrik.width=3"), {"unknown key 'fabrik'; did you mean 'fabric'?"});
  expect_parts(mesh("width=3"), {"unknown key 'width'; did you mean 'fabric.width'?"});
  expect_parts(refused_text("npu.count: 4\n"), {"unknown key 'npu.count'; in a file"});
  expect_parts(mesh("npu.colour=red"), {"unknown key 'npu.colour' (allowed: count"});
}

TEST(Config, KeysOfTheOtherFabric) {
  expect_parts(mesh("fabric.slices=5"),
               {"fabric.slices: a key of fabric type fred_tree, but fabric.type is mesh2d"});
  expect_parts(
      mesh("switch.output_buffer=12 KiB"),
      {"switch.output_buffer: found '12 KiB', but switches of the kind mesh have no OUT_DEPTH"});
  expect_parts(mesh("switch.yield=5"), {"switches of the kind mesh have no YIELD"});
  expect_parts(
      fred("fabric.width=5"),
      {"fabric.width: a key of fabric type mesh2d or torus2d, but fabric.type is fred_tree"});
}

TEST(Config, PacketsMayBeShorter) {
  EXPECT_EQ(load_config("configs/mesh.yaml").topology.packet_flits, kPacketFlits);
  const Topology topology =
      load_config("configs/fred_small.yaml", {"fabric.packet=1KiB", "switch.output_buffer=1KiB"})
          .topology;
  EXPECT_EQ(topology.packet_flits, 2);
  EXPECT_EQ(topology.buffers.output_flits, 2);
  expect_parts(fred("fabric.packet=8 KiB"),
               {"fabric.packet: found 8 KiB = 16 flits; allowed is 512 B (1 flit) to 8 flits"});
}

TEST(Config, SwitchesHaveAKindAndParameters) {
  const auto load = [](const std::vector<std::string>& overrides) {
    return load_config("configs/fred_small.yaml", overrides).topology;
  };
  EXPECT_EQ(load({}).switch_values, (std::vector<NamedValue>{{"YIELD", 4}, {"QUANTUM", 64}}));
  EXPECT_EQ(load({"switch.kind=fred"}).nodes.back().switch_kind, "fred");
  EXPECT_EQ(load({"switch.yield=9", "switch.quantum=100"}).switch_values,
            (std::vector<NamedValue>{{"YIELD", 9}, {"QUANTUM", 100}}));
  const Topology own =
      load({"switch.rtl_top=mine", "switch.params.WAYS=2", "switch.params.DEEP=7"});
  EXPECT_EQ(own.own_values, (std::vector<NamedValue>{{"DEEP", 7}, {"WAYS", 2}}));
  EXPECT_EQ(load({"switch.rtl_top=mine", "switch.params={WAYS: 2, DEEP: 7}"}).own_values,
            own.own_values);
  expect_parts(fred("switch.kind=frid"),
               {"switch.kind: found 'frid'; allowed for a fred_tree: fred; did you mean 'fred'?"});
  expect_parts(fred("switch.kind=mesh"),
               {"switch.kind: found 'mesh'; allowed for a fred_tree: fred"});
  expect_parts(fred("switch.yield=0"),
               {"switch.yield: found '0'; allowed is an integer from 1 to"});
  expect_parts(fred("switch.params.DEEP=7"),
               {"switch.params.DEEP: found 7, but switches of the kind fred have no such parameter",
                "switch.rtl_top"});
  expect_parts(fred("switch.params.YIELD=7"), {"this parameter is set by switch.yield"});
  expect_parts(fred("switch.params.P=7"), {"this parameter is set by the fabric"});
  expect_parts(fred("switch.params=7"), {"switch.params: found the value '7'; names with values"});
  expect_parts(fred("switch.params.DEEP=x"),
               {"switch.params.DEEP: found 'x', which is no integer"});
  expect_parts(fred("switch.params.2=7"), {"unknown key 'switch.params.2'"});
}

TEST(Config, MissingKeys) {
  expect_parts(refused_text("fabric:\n  type: mesh2d\n"),
               {"machine.yaml: missing key 'name' (name of the machine)"});
  expect_parts(refused_text("name: w\n"),
               {"missing key 'fabric.type' (mesh2d, torus2d or fred_tree)"});
  expect_parts(refused_text("name: w\nclock: 1 GHz\nfabric: {type: mesh2d}\nnpu:\n  count: 4\n"),
               {"machine.yaml:4: missing key 'npu.bandwidth'"});
}

TEST(Config, WrongTypes) {
  expect_parts(mesh("npu=4"), {"npu: found the value '4'; keys are wanted: count"});
  expect_parts(mesh("clock={hz: 1}"), {"clock: found keys; a single value is wanted"});
  expect_parts(mesh("clock="), {"--set clock=: clock: found nothing"});
  expect_parts(mesh("name=' '"), {"name: found ''"});
  expect_parts(mesh("fabric.width=five"), {"found 'five', which is no integer", "from 1 to 64"});
  expect_parts(mesh("fabric.width=5.0"), {"found '5.0', which is no integer"});
  expect_parts(mesh("fabric.width=0x5"), {"found '0x5', which is no integer"});
  expect_parts(mesh("fabric.width=-1"), {"found '-1'; allowed is an integer from 1 to 64"});
  expect_parts(mesh("fabric.width=99999999999999999999"), {"allowed is an integer from 1 to 64"});
  expect_parts(mesh("clock=1500"), {"--set clock=1500: clock: '1500' has no unit"});
  expect_parts(mesh("npu.bandwidth=750 ns"),
               {"npu.bandwidth: '750 ns' is a time, not a bandwidth"});
  expect_parts(mesh("fabric.type=mesh"), {"found 'mesh'; did you mean 'mesh2d'?"});
  expect_parts(mesh("switch.format=fp32"), {"found 'fp32'", "fp16 or bf16"});
  expect_parts(fred("fabric.in_switch=yes"), {"found 'yes' (allowed: false or true)"});
}

TEST(Config, Buffers) {
  expect_parts(mesh("switch.input_buffer=5000 B"), {"not a whole number of flits of 512 B"});
  expect_parts(mesh("switch.input_buffer=3584 B"),
               {"= 7 flits; allowed is 4 KiB (8 flits: one packet)"});
  expect_parts(mesh("switch.control_buffer=0 B"), {"is zero"});
  expect_parts(mesh("switch.control_buffer=100 B"), {"whole number of flits"});
  expect_parts(mesh("npu.receive_buffer=2 KiB"), {"npu.receive_buffer: found 2 KiB = 4 flits"});
  expect_parts(fred("switch.output_buffer=2 KiB"), {"switch.output_buffer: found 2 KiB = 4 flits"});
  expect_parts(fred("switch.input_buffer=1 GiB"), {"to 65535 flits"});
}

TEST(Config, ShapesThatDoNotComeOutNameTheLine) {
  expect_parts(mesh("fabric.width=6"),
               {"configs/mesh.yaml:", ": npu.count: found 20", "6 x 4 = 24"});
  expect_parts(mesh("npu.count=24"), {"--set npu.count=24: npu.count: found 24", "5 x 4 = 20"});
  expect_parts(fred("fabric.uplinks=3"), {"--set fabric.uplinks=3: fabric.uplinks: found 3"});
  expect_parts(fred("fabric.uplinks=32"),
               {"configs/fred_d.yaml: an L1 chiplet would have 40 ports"});
  expect_parts(mesh("clock=1 GHz"), {"fabric.link_bandwidth: link r0_0.1->r1_0.3", "clock 1 GHz",
                                     "at least 1.46484375 GHz"});
  expect_parts(fred("fabric.middle=5"), {"fabric.middle: found '5'", "from 2 to 4"});
}

TEST(Config, Files) {
  expect_parts(refused("configs", {}), {"configs: is a directory"});
  expect_parts(refused("configs/none.yaml", {}),
               {"configs/none.yaml: cannot be read: No such file"});
  expect_parts(refused_text(""), {"machine.yaml: is empty"});
  expect_parts(refused_text("name: [\n"), {"machine.yaml:"});
}

}  // namespace
}  // namespace fredsim
