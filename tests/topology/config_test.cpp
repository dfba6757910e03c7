// Configuration files as the user meets them: the shipped ones, and every way to get one wrong.
#include "topology/config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support.h"
#include "topology/facts.h"

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

// A file of its own per test: ctest runs them side by side.
std::string refused_text(const std::string& text) {
  const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / (name + ".yaml");
  std::ofstream(path) << text;
  std::string message = refused(path.string(), {});
  std::filesystem::remove(path);
  return message;
}

TEST(Config, ShippedFilesLoad) {
  for (const auto& entry : std::filesystem::directory_iterator("configs")) {
    SCOPED_TRACE(entry.path());
    const MachineConfig config = load_config(entry.path().string());
    expect_sound(config.topology);
    EXPECT_EQ(config.path, entry.path().string());
    EXPECT_EQ(config.topology.name, entry.path().stem().string());
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

TEST(Config, FredD) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  EXPECT_EQ(topology.kind, FabricKind::kFredTree);
  EXPECT_EQ(topology.fred.l1_switches, 5);
  EXPECT_EQ(topology.fred.npus_per_l1, 4);
  EXPECT_EQ(topology.fred.slices, 5);
  EXPECT_EQ(topology.fred.uplinks, 4);
  EXPECT_EQ(topology.fred.l2_chiplets_per_slice, 2);
  EXPECT_EQ(topology.fred.middle, 3);
  EXPECT_TRUE(topology.fred.in_switch);
  EXPECT_EQ(topology.buffers.data_flits, 48);
  EXPECT_EQ(topology.buffers.control_flits, 4);
  EXPECT_EQ(topology.buffers.output_flits, 24);
  EXPECT_EQ(link_named(topology, "npu3.0->l1_0.s0.3").rate, (Rational{25, 32}));
  EXPECT_EQ(bisection_bytes_per_second(topology), 30'000'000'000'000U);
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

TEST(Config, UnknownKeys) {
  expect_parts(refused_text("name: w\nclok: 1 GHz\n"),
               {"UnknownKeys.yaml:2: unknown key 'clok'; did you mean 'clock'?",
                "(allowed: name, clock, npu, io, fabric and switch)"});
  expect_parts(refused_text("fabric:\n  type: mesh2d\n  widht: 5\n"),
               {"UnknownKeys.yaml:3: unknown key 'fabric.widht'; did you mean 'width'?",
                "(allowed: type, link_latency, width, height, link_bandwidth and local_latency)"});
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
  expect_parts(mesh("switch.output_buffer=12 KiB"), {"switch.output_buffer: a key of fabric type"});
  expect_parts(fred("fabric.width=5"),
               {"fabric.width: a key of fabric type mesh2d, but fabric.type is fred_tree"});
}

TEST(Config, MissingKeys) {
  expect_parts(refused_text("fabric:\n  type: mesh2d\n"),
               {"MissingKeys.yaml: missing key 'name' (name of the machine)"});
  expect_parts(refused_text("name: w\n"), {"missing key 'fabric.type' (mesh2d or fred_tree)"});
  expect_parts(refused_text("name: w\nclock: 1 GHz\nfabric: {type: mesh2d}\nnpu:\n  count: 4\n"),
               {"MissingKeys.yaml:4: missing key 'npu.bandwidth'"});
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
  expect_parts(refused_text(""), {"Files.yaml: is empty"});
  expect_parts(refused_text("name: [\n"), {"Files.yaml:"});
}

}  // namespace
}  // namespace fredsim
