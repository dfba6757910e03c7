// SPDX-License-Identifier: Apache-2.0
// Several machines of one command: settings of all of them, and of one alone.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "config/config.h"
#include "config/refusal_of.h"
#include "topology/facts.h"

namespace fredsim {
namespace {

LoadedMachines loaded(const std::vector<MachineFile>& files,
                      const std::vector<std::string>& overrides) {
  return load_configs(files, overrides);
}

std::string refused_machines(const std::vector<MachineFile>& files,
                             const std::vector<std::string>& overrides) {
  return refusal([&] { load_configs(files, overrides); });
}

TEST(SeveralMachines, SettingsOfOneMachine) {
  const LoadedMachines both =
      loaded({{"configs/fred_d.yaml", {"fabric.middle=2", "switch.input_buffer=48 KiB"}},
              {"configs/fred_d.yaml", {}}},
             {"fabric.middle=4", "switch.output_buffer=24KiB"});
  EXPECT_TRUE(both.notes.empty());
  ASSERT_EQ(both.machines.size(), 2U);
  const auto& [own, other] = std::tie(both.machines[0], both.machines[1]);
  EXPECT_EQ(own.path, "configs/fred_d.yaml");
  EXPECT_EQ(switch_parameter(own.topology, "M"), 2) << "its own setting comes after --set";
  EXPECT_EQ(own.topology.buffers.data_flits, 96);
  EXPECT_EQ(own.topology.buffers.output_flits, 48);
  EXPECT_EQ(own.settings.all, (std::vector<Setting>{{"switch.output_buffer", "24KiB"},
                                                    {"fabric.middle", "2"},
                                                    {"switch.input_buffer", "48 KiB"}}));
  EXPECT_EQ(own.settings.own,
            (std::vector<Setting>{{"fabric.middle", "2"}, {"switch.input_buffer", "48 KiB"}}));
  EXPECT_EQ(switch_parameter(other.topology, "M"), 4);
  EXPECT_EQ(other.topology.buffers.data_flits, 48);
  EXPECT_TRUE(other.settings.own.empty());
  EXPECT_EQ(other.settings.all,
            (std::vector<Setting>{{"fabric.middle", "4"}, {"switch.output_buffer", "24KiB"}}));
}

TEST(SeveralMachines, OverrideOfSomeMachinesIsAppliedToThoseAndNoted) {
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
  EXPECT_EQ(switch_parameter(all.machines[1].topology, "M"), 2);
  EXPECT_EQ(all.machines[1].topology.tree.levels[0].uplinks, 4);
  EXPECT_EQ(switch_parameter(all.machines[2].topology, "M"), 2);
  EXPECT_EQ(all.machines[2].topology.tree.levels[1].uplinks, 8);
  for (const MachineConfig& machine : all.machines) {
    EXPECT_EQ(machine.topology.clock_hz, 2'000'000'000U);
  }
}

TEST(SeveralMachines, OverrideOfTheIoSectionIsForMachinesThatHaveOne) {
  const std::vector<MachineFile> files{{"configs/mesh_2x2.yaml", {}},
                                       {"configs/fred_small.yaml", {}}};
  const LoadedMachines both = loaded(files, {"io.bandwidth=64 GB/s"});
  EXPECT_EQ(both.notes, (std::vector<std::string>{
                            "--set io.bandwidth=64 GB/s: applies to configs/mesh_2x2.yaml; "
                            "configs/fred_small.yaml has no such key"}));
  EXPECT_EQ(link_named(both.machines[0].topology, "io0.0->r0_0.8").bytes_per_second,
            64'000'000'000U);
  EXPECT_TRUE(both.machines[1].topology.io_controllers.empty());

  // With one machine the override adds the section; without controllers it needs no bandwidth.
  const auto small = [](const std::vector<std::string>& overrides) {
    return load_config("configs/fred_small.yaml", overrides).topology.io_controllers.size();
  };
  EXPECT_EQ(small({"io.count=0"}), 0U);
  EXPECT_EQ(small({"io.count=2", "io.bandwidth=64 GB/s"}), 2U);
  expect_parts(refused_machines({{"configs/fred_small.yaml", {}}}, {"io.count=2"}),
               {"missing key 'io.bandwidth'"});
}

TEST(SeveralMachines, OverrideThatNoMachineHasIsRefusedAsForOne) {
  const std::vector<MachineFile> grids{{"configs/mesh.yaml", {}}, {"configs/torus.yaml", {}}};
  EXPECT_EQ(refused_machines(grids, {"fabric.middle=2"}),
            "--set fabric.middle=2: fabric.middle: found in a mesh2d; allowed: in a fred_tree");
  expect_parts(refused_machines(grids, {"fabric.widht=2"}),
               {"--set fabric.widht=2: fabric: found the key 'widht'; did you mean 'width'?"});
  expect_parts(refused_machines({{"configs/mesh.yaml", {}}, {"configs/fred_64.yaml", {}}},
                                {"fabric.levels.4.below=2"}),
               {"fabric.levels"});
}

TEST(SeveralMachines, RefusalsNameTheMachine) {
  const MachineFile mesh{"configs/mesh.yaml", {}};
  expect_parts(refused_machines({mesh, {"configs/fred_d.yaml", {"fabric.middle=5"}}}, {}),
               {"configs/fred_d.yaml@fabric.middle=5: fabric.middle: found '5'"});
  expect_parts(refused_machines({mesh, {"configs/fred_d.yaml", {}}}, {"fabric.middle=5"}),
               {"configs/fred_d.yaml: --set fabric.middle=5: fabric.middle: found '5'"});
  expect_parts(refused_machines({{"configs/mesh.yaml", {"fabric.middle=2"}}, mesh}, {}),
               {"configs/mesh.yaml@fabric.middle=2: fabric.middle: found in a mesh2d"});
  expect_parts(refused_machines({{"configs/mesh.yaml", {"fabric.middel=2"}}, mesh}, {}),
               {"configs/mesh.yaml@fabric.middel=2: fabric: found the key 'middel'"});
  expect_parts(refused_machines({{"configs/mesh.yaml", {"npu.count"}}}, {}),
               {"configs/mesh.yaml@npu.count: key.path=value is wanted"});
}

}  // namespace
}  // namespace fredsim
