// SPDX-License-Identifier: Apache-2.0
// Every way to get a machine file wrong.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file_text.h"
#include "config/config.h"
#include "config/refusal_of.h"

namespace fredsim {
namespace {

// A machine file that is right but for its name, in the first line.
std::string machine_named(const std::string& name) {
  std::ifstream file("configs/mesh_2x2.yaml");
  std::string text = "name: " + name + "\n";
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with("name:")) text += line + "\n";
  return text;
}

TEST(ConfigRefusals, UnknownKeys) {
  expect_parts(refused_text("name: w\nclok: 1 GHz\n"),
               {"machine.yaml:2: found the key 'clok'; did you mean 'clock'?"});
  expect_parts(
      refused_text("colour: red\nclock: 1 GHz\n"),
      {"machine.yaml:1: found the key 'colour'; allowed: name, clock, npu, io, fabric, link, "
       "energy, faults and switch"});
  for (const char* figure : {"-1", "0.1 pJ", "nan"})
    expect_parts(refused_mesh(std::string("energy.link_pj_per_bit=") + figure),
                 {"energy.link_pj_per_bit: found '", "allowed: none, or a number from 0 to 1e6"});
  expect_parts(refused_text("fabric:\n  type: mesh2d\n  widht: 5\n"),
               {"machine.yaml:3: fabric: found the key 'widht'; did you mean 'width'?"});
  expect_parts(refused_mesh("fabric.widht=3"),
               {"--set fabric.widht=3: fabric: found the key 'widht'; did you mean 'width'?"});
  expect_parts(refused_mesh("fabrik.width=3"), {"found the key 'fabrik'; did you mean 'fabric'?"});
  expect_parts(refused_mesh("width=3"), {"found the key 'width'; did you mean 'fabric.width'?"});
  expect_parts(refused_text("npu.count: 4\n"), {"found the key 'npu.count'; allowed: in a file"});
  expect_parts(refused_mesh("npu.colour=red"), {"npu: found the key 'colour'; allowed: count"});
}

TEST(ConfigRefusals, LinkErrors) {
  expect_parts(refused_mesh("link.reliability=end"),
               {"link.reliability: found 'end'", "; allowed: none or link"});
  expect_parts(refused_mesh("link={reliability: link, bit_error_rate: 1e-3x}"),
               {"link.bit_error_rate: found '1e-3x'; allowed: 0, or 1e-09 to 0.01"});
  expect_parts(refused_mesh("link={reliability: link, bit_error_rate: 0.1}"),
               {"link.bit_error_rate: found '0.1'; allowed: 0, or 1e-09 to 0.01"});
  expect_parts(refused_mesh("link={reliability: link, flit_loss: nan}"),
               {"link.flit_loss: found 'nan'; allowed: 0, or 1e-09 to 0.5"});
  expect_parts(refused_mesh("link={reliability: link, error_burst: 0}"),
               {"link.error_burst: found '0'; allowed: an integer from 1 to 4096"});
  expect_parts(
      refused_mesh("link.flit_loss=0.1"),
      {"link.flit_loss: found 0.1, but link.reliability is none", "link.reliability: link"});
}

TEST(ConfigRefusals, LinkEfficiency) {
  const std::string allowed =
      "allowed: a number above 0, 1 at most, with up to 6 decimals, such as 0.816";
  for (const std::string text : {"0", "1.2", "-0.5", "0.1234567", "half", ".5", "8e-1"}) {
    expect_parts(refused_mesh("link.efficiency=" + text),
                 {"link.efficiency: found '" + text + "'; " + allowed});
  }
  expect_parts(refused("configs/systems/own_box.yaml", {"fabric.links.1.efficiency=2"}),
               {"fabric.links.1.efficiency: found '2'; " + allowed});
  expect_parts(refused("configs/systems/dgx_8_128.yaml", {"fabric.dimensions.2.efficiency=0"}),
               {"fabric.dimensions.2.efficiency: found '0'; " + allowed});
  expect_parts(refused("configs/systems/dgx_8_128.yaml", {"link.efficiency=0.8"}),
               {"link: found; allowed in the machine file of a block alone"});
}

TEST(ConfigRefusals, KeysOfTheOtherFabric) {
  expect_parts(refused_mesh("fabric.slices=5"),
               {"fabric.slices: found in a mesh2d; allowed: in a fred_tree"});
  expect_parts(
      refused_mesh("switch.output_buffer=12 KiB"),
      {"switch.output_buffer: found '12 KiB', but switches of the kind mesh have no OUT_DEPTH"});
  expect_parts(refused_mesh("switch.yield=5"), {"switches of the kind mesh have no YIELD"});
  expect_parts(refused_fred("fabric.width=5"),
               {"fabric.width: found in a fred_tree; allowed: in a mesh2d or torus2d"});
}

// Files are named after it.
TEST(ConfigRefusals, NamesOfMachines) {
  for (const char* name :
       {"../../evil", "/tmp/x", "a/b", R"("a\nb")", R"("\x1b[2J")", R"("\x7f")", R"("\u009b")"}) {
    SCOPED_TRACE(name);
    expect_parts(refused_text(machine_named(name)),
                 {"machine.yaml:1: name: found '", "no '/' and no control characters"});
  }
  const std::string message = refused_text(machine_named(std::string(201, 'x')));
  expect_parts(message, {"allowed: 1 to 200 bytes"});
  EXPECT_LT(message.size(), 300U);
  EXPECT_EQ(refused_text(machine_named("\"Größe 4: 'a' #b\"")), "(nothing was thrown)");
}

TEST(ConfigRefusals, MissingKeys) {
  expect_parts(refused_text("fabric:\n  type: mesh2d\n"),
               {"machine.yaml: missing key 'name', missing key 'clock', missing key "
                "'npu.bandwidth'",
                "; allowed: all of them, as fredsim new mesh2d prints"});
  expect_parts(
      refused_text("name: w\n"),
      {"missing key 'fabric.type' (mesh2d, torus2d, fred_tree, fully_connected", " more)"});
  expect_parts(refused_text("name: w\nclock: 1 GHz\nfabric: {type: mesh2d, width: 1, height: 4, "
                            "link_bandwidth: 1 GB/s, link_latency: 1 ns}\nnpu:\n  count: 4\n"
                            "switch: {input_buffer: 4 KiB, control_buffer: 1 KiB}\n"),
               {"machine.yaml:4: missing key 'npu.bandwidth' (network bandwidth"});
}

TEST(ConfigRefusals, WrongTypes) {
  expect_parts(refused_mesh("npu=4"), {"npu: found the value '4'; keys are wanted: count"});
  expect_parts(refused_mesh("clock={hz: 1}"), {"clock: found keys; a single value is wanted"});
  expect_parts(refused_mesh("clock="), {"--set clock=: clock: found nothing"});
  expect_parts(refused_mesh("name=' '"), {"name: found ''"});
  expect_parts(refused_mesh("fabric.width=five"),
               {"found 'five', which is no integer", "from 1 to 64"});
  expect_parts(refused_mesh("fabric.width=5.0"), {"found '5.0', which is no integer"});
  expect_parts(refused_mesh("fabric.width=0x5"), {"found '0x5', which is no integer"});
  expect_parts(refused_mesh("fabric.width=-1"), {"found '-1'; allowed: an integer from 1 to 64"});
  expect_parts(refused_mesh("fabric.width=99999999999999999999"),
               {"allowed: an integer from 1 to 64"});
  expect_parts(refused_mesh("clock=1500"),
               {"--set clock=1500: clock: found '1500', which has no unit"});
  expect_parts(refused_mesh("npu.bandwidth=750 ns"),
               {"npu.bandwidth: found '750 ns', which is a time, not a bandwidth"});
  expect_parts(refused_mesh("fabric.type=mesh"), {"found 'mesh'; did you mean 'mesh2d'?"});
  expect_parts(refused_mesh("switch.format=fp32"), {"found 'fp32'", "fp16 or bf16"});
  expect_parts(refused_fred("fabric.in_switch=yes"), {"found 'yes'; allowed: false or true"});
}

TEST(ConfigRefusals, Buffers) {
  expect_parts(refused_mesh("switch.input_buffer=5000 B"),
               {"not a whole number of flits of 512 B"});
  expect_parts(refused_mesh("switch.input_buffer=3584 B"),
               {"= 7 flits; allowed: 4 KiB (8 flits: one packet)"});
  expect_parts(refused_mesh("switch.control_buffer=0 B"), {"is zero"});
  expect_parts(refused_mesh("switch.control_buffer=100 B"), {"whole number of flits"});
  expect_parts(refused_mesh("npu.receive_buffer=2 KiB"),
               {"npu.receive_buffer: found 2 KiB = 4 flits"});
  expect_parts(refused_fred("switch.output_buffer=2 KiB"),
               {"switch.output_buffer: found 2 KiB = 4 flits"});
  expect_parts(refused_fred("switch.input_buffer=1 GiB"), {"to 65535 flits"});
}

TEST(ConfigRefusals, ShapesThatDoNotComeOutNameTheLine) {
  expect_parts(refused_mesh("fabric.width=6"),
               {"configs/mesh.yaml:", ": npu.count: found 20", "6 x 4 = 24"});
  expect_parts(refused_mesh("npu.count=24"),
               {"--set npu.count=24: npu.count: found 24", "5 x 4 = 20"});
  expect_parts(refused_fred("fabric.uplinks=3"),
               {"--set fabric.uplinks=3: fabric.uplinks: found 3"});
  expect_parts(refused_fred("fabric.uplinks=32"),
               {"configs/fred_d.yaml: an L1 chiplet would have 40 ports"});
  expect_parts(refused_mesh("clock=1 GHz"), {"fabric.link_bandwidth: link r0_0.1->r1_0.3",
                                             "clock 1 GHz", "at least 1.46484375 GHz"});
  expect_parts(refused_fred("fabric.middle=5"), {"fabric.middle: found '5'", "from 2 to 4"});
}

TEST(ConfigRefusals, LevelsRefused) {
  const auto of = [](const std::string& override_text) {
    return refused("configs/fred_64.yaml", {override_text});
  };
  expect_parts(of("fabric.levels.2.uplinks=three"),
               {"--set fabric.levels.2.uplinks=three: fabric.levels.2.uplinks: found 'three'"});
  expect_parts(of("fabric.levels.2.uplink=3"),
               {"fabric.levels.2: found the key 'uplink'; did you mean 'uplinks'?"});
  expect_parts(of("fabric.levels.3.uplinks=3"),
               {"fabric.levels.3.uplinks: found at the last level, the top"});
  expect_parts(of("fabric.levels.1.chiplets_per_slice=2"),
               {"fabric.levels.1.chiplets_per_slice: found '2'", "from 1 to 1"});
  expect_parts(of("fabric.levels.5.below=4"), {"found '5'", "a list of 3; allowed: 1 to 4"});
  expect_parts(of("fabric.levels.4.below=4"),
               {"missing key 'fabric.levels.3.uplinks' (uplinks per chiplet)"});
  expect_parts(of("fabric.levels.0.below=4"), {"allowed: 1 to 4"});
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
  expect_parts(refused_mesh("fabric.levels=[{below: 3}]"), {"fabric.levels: found in a mesh2d"});
  expect_parts(refused_text("name: w\nfabric:\n  levels:\n    - below: 2\n      width: 3\n"),
               {"machine.yaml:5: fabric.levels.1: found the key 'width'"});
  expect_parts(refused_text("name: [w]\n"), {"machine.yaml:1: name: found a list"});
}

TEST(ConfigRefusals, Files) {
  expect_parts(refused("configs", {}), {"configs: is a directory"});
  expect_parts(refused("configs/none.yaml", {}),
               {"configs/none.yaml: cannot be read: No such file"});
  expect_parts(refused_text(""), {"machine.yaml: is empty"});
  expect_parts(refused_text("name: [\n"), {"machine.yaml:"});
}

TEST(ConfigRefusals, TextInPlaceOfAFile) {
  const auto load = [](const std::string& text) {
    const MachineFile machine{
        .path = "none/of_a_program.yaml", .settings = {"clock=2 GHz"}, .text = text};
    return load_configs({&machine, 1}, {}).machines.front();
  };
  const std::string text = file_text("configs/fred_small.yaml").value();
  const MachineConfig loaded = load(text);
  EXPECT_EQ(loaded.path, "none/of_a_program.yaml");
  EXPECT_EQ(loaded.topology.clock_hz, 2'000'000'000U);
  EXPECT_EQ(loaded.topology.links.size(),
            load_config("configs/fred_small.yaml").topology.links.size());
  try {
    load("name: w\nclock: 1\n" + text);
    FAIL() << "two names";
  } catch (const BadInput& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("none/of_a_program.yaml:")) << error.what();
  }
}

}  // namespace
}  // namespace fredsim
