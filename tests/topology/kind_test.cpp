// SPDX-License-Identifier: Apache-2.0
// The registry of kinds, and a kind that only this test knows.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support.h"
#include "topology/assembly.h"
#include "topology/facts.h"
#include "topology/topology_kind.h"

namespace fredsim {
namespace {

// A machine file in which all is written that is asked for.
class GivenKeys final : public FabricKeys {
 public:
  using Values = std::map<std::string, std::string, std::less<>>;
  explicit GivenKeys(Values values) : values_(std::move(values)) {}
  bool has(std::string_view path) const override { return values_.find(path) != values_.end(); }
  bool is_in_file(std::string_view path) const override { return has(path); }
  std::string label(std::string_view path) const override { return std::string(path); }
  int entries(std::string_view path) const override { return std::stoi(text(path)); }
  std::vector<std::string> names(std::string_view /*path*/) const override { return {}; }
  std::string text(std::string_view path) const override {
    const auto found = values_.find(path);
    if (found == values_.end()) throw BadInput("missing " + std::string(path));
    return found->second;
  }
  double share(std::string_view path, double /*least*/, double /*most*/) const override {
    return std::stod(text(path));
  }
  std::string file(std::string_view path) const override { return text(path); }
  std::string switch_kind_name(std::string_view /*path*/) const override { return "fred"; }
  Topology machine(std::string_view path) const override {
    throw BadInput(std::string(path) + ": no machine here");
  }

 private:
  std::string written(std::string_view path) const override { return text(path); }

  Values values_;
};

// NPUs around one switch.
class StarKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "star"; }
  std::span<const FabricKey> keys() const override {
    static constexpr std::array kKeys = {FabricKey{"fabric.ways", "NPUs", Holds::kInteger}};
    return kKeys;
  }
  TopologyBuilder builder(const FabricKeys& keys) const override {
    const int ways = keys.integer("fabric.ways", 1, kMaxPorts);
    return [this, ways](const MachineSpec& machine) {
      check_range("npu.count", machine.npus, ways, ways);
      Assembly assembly(machine, *this);
      assembly.topology().dimensions = {{ways}};
      const LinkClass link{"npu.bandwidth", machine.npu_bandwidth / 5};
      for (int i = 0; i < ways; ++i) assembly.add_npu(1, static_cast<std::uint16_t>(i));
      Node hub{};
      hub.kind = NodeKind::kSwitch;
      hub.name = "hub";
      hub.ports = ways;
      hub.switch_kind = switch_kind_of(machine, *this);
      hub.level = 1;
      const NodeId id = assembly.add_switch(hub);
      for (int i = 0; i < ways; ++i) assembly.connect({i, 0}, {id, i}, link);
      return assembly.finish();
    };
  }
  std::string_view default_switch_kind() const override { return "voq_crossbar"; }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }
  std::string describe(const Topology& topology) const override {
    return std::to_string(topology.npus.size()) + " NPUs around a switch";
  }
  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    return topology.links.front().bytes_per_second * (topology.npus.size() / 2);
  }
};

const TopologyKind& star_kind() {
  static const StarKind kKind;
  static const bool kAdded = (add_topology_kind(kKind), true);
  static_cast<void>(kAdded);
  return kKind;
}

TEST(TopologyKinds, AreFoundByTheirNames) {
  for (const TopologyKind* kind : topology_kinds()) {
    EXPECT_EQ(find_topology_kind(kind->name()), kind);
    EXPECT_EQ(&topology_kind(kind->name()), kind);
    EXPECT_FALSE(kind->keys().empty()) << kind->name();
  }
  EXPECT_EQ(find_topology_kind("mesh"), nullptr);
  expect_parts(refusal([] { topology_kind("mesh"); }), {"found 'mesh'", "did you mean 'mesh2d'?"});
}

TEST(TopologyKinds, OneMoreIsBuiltAsTheOthers) {
  const TopologyKind& kind = star_kind();
  EXPECT_EQ(topology_kinds().back(), &kind);
  const TopologyBuilder build = kind.builder(GivenKeys(GivenKeys::Values{{"fabric.ways", "6"}}));
  expect_parts(refusal([&] { build(wafer()); }), {"npu.count: found 20; allowed: 6 to 6"});
  MachineSpec machine = wafer();
  machine.npus = 6;
  const Topology star = build(machine);
  expect_sound(star);
  EXPECT_EQ(star.kind, "star");
  EXPECT_EQ(star.unicasts, UnicastRoutes::kByTable);
  EXPECT_EQ(star.nodes.back().switch_kind, "voq_crossbar");
  EXPECT_EQ(bisection_bytes_per_second(star), 3 * 600'000'000'000U);
  EXPECT_EQ(place_name(star, star.nodes.back()), "router");
  EXPECT_FALSE(star.has_places() || star.has_levels() || star.has_slices());
}

TEST(TopologyKinds, WithoutCollectivesInSwitchesHaveNoneToTurnOff) {
  Topology none;
  EXPECT_THROW(star_kind().leave_switches(GivenKeys(GivenKeys::Values{}), none, "of a test"),
               std::logic_error);
}

TEST(TopologyKinds, OfOneNameAreRefused) {
  EXPECT_THROW(add_topology_kind(star_kind()), std::logic_error);
  EXPECT_THROW(add_topology_kind(topology_kind("mesh2d")), std::logic_error);
}

TEST(TopologyKinds, ReadTheirKeysAndBuildOfThem) {
  MachineSpec machine = wafer();
  machine.io_controllers = 0;
  const GivenKeys grid({{"fabric.width", "5"},
                        {"fabric.height", "4"},
                        {"fabric.link_bandwidth", "750 GB/s"},
                        {"fabric.local_latency", "0 ns"}});
  for (const std::string name : {"mesh2d", "torus2d"}) {
    const TopologyKind& kind = topology_kind(name);
    const Topology built = kind.builder(grid)(machine);
    EXPECT_EQ(built.kind, name);
    EXPECT_EQ(built.has_rings(), kind.needs_moving_rings());
    EXPECT_EQ(built.unicasts, kind.unicasts());
    EXPECT_EQ(built.nodes.back().switch_kind, kind.default_switch_kind());
  }
  EXPECT_EQ(refusal([&] { topology_kind("fred_tree").builder(grid); }),
            "missing fabric.l1_switches");
}

}  // namespace
}  // namespace fredsim
