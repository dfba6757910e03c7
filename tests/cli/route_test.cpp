// SPDX-License-Identifier: Apache-2.0
// `fredsim route`: colours, µSwitch settings, bits and phase row of flows typed by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

std::vector<std::string> route(int ports, int middle, std::vector<std::string> more) {
  more.insert(more.begin(),
              {"route", "--ports", std::to_string(ports), "--middle", std::to_string(middle)});
  return more;
}

const std::vector<std::string>& paper_flows() {
  static const std::vector<std::string> kFlows{"0,3:0,3", "1,4:1,4", "2,5:2,5", "6-7:6-7"};
  return kFlows;
}

// Fred_2(3): inputs 0 and 1 added to output 2, input 2 to outputs 0 and 1.
TEST(Route, TellsEveryMicroSwitchInUse) {
  const Outcome outcome = run_fredsim(route(3, 2, {"0,1:2", "2:0,1"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, R"(Fred_2(3): 2 flows routed, 3 stages, 20 configuration bits

flow 0: inputs 0,1 to outputs 2, order of additions 0 + 1
flow 1: inputs 2 to outputs 0,1, order of additions 2

level 0: Fred_2(3)
  flow 0 (0,1:2) takes sub-network 0
  flow 1 (2:0,1) takes sub-network 1
  R-µSwitch 0   [3:0]    00 11  out 0 = sum, out 1 = nothing
  demux         [5:4]    10     sub-network 1
  D-µSwitch 0   [17:14]  10 10  out 0 = sub-network 1, out 1 = sub-network 1
  mux           [19:18]  01     sub-network 0

level 1, sub-network 0: Fred_2(2)
  flow 0 (0,1:2)
  RD-µSwitch 0  [9:6]    01 00  out 0 = nothing, out 1 = input 0

level 1, sub-network 1: Fred_2(2)
  flow 1 (2:0,1)
  RD-µSwitch 0  [13:10]  00 10  out 0 = input 1, out 1 = nothing

0 of 6 µSwitches, demuxes and muxes are idle, all their bits 0
configuration 0x68923
phase row, VC mp, 2 words of the phase store from the lowest:
  0x4491b529 0x00000003
)");
}

TEST(Route, ExampleOfThePaperConflictsWithTwoAndRoutesWithThree) {
  const Outcome two = run_fredsim(route(8, 2, paper_flows()));
  EXPECT_EQ(two.exit_code, 3);
  EXPECT_EQ(two.out, "");
  EXPECT_EQ(
      two.err,
      "fredsim: Fred_2(8): routing conflict at level 0 (8 ports): flows '0,3:0,3', '1,4:1,4', "
      "'2,5:2,5' share edge µSwitches and cannot be spread over 2 sub-networks\n");
  EXPECT_EQ(run_fredsim(route(8, 3, paper_flows())).exit_code, 0);
}

TEST(Route, AConflictNamesFlowsAsTyped) {
  const Outcome conflict = run_fredsim(route(8, 2, {"7:0", "0,2:1-2", "1,4:3,5", "3,5:4"}));
  EXPECT_EQ(conflict.exit_code, 3);
  for (const char* name : {"'0,2:1-2'", "'1,4:3,5'", "'3,5:4'"})
    EXPECT_NE(conflict.err.find(name), std::string::npos) << conflict.err;
  EXPECT_EQ(conflict.err.find("7:0"), std::string::npos) << conflict.err;
}

TEST(Route, JsonAgreesWithItself) {
  std::vector<std::string> arguments = paper_flows();
  arguments.insert(arguments.end(), {"--vc", "dp", "--json", "-"});
  const Outcome outcome = run_fredsim(route(8, 3, arguments));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = outcome.json();
  EXPECT_EQ(document["fredsim"], FREDSIM_VERSION);
  EXPECT_TRUE(document["command"].get<std::string>().starts_with("fredsim route --ports 8 "));
  EXPECT_EQ(document["ports"], 8);
  EXPECT_EQ(document["middle"], 3);
  ASSERT_EQ(document["flows"].size(), 4U);
  EXPECT_EQ(document["flows"][3]["typed"], "6-7:6-7");
  EXPECT_EQ(document["flows"][3]["inputs"], (std::vector<int>{6, 7}));
  EXPECT_EQ(document["flows"][3]["order_of_additions"], "6 + 7");
  EXPECT_EQ(document["levels"][0]["flows"], (std::vector<int>{0, 1, 2, 3}));
  const std::vector<int> colours = document["levels"][0]["colours"];
  EXPECT_NE(colours[0], colours[1]);
  EXPECT_NE(colours[1], colours[2]);
  EXPECT_NE(colours[0], colours[2]);

  // The blocks' bits, from the lowest, are the configuration.
  std::string bits;
  for (const json& block : document["blocks"]) {
    EXPECT_EQ(block["first_bit"], bits.size());
    std::string text = block["bits"];
    std::erase(text, ' ');
    std::ranges::reverse(text);
    bits += text;
  }
  EXPECT_EQ(bits.size(), document["configuration"]["bits"]);
  const std::string hex = document["configuration"]["hex"];
  for (std::size_t b = 0; b < bits.size(); ++b) {
    const int digit = std::stoi(hex.substr(hex.size() - 1 - b / 4, 1), nullptr, 16);
    ASSERT_EQ(digit >> b % 4 & 1, bits[b] - '0') << "bit " << b;
  }

  // Row: valid, VC, flow of every port, then these bits.
  EXPECT_EQ(document["phase_row"]["vc"], "dp");
  const std::vector<std::string> words = document["phase_row"]["words"];
  std::string row;
  for (const std::string& word : words) {
    for (int b = 0; b < 32; ++b) row += (std::stoul(word, nullptr, 16) >> b & 1U) != 0 ? '1' : '0';
  }
  EXPECT_EQ(row.substr(0, 3), "101") << "valid, VC 2";
  EXPECT_EQ(row.substr(3 + 2 * 8 * 4, bits.size()), bits);
}

TEST(Route, RangesAndListsMeanTheSame) {
  const auto flows_of = [](const char* flow) {
    json document = run_fredsim(route(12, 3, {flow, "--json", "-"})).json();
    document.erase("command");
    document["flows"][0].erase("typed");
    return document;
  };
  EXPECT_EQ(flows_of("0-3,5:8-11"), flows_of("0,1,2,3,5:11,10,9,8"));
}

class RouteFileTest : public FolderTest {};

TEST_F(RouteFileTest, AConflictLeavesNoFile) {
  std::vector<std::string> arguments = paper_flows();
  arguments.insert(arguments.end(), {"--json", path("route.json")});
  EXPECT_EQ(run_fredsim(route(8, 2, arguments)).exit_code, 3);
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(run_fredsim(route(8, 3, arguments)).exit_code, 0);
  EXPECT_EQ(json::parse(read_text(path("route.json")))["flows"].size(), 4U);
}

}  // namespace
}  // namespace fredsim
