// SPDX-License-Identifier: Apache-2.0
// Switches of a fabric as their kinds have them, and their common interface.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "base/error.h"
#include "switch/node_shape.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

Node node_of(NodeKind kind, const std::string& name, int ports) {
  Node node{};
  node.kind = kind;
  node.name = name;
  node.ports = ports;
  return node;
}

Node switch_node(const std::string& kind, int ports, std::vector<NamedValue> values = {}) {
  Node node = node_of(NodeKind::kSwitch, "s", ports);
  node.switch_kind = kind;
  node.values = std::move(values);
  return node;
}

Topology fabric(std::vector<Node> switches) {
  Topology topology;
  topology.nodes.push_back(node_of(NodeKind::kNpu, "npu0", 1));
  for (Node& node : switches) topology.nodes.push_back(std::move(node));
  return topology;
}

std::string logic_error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(NodeShape, TakesWhatTheMachineTheFabricAndTheNodeSay) {
  Topology topology = fabric({switch_node("fred", 7, {{"P", 7}, {"M", 4}, {"YIELD", 2}})});
  topology.buffers = {.data_flits = 31, .control_flits = 3, .output_flits = 17};
  topology.packet_flits = 6;
  topology.format = FpFormat::kBf16;
  topology.vc_order = {kPp, kDp, kControl, kMp};
  topology.switch_values = {{"QUANTUM", 9}, {"YIELD", 5}, {"ITERATIONS", 2}};
  topology.own_values = {{"DEEP", 3}};
  topology.rtl_top = "mine";
  const SwitchShape shape = switch_shape(topology, topology.nodes[1], 5);
  EXPECT_EQ(shape.kind, &switch_kind("fred"));
  const std::vector<NamedValue> want{{"P", 7},
                                     {"M", 4},
                                     {"LANES", 5},
                                     {"VC_DEPTH", 31},
                                     {"CTRL_DEPTH", 3},
                                     {"OUT_DEPTH", 17},
                                     {"FORMAT", 1},
                                     {"PACKET_FLITS", 6},
                                     {"QUANTUM", 9},
                                     {"YIELD", 2},
                                     {"VC_ORDER", number_of(topology.vc_order)}};
  for (const NamedValue& value : want)
    EXPECT_EQ(shape.value(value.name), value.value) << value.name;
  EXPECT_EQ(shape.rtl_top, "mine");
  EXPECT_EQ(shape.own_values, topology.own_values);
  EXPECT_EQ(switch_shape(topology, topology.nodes[1]).lanes(), 1);
}

TEST(NodeShape, OfANodeWithOtherPortsThanItsSwitchIsAnError) {
  const Topology topology = fabric({switch_node("mesh", 9, {{"NUM_LOCAL", 4}, {"NUM_IO", 2}})});
  EXPECT_EQ(logic_error_of([&] { switch_shape(topology, topology.nodes[1]); }),
            "topology: s has 9 ports, its switch 10");
}

TEST(NodeShape, SaysWhatAllSwitchesOfAFabricCan) {
  const Node fred = switch_node("fred", 4, {{"P", 4}});
  const Node voq = switch_node("voq_crossbar", 4, {{"P", 4}});
  const Node mesh = switch_node("mesh", 6, {{"NUM_LOCAL", 1}, {"NUM_IO", 1}});
  const Node reducing = switch_node("mesh_reducing", 6, {{"NUM_LOCAL", 1}, {"NUM_IO", 1}});
  EXPECT_TRUE(routes_by_table(fabric({fred, voq})));
  EXPECT_FALSE(routes_by_table(fabric({mesh})));
  EXPECT_FALSE(routes_by_table(fabric({reducing})));
  EXPECT_FALSE(routes_by_table(fabric({}))) << "there is none";
  EXPECT_TRUE(adds_in_switches(fabric({fred, reducing})));
  EXPECT_FALSE(adds_in_switches(fabric({fred, voq})));
  EXPECT_FALSE(adds_in_switches(fabric({mesh})));
  Topology topology = fabric({fred});
  EXPECT_EQ(phases_in_use(topology), 1);
  topology.switch_values = {{"YIELD", 9}, {"PHASES_IN_USE", 2}};
  EXPECT_EQ(phases_in_use(topology), 2);
}

TEST(NodeShape, AddersOfTwoStagesAddThoseOfTheLargestSwitch) {
  Topology topology =
      fabric({switch_node("fred", 4, {{"P", 4}}), switch_node("fred", 12, {{"P", 12}})});
  EXPECT_EQ(added_stages(topology), 0);
  topology.switch_values = {{"YIELD", 9}, {"ADDER_STAGES", 2}};
  EXPECT_EQ(added_stages(topology), 2);
  EXPECT_EQ(added_stages(fabric({})), 0);
}

TEST(NodeShape, OfAKindThatThereIsNotNamesTheKinds) {
  const Topology topology = fabric({switch_node("fredd", 4)});
  EXPECT_THROW(kind_of(topology.nodes[1]), BadInput);
}

// ---- facts of kinds

TEST(SwitchKindFacts, KindsWithoutPhasesRefuseWhatIsOfThem) {
  for (const char* name : {"mesh", "voq_crossbar"}) {
    const SwitchKind& kind = switch_kind(name);
    const SwitchShape shape = kind.shape({});
    const std::string want = "switches of the kind " + std::string(name) + " have no phases";
    EXPECT_EQ(kind.num_phases(shape), 0);
    EXPECT_EQ(logic_error_of([&] { kind.route_flows(shape, {}); }), want);
    EXPECT_EQ(logic_error_of([&] { kind.describe_conflict(shape, {}, {}); }), want);
    EXPECT_EQ(logic_error_of([&] { kind.phase_row(shape, 0, {}, {}); }), want);
    EXPECT_EQ(logic_error_of([&] { kind.phase_flows(shape, {}); }), want);
  }
}

TEST(SwitchKindFacts, RowsOfKindsWithPhasesFitTheirStores) {
  const std::vector<Flow> flows{{0b0011, 0b0100}, {0b1000, 0b0011}};
  for (const SwitchKind* kind : switch_kinds()) {
    const SwitchShape shape = kind->shape({});
    const int phases = kind->num_phases(shape);
    if (phases == 0) continue;
    SCOPED_TRACE(kind->name());
    const RoutedFlows routed = kind->route_flows(shape, flows);
    ASSERT_TRUE(routed.routed);
    ASSERT_EQ(routed.order.size(), flows.size());
    const std::vector<std::uint32_t> row = kind->phase_row(shape, kDp, flows, routed);
    EXPECT_LE(static_cast<int>(row.size()) * phases, reg::kPhaseStoreWords);
    EXPECT_LT(phases, kPhaseOnline + 1);
    EXPECT_EQ(kind->phase_flows(shape, row), flows);
  }
}

TEST(SwitchKindFacts, FlowsThatHaveNoPathsTogetherAreAConflictOfFredAlone) {
  const std::vector<Flow> flows{{0b0001, 0b0001}, {0b0010, 0b0100}};
  // Each of three flows shares an edge µSwitch with both others, and there are two sub-networks.
  const std::vector<Flow> meeting{{0b0001, 0b0001}, {0b0110, 0b0100}, {0b1000, 0b0010}};
  int conflicts = 0;
  for (const SwitchKind* kind : switch_kinds()) {
    const SwitchShape shape =
        kind->shape(std::vector<NamedValue>{{"P", 6}, {"M", 2}, {"NUM_LOCAL", 1}, {"NUM_IO", 1}});
    if (kind->num_phases(shape) == 0) continue;
    SCOPED_TRACE(kind->name());
    EXPECT_TRUE(kind->route_flows(shape, flows).routed);
    const RoutedFlows routed = kind->route_flows(shape, meeting);
    if (kind->name() != "fred") {
      EXPECT_TRUE(routed.routed);
      EXPECT_EQ(logic_error_of([&] { kind->describe_conflict(shape, {}, {}); }).substr(0, 25),
                "flows do not conflict in ");
      continue;
    }
    if (routed.routed) continue;
    ++conflicts;
    const std::vector<std::string> names(routed.conflict.flows.size(), "some flow");
    EXPECT_NE(kind->describe_conflict(shape, routed.conflict, names).find("some flow"),
              std::string::npos);
  }
  EXPECT_EQ(conflicts, 1);
}

// Heads on a mesh: a packet on its way along a ring needs one flit of room, one that turns into it
// a flit more than itself.
TEST(SwitchKindFacts, HeadsNeedTheRoomOfTheirRings) {
  Topology topology = fabric({switch_node("mesh", 10)});
  topology.packet_flits = 6;
  const SwitchKind& mesh = switch_kind("mesh");
  const auto needs = [&](int input, int output, int max) {
    return mesh.head_credits(topology, topology.nodes[1], input, output, max);
  };
  EXPECT_EQ(needs(kWest, kEast, 80), 6);
  EXPECT_EQ(needs(kWest, kEast, 4), 4) << "more there is not";
  topology.grid.rings = {.columns = 4, .rows = 0};
  EXPECT_EQ(needs(kWest, kEast, 80), 1);
  EXPECT_EQ(needs(kEast, kWest, 80), 1);
  EXPECT_EQ(needs(kFirstLocal, kEast, 80), 7);
  EXPECT_EQ(needs(kFirstLocal, kEast, 4), 5);
  EXPECT_EQ(needs(kNorth, kSouth, 80), 6) << "columns are no rings";
  EXPECT_EQ(needs(kWest, kFirstLocal, 80), 6);
  topology.grid.rings = {.columns = 0, .rows = 3};
  EXPECT_EQ(needs(kNorth, kSouth, 80), 1);
  EXPECT_EQ(needs(kEast, kSouth, 80), 7);
  EXPECT_EQ(needs(kWest, kEast, 80), 6);
  EXPECT_EQ(switch_kind("fred").head_credits(topology, topology.nodes[1], 0, 1, 80), 1);
}

TEST(SwitchKindFacts, RoutersAreToldTheirPlaceRingsAndLostLinks) {
  Topology topology = fabric({switch_node("mesh", 10)});
  Node& node = topology.nodes[1];
  node.mesh.x = 5;
  node.mesh.y = 9;
  const auto writes = [&](const char* kind) {
    std::vector<std::pair<int, std::uint32_t>> all;
    for (const RegisterWrite& write : switch_kind(kind).setup_writes(topology, node))
      all.emplace_back(write.address, write.data);
    return all;
  };
  using Writes = std::vector<std::pair<int, std::uint32_t>>;
  const Writes place{{reg::kPosition, 0x0905}};
  EXPECT_EQ(writes("mesh"), place);
  EXPECT_EQ(writes("mesh_reducing"), place);
  EXPECT_EQ(writes("fred"), Writes{});
  node.mesh.no_link = 0b0100;
  topology.grid.rings = {.columns = 6, .rows = 12};
  topology.dimensions = {{6, Joined::kRing}, {12, Joined::kRing}};
  ASSERT_TRUE(topology.has_rings());
  EXPECT_EQ(writes("mesh"),
            (Writes{{reg::kPosition, 0x0905}, {reg::kTorus, 0x0C06}, {reg::kNoLink, 4}}));
  EXPECT_EQ(writes("mesh_reducing"), (Writes{{reg::kPosition, 0x0905}, {reg::kNoLink, 4}}));
}

TEST(SwitchKindFacts, StagingHoldsAPacket) {
  for (const SwitchKind* kind : switch_kinds()) {
    if (kind->index("OUT_DEPTH") < 0) continue;
    SCOPED_TRACE(kind->name());
    const std::vector<NamedValue> values{{"OUT_DEPTH", 5}, {"PACKET_FLITS", 5}};
    EXPECT_NO_THROW(kind->check(kind->shape(values), "n"));
    const std::vector<NamedValue> short_of{{"OUT_DEPTH", 5}, {"PACKET_FLITS", 6}};
    try {
      kind->check(kind->shape(short_of), "n");
      FAIL() << "no error";
    } catch (const BadInput& error) {
      EXPECT_EQ(std::string(error.what()),
                "n: OUT_DEPTH of a " + kind->name() +
                    " switch: found 5; allowed: a packet of 6 flits or more");
    }
  }
}

TEST(SwitchKindFacts, EveryParameterIsCheckedAtBothEnds) {
  for (const SwitchKind* kind : switch_kinds()) {
    for (const SwitchParameter& p : kind->parameters()) {
      if (p.name == "VC_ORDER") continue;  // an order, not a range
      for (const int value : {p.min - 1, p.max + 1}) {
        const SwitchShape shape = kind->shape(std::vector<NamedValue>{{p.name, value}});
        try {
          kind->check(shape, "n");
          FAIL() << kind->name() << " takes " << p.name << "=" << value;
        } catch (const BadInput& error) {
          EXPECT_EQ(std::string(error.what()),
                    "n: " + p.name + " of a " + kind->name() + " switch (" + p.meaning +
                        "): found " + std::to_string(value) +
                        "; allowed: " + std::to_string(p.min) + " to " + std::to_string(p.max));
        }
      }
    }
  }
}

TEST(SwitchKindFacts, TwoPhasesInUseNeedSubNetworksThatAreToldByTwoBits) {
  const SwitchKind& fred = switch_kind("fred");
  EXPECT_NO_THROW(
      fred.check(fred.shape(std::vector<NamedValue>{{"M", 3}, {"PHASES_IN_USE", 2}}), "n"));
  try {
    fred.check(fred.shape(std::vector<NamedValue>{{"M", 4}, {"PHASES_IN_USE", 2}}), "n");
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_STREQ(
        error.what(),
        "n: PHASES_IN_USE of a fred switch with M=4: found 2; allowed: 1, or M of 3 or less");
  }
}

}  // namespace
}  // namespace fredsim
