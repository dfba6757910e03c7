// SPDX-License-Identifier: Apache-2.0
#include "topology/faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "config/describe.h"

namespace fredsim {
namespace {

using Texts = std::vector<std::string>;

// Two NPUs below each of two chiplets of level 1, in each of two slices.
Topology fred_tree() {
  return load_config("configs/fred_small.yaml", {"fabric.slices=2"}).topology;
}
Topology mesh() { return load_config("configs/mesh_2x2.yaml").topology; }

void lose(Topology& topology, const Texts& texts) {
  std::vector<Fault> faults;
  for (const std::string& text : texts) faults.push_back(parse_fault(text, "--fault"));
  lose_parts(topology, faults);
}

std::string refusal_of_faults(Topology topology, const Texts& texts) {
  try {
    lose(topology, texts);
  } catch (const BadInput& error) {
    return error.what();
  }
  return {};
}

bool has_link(const Topology& topology, const std::string& name) {
  return std::ranges::find(topology.links, name, &Link::name) != topology.links.end();
}

const Link& link(const Topology& topology, const std::string& name) {
  return *std::ranges::find(topology.links, name, &Link::name);
}

const Node& node(const Topology& topology, const std::string& name) {
  return *std::ranges::find(topology.nodes, name, &Node::name);
}

TEST(Faults, ALinkIsLostBothWays) {
  Topology topology = fred_tree();
  const std::size_t links = topology.links.size();
  lose(topology, {"link:npu0.0->l1_0.s0.0"});
  EXPECT_EQ(topology.links.size(), links - 2);
  EXPECT_FALSE(has_link(topology, "npu0.0->l1_0.s0.0"));
  EXPECT_FALSE(has_link(topology, "l1_0.s0.0->npu0.0"));
  EXPECT_EQ(topology.failed.names, Texts{"link:npu0.0->l1_0.s0.0"});
}

TEST(Faults, ALinkMayKeepAShareOfItsRate) {
  Topology whole = fred_tree();
  Topology topology = whole;
  lose(topology, {"link:npu0.0->l1_0.s0.0*0.25"});
  EXPECT_EQ(topology.links.size(), whole.links.size());
  for (const char* name : {"npu0.0->l1_0.s0.0", "l1_0.s0.0->npu0.0"}) {
    EXPECT_DOUBLE_EQ(link(topology, name).rate.value(), link(whole, name).rate.value() / 4);
    EXPECT_EQ(link(topology, name).bytes_per_second, link(whole, name).bytes_per_second / 4);
  }
  EXPECT_DOUBLE_EQ(link(topology, "npu1.0->l1_0.s0.1").rate.value(),
                   link(whole, "npu1.0->l1_0.s0.1").rate.value());
}

TEST(Faults, ASwitchTakesItsLinksWithItAndNumbersStay) {
  const Topology whole = fred_tree();
  Topology topology = whole;
  lose(topology, {"switch:l1_0.s0"});
  ASSERT_EQ(topology.nodes.size(), whole.nodes.size());
  EXPECT_TRUE(node(topology, "l1_0.s0").failed);
  for (const Link& one : topology.links) {
    EXPECT_NE(topology.nodes[one.from].name, "l1_0.s0") << one.name;
    EXPECT_NE(topology.nodes[one.to].name, "l1_0.s0") << one.name;
  }
  EXPECT_EQ(npus_left(topology).size(), whole.npus.size());
  // NPUs below it reach no other NPU, and all remaining NPUs reach each other; the
  // other slice has no fault.
  for (const NodeId from : topology.npus) {
    for (const NodeId to : topology.npus) {
      const bool below = std::min(from, to) < 2;  // l1_0 has two NPUs
      EXPECT_EQ(topology.failed.leave_path(from, to, 0), !below) << from << " to " << to;
      EXPECT_TRUE(topology.failed.leave_path(from, to, 1)) << from << " to " << to;
    }
  }
}

// The remaining endpoints reach each other in all slices, so there are no detours.
TEST(Faults, ControllersAloneLeaveAllPaths) {
  Topology topology =
      load_config("configs/fred_small.yaml", {"io.count=4", "io.bandwidth=64GB/s"}).topology;
  const Topology whole = topology;
  lose(topology, {"io:1", "io:2"});
  EXPECT_EQ(io_controllers_left(topology), (std::vector{0, 3}));
  EXPECT_EQ(topology.failed.reach.slices, 0);
  Topology with_npu = whole;
  lose(with_npu, {"io:1", "npu:2"});
  EXPECT_EQ(with_npu.failed.reach.slices, whole.slices);
}

TEST(Faults, WhatHasNoLinkLeftIsLostToo) {
  Topology topology = fred_tree();
  lose(topology, {"link:npu0.0->l1_0.s0.0", "link:l1_0.s1.0->npu0.1"});
  EXPECT_TRUE(node(topology, "npu0").failed);
  EXPECT_EQ(npus_left(topology).front(), 1);
  EXPECT_EQ(topology.notes.back(), "npu0 has failed, too: it has no link left");
}

TEST(Faults, WhatCannotBeIsRefusedWithItsReason) {
  const auto expect = [](const Texts& texts, const Texts& words) {
    const std::string found = refusal_of_faults(fred_tree(), texts);
    for (const std::string& word : words)
      EXPECT_NE(found.find(word), std::string::npos) << word << " in: " << found;
  };
  expect({"chip:3"},
         {"--fault: found 'chip:3'", "allowed: link:NAME, link:NAME*RATE, switch:NAME"});
  expect({"npu:1@5000"}, {"'npu:1@5000'", "none in the middle of a run"});
  expect({"npu:x"}, {"found 'npu:x'", "npu:NUMBER"});
  expect({"npu:99"}, {"no NPU of that name", "npu0, npu1"});
  expect({"io:0"}, {"has no I/O controller"});
  expect({"switch:l1_0.s9"}, {"no switch of that name", "did you mean"});
  expect({"link:npu0.0->l1_0.s0.0*1.5"}, {"above 0 and below 1"});
  expect({"link:npu0.0->l1_0.s0.0*0"}, {"above 0 and below 1"});
  expect({"link:npu0.0->l1_0.s0.0*0.0000001"}, {"at most 6 decimals"});
  expect({"switch:l1_0.s0*0.5"}, {"behind '*' of a link"});
  expect({"npu:1", "npu:1"}, {"found 'npu:1' twice"});
  expect({"link:npu0.0->l1_0.s0.0", "link:l1_0.s0.0->npu0.0"}, {"names, too; allowed: once"});
  expect({"npu:0", "npu:1", "npu:2", "npu:3"}, {"no NPU of", "is left then"});
}

TEST(Faults, ALostRouterOfAGridIsRefusedASlowLinkIsNot) {
  const std::string found = refusal_of_faults(mesh(), {"switch:r0_0"});
  EXPECT_NE(found.find("route X-Y, which has no path round it"), std::string::npos) << found;
  EXPECT_EQ(refusal_of_faults(mesh(), {"link:" + mesh().links.back().name + "*0.5"}), "");
  EXPECT_EQ(refusal_of_faults(mesh(), {"npu:1"}), "");
}

TEST(Faults, EveryPartThatIsListedCanBeLost) {
  const std::string parts = describe_parts(fred_tree());
  std::istringstream lines(parts);
  int number = 0;
  for (std::string part; std::getline(lines, part); ++number)
    EXPECT_EQ(refusal_of_faults(fred_tree(), {part}), "");
  // 4 NPUs; 3 chiplets a slice; a link of each NPU and 2 uplinks of each of 2 chiplets in a slice.
  EXPECT_EQ(number, 4 + 2 * 3 + 2 * (4 + 4));
}

TEST(Faults, AreInTheMachineFileToo) {
  const Texts settings{"fabric.slices=2", "faults=[npu:2, 'link:npu0.0->l1_0.s0.0*0.5']"};
  const MachineConfig config = load_config("configs/fred_small.yaml", settings);
  EXPECT_EQ(config.topology.failed.names, (Texts{"npu:2", "link:npu0.0->l1_0.s0.0*0.5"}));
  const auto key = std::ranges::find(config.keys, "faults", &MachineKey::path);
  ASSERT_NE(key, config.keys.end());
  EXPECT_EQ(std::get<Texts>(key->value), config.topology.failed.names);
  try {
    load_config("configs/fred_small.yaml", {"faults=[npu:4]"});
    FAIL() << "npu:4 is not there";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("faults"), std::string::npos) << error.what();
  }
}

TEST(Faults, OfSeveralMachinesAreOfThoseThatHaveThePart) {
  const std::vector<MachineFile> files{{"configs/mesh_2x2.yaml", {}},
                                       {"configs/fred_small.yaml", {}}};
  const LoadedMachines loaded =
      load_configs(files, {}, Texts{"npu:1", "link:npu0.0->l1_0.s0.0*0.5"});
  EXPECT_EQ(loaded.machines[0].topology.failed.names, Texts{"npu:1"});
  EXPECT_EQ(loaded.machines[1].topology.failed.names,
            (Texts{"npu:1", "link:npu0.0->l1_0.s0.0*0.5"}));
  ASSERT_EQ(loaded.notes.size(), 1U);
  EXPECT_NE(loaded.notes[0].find("configs/mesh_2x2.yaml has no such part"), std::string::npos);
}

}  // namespace
}  // namespace fredsim
