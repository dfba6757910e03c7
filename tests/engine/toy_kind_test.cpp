// SPDX-License-Identifier: Apache-2.0
// A kind of switch that only this test knows: once registered, it runs through plan, set-up,
// fabric, results, traffic and `info` without further changes.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "config/describe.h"
#include "engine/layout.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/simulation.h"
#include "support/test_mesh_router.h"
#include "switch/missing_sizes.h"
#include "switch/node_shape.h"
#include "switch/register_map.h"
#include "systems/make_plan.h"
#include "traffic/traffic_run.h"

namespace fredsim::test {
namespace {

constexpr std::uint32_t kToyId = 0x70700001;
constexpr std::uint16_t kGreeting = 0x0050;  // a register that only toys have
constexpr std::uint32_t kHello = 0xCAFE;

// Passes packets on by a table of destinations, once it has been greeted.
class ToyTwin final : public TestSwitch {
 public:
  explicit ToyTwin(const SwitchShape& shape) : TestSwitch(shape) {}
  std::string_view model() const override { return "tlm"; }
  void reset() override {
    TestSwitch::reset();
    greeted_ = is_wrong_ = false;
  }
  void step(SwitchPins& pins) override {
    TestSwitch::step(pins);
    is_wrong_ |= pins.in_valid != 0 && !greeted_;
  }
  std::uint32_t error() const override { return is_wrong_ ? reg::kErrorRoute : reg::kErrorNone; }
  bool peek_counters(SwitchCounters& into) const override {
    into = {};
    into.stall_credit = 7;
    into.stall_phase = 9;  // a counter that the kind does not have
    return true;
  }

 protected:
  int route(std::uint16_t destination) const override { return table_.at(destination) - 1; }
  std::uint32_t identity() const override { return kToyId; }
  void write(std::uint16_t address, std::uint32_t data) override {
    if (address == kGreeting) greeted_ = data == kHello;
    if (address >= reg::kRoute) table_.at(address - reg::kRoute) = static_cast<int>(data);
  }

 private:
  std::array<int, reg::kMaxRoutes> table_{};
  bool greeted_ = false;
  bool is_wrong_ = false;
};

class ToyKind final : public SwitchKind {
 public:
  ToyKind()
      : SwitchKind({.name = "toy",
                    .rtl_top = "toy_switch",
                    .parameters = {{"P", "ports", 4, 2, 32},
                                   {"LANES", "lanes", 1, 1, 256},
                                   {"VC_DEPTH", "input buffer in flits", 48, 8, 64},
                                   {"TEMPER", "how patient it is", 3, 0, 9}},
                    .basic = 1,
                    .ports = [](std::span<const int> values) { return values[0]; }}) {}

  std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                        const std::string& /*name*/) const override {
    return std::make_unique<ToyTwin>(shape);
  }
  std::uint32_t identity() const override { return kToyId; }
  std::vector<RegisterWrite> setup_writes(const Topology& /*topology*/,
                                          const Node& /*node*/) const override {
    return {{kGreeting, kHello}};
  }
  UnicastRoutes unicast_routes() const override { return UnicastRoutes::kByTable; }
  bool has(const CounterInfo& counter) const override {
    return counter.value == &SwitchCounters::stall_credit;
  }
  std::string label(const SwitchShape& shape) const override {
    return "Toy(" + std::to_string(shape.ports()) + ")";
  }
};

const SwitchKind& toy_kind() {
  static const ToyKind kKind;
  static const bool kAdded = (add_switch_kind(kKind), true);
  static_cast<void>(kAdded);
  return kKind;
}

class Toy : public testing::Test {
 protected:
  static Topology load(std::vector<std::string> settings = {}) {
    settings.push_back("switch.kind=" + toy_kind().name());
    settings.emplace_back("fabric.in_switch=false");
    return load_config("configs/fred_small.yaml", settings).topology;
  }

  Simulation simulation_;
  Topology topology_ = load();
};

TEST_F(Toy, RunsACollective) {
  std::vector<int> all(topology_.npus.size());
  std::iota(all.begin(), all.end(), 0);
  const Plan plan = make_plan(topology_, Collective::kAllReduce, all, 20'000, "direct");
  EXPECT_NE(
      make_plan(topology_, Collective::kAllReduce, all, 20'000, "auto").parts.front().algorithm,
      "in_switch")
      << "toys cannot add";
  EXPECT_THROW(make_plan(topology_, Collective::kAllReduce, all, 20'000, "in_switch"), BadInput);

  Machine machine("machine", topology_, {.lanes = 3});
  simulation_.run([&] {
    const RunResult r = run_plan(machine, plan);
    EXPECT_EQ(r.payload, "exact");
    EXPECT_EQ(r.model, "tlm");
    EXPECT_EQ(r.injected_bytes, 2 * 3 * 20'000U);
    for (const SwitchResult& one : r.switches) {
      ASSERT_EQ(one.stall_cycles.size(), 1U);
      EXPECT_EQ(one.stall_cycles.front().first, "credit");
      EXPECT_GT(one.flits_in, 0U);
    }
  });
}

TEST_F(Toy, RunsTraffic) {
  const TrafficOptions options{.packet_flits = 2, .warmup_cycles = 300, .window_cycles = 1000};
  TrafficRun run(topology_, options, switches_of(SwitchModel::kTlm));
  const TrafficPoint point = run.measure(0.2);
  EXPECT_GT(point.packets, 0U);
  EXPECT_EQ(point.arrived, point.packets);
}

TEST_F(Toy, IsDescribedAndNamed) {
  const std::string text = describe(topology_);
  EXPECT_NE(text.find("Toy(4)"), std::string::npos) << text;
  EXPECT_EQ(text.find("staging"), std::string::npos) << text;
  EXPECT_EQ(text.find("RD"), std::string::npos) << text;
  EXPECT_EQ(layout_of(topology_).nodes[static_cast<std::size_t>(std::ssize(topology_.npus))].kind,
            "toy_switch");
}

TEST_F(Toy, IsAskedForInAMachineFile) {
  EXPECT_NE(std::ranges::find(
                topology_.notes,
                "switch.output_buffer is not used: switches of the kind toy have no OUT_DEPTH"),
            topology_.notes.end());
  EXPECT_NE(message_of<BadInput>([] {
              load({"switch.yield=3"});
            }).find("switch.yield: found '3', but switches of the kind toy have no YIELD"),
            std::string::npos);
  // Switches of the file stay unused; a request for them is refused.
  const Topology set_over =
      load_config("configs/fred_small.yaml", {"switch.kind=" + toy_kind().name()}).topology;
  EXPECT_FALSE(set_over.in_switch);
  EXPECT_NE(
      std::ranges::find(set_over.notes,
                        "fabric.in_switch is not used: switches of the kind toy add nothing up"),
      set_over.notes.end());
  EXPECT_NE(message_of<BadInput>([] {
              load_config("configs/fred_small.yaml",
                          {"switch.kind=" + toy_kind().name(), "fabric.in_switch=true"});
            }).find("fabric.in_switch: found true, but switches of the kind toy add nothing up"),
            std::string::npos);
  EXPECT_NE(message_of<BadInput>([] {
              load_config("configs/mesh_2x2.yaml", {"switch.kind=" + toy_kind().name()});
            }).find("switch.kind: found 'toy' in a mesh2d; allowed: mesh"),
            std::string::npos);
  EXPECT_EQ(load({"switch.params.TEMPER=5"}).switch_values,
            (std::vector<NamedValue>{{"TEMPER", 5}}));
  EXPECT_NE(message_of<BadInput>([] {
              load({"switch.params.TEMPER=12"});
            }).find("switch.params.TEMPER: found 12; allowed: 0 to 9 (how patient it is)"),
            std::string::npos);
}

TEST_F(Toy, SizesThatAreNotBuiltNameItsParameters) {
  for (const Node& node : topology_.nodes) {
    if (node.is_endpoint()) continue;
    const NeededSwitch needed{switch_shape(topology_, node, 2), "x"};
    EXPECT_NE(message_of<BadInput>([&] {
                require_built({&needed, 1});
              }).find("\n  toy P=4 LANES=2  (x)\n"),
              std::string::npos);
    return;
  }
}

TEST(SwitchKinds, OfOneNameAreRefused) {
  EXPECT_THROW(add_switch_kind(toy_kind()), std::logic_error);
}

}  // namespace
}  // namespace fredsim::test
