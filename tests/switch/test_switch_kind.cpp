// SPDX-License-Identifier: Apache-2.0
// Registry of kinds: description of each, shapes by the names of parameters, entries of the size
// list.
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "base/flit.h"
#include "switch/switch_factory.h"
#include "switch/switch_kind.h"

namespace fredsim {
namespace {

std::vector<std::string> names(std::span<const SwitchKind* const> kinds) {
  std::vector<std::string> names;
  for (const SwitchKind* kind : kinds) names.push_back(kind->name());
  return names;
}

TEST(SwitchKinds, AreThoseOfTheList) {
  EXPECT_EQ(names(switch_kinds()),
            (std::vector<std::string>{"fred", "mesh", "mesh_reducing", "reducing_crossbar",
                                      "aggregator", "voq_crossbar"}));
  EXPECT_EQ(find_switch_kind("ring"), nullptr);
  try {
    switch_kind("frid");
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "switch kind: found 'frid'; did you mean 'fred'?");
  }
}

TEST(SwitchKinds, DefaultsAreInRangeAndHaveATwin) {
  for (const SwitchKind* kind : switch_kinds()) {
    SCOPED_TRACE(kind->name());
    const SwitchShape shape = kind->shape({});
    EXPECT_NO_THROW(kind->check(shape, "n"));
    EXPECT_EQ(kind->make_twin(shape, "n")->model(), "tlm");
    std::set<std::string> seen;
    for (const SwitchParameter& p : kind->parameters()) {
      EXPECT_TRUE(seen.insert(p.name).second) << p.name;
      EXPECT_FALSE(p.meaning.empty()) << p.name;
      EXPECT_EQ(shape.value(p.name), p.default_value);
    }
  }
}

TEST(SwitchKinds, AShapeTakesTheNamesThatItHas) {
  const std::vector<NamedValue> values{{"P", 7}, {"NUM_IO", 1}, {"LANES", 3}};
  EXPECT_EQ(switch_kind("fred").shape(values).ports(), 7);
  EXPECT_EQ(switch_kind("reducing_crossbar").shape(values).ports(), 7);
  EXPECT_EQ(switch_kind("aggregator").shape(values).ports(), 7);
  EXPECT_EQ(switch_kind("voq_crossbar").shape(values).ports(), 7);
  EXPECT_EQ(switch_kind("mesh").shape(values).ports(), 9);
  EXPECT_EQ(switch_kind("mesh_reducing").shape(values).ports(), 9);
  EXPECT_EQ(switch_kind("mesh").shape(values).lanes(), 3);
}

TEST(SwitchKinds, ACheckNamesParameterAndRange) {
  SwitchShape shape = switch_kind("fred").shape(std::vector<NamedValue>{{"M", 5}});
  try {
    make_twin(shape, "l1_0.s0");
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(),
                 "l1_0.s0: M of a fred switch (middle sub-networks): found 5; allowed: 2 to 4");
  }
}

TEST(SwitchKinds, HaveTheRtlsOrderOfVirtualChannelsAndRefuseWhatIsNone) {
  for (const SwitchKind* kind : switch_kinds()) {
    SCOPED_TRACE(kind->name());
    EXPECT_EQ(kind->shape({}).value("VC_ORDER"), noc_pkg::DEFAULT_VC_ORDER);
    const SwitchShape shape = kind->shape(std::vector<NamedValue>{{"VC_ORDER", 148}});
    try {
      kind->check(shape, "n");
      FAIL() << "no error";
    } catch (const BadInput& error) {
      EXPECT_EQ(error.what(), "n: VC_ORDER of a " + kind->name() +
                                  " switch: found 148; allowed: every virtual channel once");
    }
  }
}

TEST(SizeEntry, NamesTheBasicParametersAndWhatIsOwn) {
  SwitchShape shape = switch_kind("mesh").shape(std::vector<NamedValue>{{"VC_DEPTH", 96}});
  EXPECT_EQ(size_entry(shape), "mesh NUM_LOCAL=4 NUM_IO=2 LANES=1 VC_DEPTH=96 CTRL_DEPTH=4");
  SwitchShape other = shape;
  other.values[static_cast<std::size_t>(other.kind->index("VC_ORDER"))] = 45;
  EXPECT_EQ(size_entry(other), size_entry(shape) + " VC_ORDER=45");
  shape.rtl_top = "mine";
  shape.own_values = {{"DEEP", 7}};
  EXPECT_EQ(size_entry(shape),
            "mesh NUM_LOCAL=4 NUM_IO=2 LANES=1 VC_DEPTH=96 CTRL_DEPTH=4 DEEP=7 mine");
}

}  // namespace
}  // namespace fredsim
