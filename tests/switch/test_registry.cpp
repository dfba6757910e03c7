// SPDX-License-Identifier: Apache-2.0
// Additions of a program: switches of its own kinds and sizes, and messages about missing ones.
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/error.h"
#include "switch/missing_sizes.h"
#include "switch/rtl_switch.h"
#include "switch/switch_factory.h"
#include "switch/switch_kind.h"
#include "switch/switch_kinds.h"
#include "switch/switch_registry.h"

namespace fredsim {
namespace {

SwitchFacts ring_facts(const std::string& name) {
  return {.name = name,
          .rtl_top = "ring_switch",
          .parameters = {{"P", "ports", 3, 1, 40}, {"LANES", "lanes", 1, 1, 256}},
          .basic = 1,
          .ports = [](std::span<const int> values) { return values[0]; }};
}

// Minimum that a kind has to say.
class RingKind final : public SwitchKind {
 public:
  explicit RingKind(SwitchFacts facts) : SwitchKind(std::move(facts)) {}
  std::unique_ptr<SwitchCore> make_twin(const SwitchShape&, const std::string&) const override {
    return nullptr;
  }
  std::uint32_t identity() const override { return 7; }
  UnicastRoutes unicast_routes() const override { return UnicastRoutes::kByTable; }
  bool has(const CounterInfo&) const override { return false; }
};

const SwitchKind& ring_kind() {
  static const RingKind kKind(switch_facts("ring"));
  return kKind;
}

void add_ring() {
  if (find_switch_kind("ring") == nullptr) add_switch_kind(ring_facts("ring"), &ring_kind);
}

TEST(AddedKind, IsFoundBehindOurs) {
  add_ring();
  EXPECT_EQ(&switch_kind("ring"), &ring_kind());
  EXPECT_EQ(switch_kinds().back(), &ring_kind());
  EXPECT_EQ(switch_facts("ring").rtl_top, "ring_switch");
  try {
    switch_kind("rong");
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "switch kind: found 'rong'; did you mean 'ring'?");
  }
}

TEST(AddedKind, HasDefaultsForAllItDoesNotSay) {
  add_ring();
  const SwitchShape shape = ring_kind().shape({});
  EXPECT_EQ(shape.ports(), 3);
  EXPECT_EQ(size_entry(shape), "ring P=3");
  EXPECT_EQ(ring_kind().num_phases(shape), 0);
  EXPECT_FALSE(ring_kind().timing(shape).has_value());
  EXPECT_FALSE(ring_kind().keeps_rings_moving());
  EXPECT_EQ(ring_kind().label(shape), "ring");
  EXPECT_EQ(ring_kind().parts_title(), "");
  EXPECT_TRUE(ring_kind().parts(shape).empty());
  EXPECT_TRUE(ring_kind().setup_writes(Topology{}, Node{}).empty());
}

TEST(AddedKind, HasAsManyPortsAsAMaskHasBits) {
  add_ring();
  const SwitchShape shape = ring_kind().shape(std::vector<NamedValue>{{"P", 33}});
  try {
    ring_kind().check(shape, "s0");
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "s0: ports of a ring switch: found 33; allowed: 1 to 32");
  }
}

TEST(AddedKind, ThatContradictsItselfOrAnotherIsAnErrorOfTheProgram) {
  add_ring();
  EXPECT_THROW(add_switch_kind(ring_kind()), std::logic_error);
  EXPECT_THROW(add_switch_kind(switch_kind("fred")), std::logic_error);
  SwitchFacts without_lanes = ring_facts("narrow");
  without_lanes.parameters.pop_back();
  EXPECT_THROW(RingKind{without_lanes}, std::logic_error);
  EXPECT_THROW(switch_facts("narrow"), std::logic_error);
}

std::unique_ptr<RtlSwitch> make_nothing(const SwitchShape&, const std::string& name,
                                        std::shared_ptr<RtlContext>) {
  throw BadInput("made for " + name);
}

TEST(AddedSwitches, AreFoundByTheirEntryAndTheirFileIsNamed) {
  add_ring();
  EXPECT_EQ(added_switches_file(), "");
  const std::size_t before = registered_switches().size();
  static constexpr RegisteredSwitch kMine[] = {{"ring P=3", &make_nothing}};
  add_switches(kMine, "mine/CMakeLists.txt");
  EXPECT_EQ(added_switches_file(), "mine/CMakeLists.txt");
  EXPECT_EQ(registered_switches().size(), before + 1);
  EXPECT_EQ(registered_switches().back().entry, "ring P=3");
  EXPECT_EQ(built_in_switches().size(), before);
  EXPECT_THROW(make_rtl_switch(ring_kind().shape({}), "s0"), BadInput);
  NeededSwitch needed{.shape = ring_kind().shape({}), .who = "toy, s0"};
  EXPECT_NO_THROW(require_built({&needed, 1}));
  needed.shape = ring_kind().shape(std::vector<NamedValue>{{"P", 5}});
  try {
    require_built({&needed, 1});
    FAIL() << "no error";
  } catch (const BadInput& error) {
    const std::string what = error.what();
    EXPECT_TRUE(
        what.starts_with("no RTL of this switch size is built:\n  ring P=5  (toy, s0)\n"
                         "Add it to the SIZES in 'mine/CMakeLists.txt' and build again.\n"
                         "Sizes built:\n"))
        << what;
    EXPECT_TRUE(what.ends_with("\n  ring P=3")) << what;
  }
}

}  // namespace
}  // namespace fredsim
