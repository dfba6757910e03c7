// SPDX-License-Identifier: Apache-2.0
// switch.vc_order: from a machine file or --set to the switches of both kinds, and every way to get
// it wrong.
#include "base/vc_order.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "config/config.h"
#include "support/temporary_folder.h"
#include "switch/node_shape.h"
#include "topology/support.h"

namespace fredsim {
namespace {

constexpr VcOrder kReversed{kDp, kPp, kMp, kControl};

// Value that the RTL gets.
int vc_order_parameter(const Topology& topology) {
  for (const Node& node : topology.nodes) {
    if (node.is_switch()) return switch_shape(topology, node).value("VC_ORDER");
  }
  return -1;
}

TEST(VcOrder, IsANumberInTheRtl) {
  EXPECT_EQ(kDefaultVcOrder, (VcOrder{kControl, kMp, kPp, kDp}));
  EXPECT_EQ(number_of({kPp, kControl, kDp, kMp}), 1 | 3 << 2 | 2 << 4 | 0 << 6);
  EXPECT_EQ(vc_order_of(45), (VcOrder{kPp, kControl, kDp, kMp}));
  EXPECT_EQ(priority_rank(kReversed, kDp), 0);
  EXPECT_EQ(priority_rank(kReversed, kControl), 3);
  int orders = 0;
  for (int number = 0; number < 256; ++number) {
    EXPECT_EQ(number_of(vc_order_of(number)), number);
    orders += is_vc_order(vc_order_of(number)) ? 1 : 0;
  }
  EXPECT_EQ(orders, 24);
}

TEST(VcOrder, ReachesSwitchesOfEveryKind) {
  for (const char* file : {"configs/fred_d.yaml", "configs/mesh.yaml", "configs/mesh_reducing.yaml",
                           "configs/torus.yaml", "configs/fred_small.yaml"}) {
    SCOPED_TRACE(file);
    const Topology usual = load_config(file).topology;
    EXPECT_EQ(usual.vc_order, kDefaultVcOrder);
    EXPECT_EQ(vc_order_parameter(usual), noc_pkg::DEFAULT_VC_ORDER);
    const Topology other = load_config(file, {"switch.vc_order=[dp, pp, mp, control]"}).topology;
    EXPECT_EQ(other.vc_order, kReversed);
    EXPECT_EQ(vc_order_parameter(other), number_of(kReversed));
  }
}

TEST(VcOrder, AnEntryMayBeReplaced) {
  EXPECT_EQ(load_config("configs/fred_d.yaml", {"switch.vc_order.2=dp", "switch.vc_order.4=mp"})
                .topology.vc_order,
            (VcOrder{kControl, kDp, kPp, kMp}));
}

TEST(VcOrder, IsRefusedWithWhatWasFoundAndIsAllowed) {
  const auto message = [](const std::string& value) {
    return refusal([&] { load_config("configs/fred_d.yaml", {"switch.vc_order=" + value}); });
  };
  const std::string allowed = "; allowed: mp, pp, dp and control, each once";
  const auto expect = [&](const std::string& value, const std::string& text) {
    EXPECT_EQ(message(value),
              "--set switch.vc_order=" + value + ": switch.vc_order: found " + text);
  };
  expect("[control, mp, pp]", "'[control, mp, pp]', 3 of 4" + allowed);
  expect("[]", "'[]', 0 of 4" + allowed);
  expect("[control, mp, pp, mp]", "'[control, mp, pp, mp]', in it 'mp' twice" + allowed);
  expect("[control, mp, pp, dp, dp]", "'[control, mp, pp, dp, dp]', in it 'dp' twice" + allowed);
  expect("[contrl, mp, pp, dp]", "'[contrl, mp, pp, dp]', in it 'contrl'" + allowed);
  const std::string wanted =
      "; a list is wanted: [control, mp, pp, dp] (virtual channels by priority, highest first)";
  expect("control,mp,pp,dp", "the value 'control,mp,pp,dp'" + wanted);
  expect("{a: 1}", "keys" + wanted);
  expect("[control, [mp], pp, dp]",
         "a list; a single value is wanted (virtual channels by priority, highest first)");
}

TEST(VcOrder, IsRefusedAtItsPlaceInTheFile) {
  const TemporaryFolder folder;
  std::ifstream small("configs/fred_small.yaml");
  std::string text{std::istreambuf_iterator<char>(small), {}};
  const auto at = text.find("switch:\n");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 8, "  vc_order: [control, mp, mp, dp]\n");
  const auto line =
      2 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  std::ofstream(folder.file("machine.yaml")) << text;
  EXPECT_EQ(refusal([&] { load_config(folder.file("machine.yaml")); }),
            folder.file("machine.yaml") + ":" + std::to_string(line) +
                ": switch.vc_order: found '[control, mp, mp, dp]', in it 'mp' twice; allowed: mp, "
                "pp, dp and control, "
                "each once");
}

TEST(VcOrder, IsNoOtherParameter) {
  expect_parts(refusal([] { load_config("configs/mesh.yaml", {"switch.params.VC_ORDER=27"}); }),
               {"this parameter is set by switch.vc_order"});
}

}  // namespace
}  // namespace fredsim
