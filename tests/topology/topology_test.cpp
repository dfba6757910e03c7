// SPDX-License-Identifier: Apache-2.0
// index_ports() finds every broken invariant, in every build type.
#include "topology/topology.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace fredsim {
namespace {

Link one_way(NodeId from, int from_port, NodeId to, int to_port) {
  Link link;
  link.name = std::to_string(from) + "." + std::to_string(from_port) + "->" + std::to_string(to);
  link.from = from;
  link.from_port = from_port;
  link.to = to;
  link.to_port = to_port;
  link.rate = {1, 2};
  return link;
}

// Two NPUs on a Fred_3(3) with one port unconnected.
Topology pair() {
  Topology topology;
  for (const int i : {0, 1}) {
    Node npu{};
    npu.kind = NodeKind::kNpu;
    npu.name = "npu" + std::to_string(i);
    npu.ports = 1;
    npu.address = static_cast<std::uint16_t>(i);
    topology.nodes.push_back(npu);
    topology.npus.push_back(i);
  }
  Node chiplet{};
  chiplet.kind = NodeKind::kSwitch;
  chiplet.name = "l1_0.s0";
  chiplet.ports = 3;
  chiplet.switch_kind = "fred";
  topology.nodes.push_back(chiplet);
  for (const int i : {0, 1}) {
    topology.links.push_back(one_way(i, 0, 2, i));
    topology.links.push_back(one_way(2, i, i, 0));
  }
  return topology;
}

TEST(Topology, IndexesPorts) {
  Topology topology = pair();
  topology.index_ports();
  EXPECT_EQ(topology.link_out(0, 0), 0);
  EXPECT_EQ(topology.link_in(0, 0), 1);
  EXPECT_EQ(topology.link_out(2, 1), 3);
  EXPECT_EQ(topology.link_in(2, 1), 2);
  EXPECT_EQ(topology.link_out(2, 2), -1);
  EXPECT_EQ(topology.link_in(2, 2), -1);
  topology.index_ports();  // a second time is the same
  EXPECT_EQ(topology.link_out(2, 1), 3);
}

TEST(Topology, FindsWhatIsBroken) {
  struct Case {
    const char* name;
    std::function<void(Topology&)> damage;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"node name", [](Topology& t) { t.nodes[1].name = "npu0"; }, "two nodes are called npu0"},
      {"link name", [](Topology& t) { t.links[1].name = t.links[0].name; }, "two links are called"},
      {"no ports", [](Topology& t) { t.nodes[0].ports = 0; }, "npu0 has 0 ports"},
      {"no kind", [](Topology& t) { t.nodes[2].switch_kind = ""; },
       "l1_0.s0 is of the switch kind ''"},
      {"kind of an NPU", [](Topology& t) { t.nodes[0].switch_kind = "fred"; },
       "npu0 is of the switch kind"},
      {"address", [](Topology& t) { t.nodes[1].address = 0; }, "address 0 of npu1"},
      {"missing in list", [](Topology& t) { t.npus.pop_back(); }, "in no list"},
      {"twice in list", [](Topology& t) { t.npus[1] = 0; }, "listed twice"},
      {"wrong list", [](Topology& t) { t.io_controllers = {2}; }, "wrong list"},
      {"dimensions",
       [](Topology& t) {
         t.dimensions = {{3, Joined::kLine}};
       },
       "2 NPUs in dimensions for 3"},
      {"rate 0",
       [](Topology& t) {
         t.links[0].rate = {0, 1};
       },
       "a rate of 0/1"},
      {"rate above 1",
       [](Topology& t) {
         t.links[0].rate = {3, 2};
       },
       "a rate of 3/2"},
      {"latency 0", [](Topology& t) { t.links[0].latency = 0; }, "a latency of 0"},
      {"no such port", [](Topology& t) { t.links[0].to_port = 3; }, "a port that is not there"},
      {"no such node", [](Topology& t) { t.links[0].to = 9; }, "a port that is not there"},
      {"taken port", [](Topology& t) { t.links[0].to_port = 1; }, "l1_0.s0.1 has two links"},
      {"no way back", [](Topology& t) { t.links.pop_back(); }, "has no link back"},
      {"another way back", [](Topology& t) { std::swap(t.links[1].to, t.links[3].to); },
       "has no link back"},
  };
  for (const Case& c : cases) {
    Topology topology = pair();
    c.damage(topology);
    try {
      topology.index_ports();
      ADD_FAILURE() << c.name << ": nothing was thrown";
    } catch (const std::logic_error& error) {
      EXPECT_NE(std::string(error.what()).find(c.message), std::string::npos)
          << c.name << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace fredsim
