// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "support/program.h"

namespace fredsim {
namespace {

TEST(Info, SaysWhatWasBuiltAndWhatWasRounded) {
  const Outcome outcome = run_fredsim({"info", "configs/mesh.yaml"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* word : {"mesh", "20", "750 GB/s", "3.75 TB/s", "20 ns = 30 cycles"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " in\n" << outcome.out;
  }
}

TEST(Info, OverridesAreInIt) {
  const Outcome outcome =
      run_fredsim({"info", "configs/mesh_2x2.yaml", "--set", "fabric.link_latency=21 ns"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("21 ns = 32 cycles"), std::string::npos) << outcome.out;
}

TEST(Info, RanksShowsPartsAndPredictions) {
  const Outcome outcome = run_fredsim({"info", "configs/mesh.yaml", "--ranks", "2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* words : {"mesh on 2 ranks, tlm, 1 lane: window (look-ahead) of 30 cycles",
                            "above mean", "speed-up", "Predicted by a model, not simulated"}) {
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << " in\n" << outcome.out;
  }
}

nlohmann::json ranks_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"info", "--json", "-"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run_fredsim(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(Info, RanksAsJsonAddUp) {
  const nlohmann::json file = ranks_of({"configs/fred_d.yaml", "--ranks", "4"});
  ASSERT_EQ(file["parts"].size(), 4U);
  int switches = 0, npus = 0;
  double share = 0;
  for (const auto& part : file["parts"]) {
    switches += part["switches"].get<int>();
    npus += part["npus"].get<int>();
    share += part["cost_share"].get<double>();
  }
  EXPECT_EQ(switches, 35);
  EXPECT_EQ(npus, 20);
  EXPECT_NEAR(share, 1, 1e-9);
  // 35 switches: at most 16 ranks, not 256.
  ASSERT_EQ(file["forecasts"].size(), 2U);
  EXPECT_EQ(file["forecasts"][0]["ranks"], 4);
  EXPECT_EQ(file["forecasts"][1]["ranks"], 16);
  // Switches that cost more hide the exchange.
  const nlohmann::json rtl =
      ranks_of({"configs/fred_d.yaml", "--ranks", "4", "--model", "rtl", "--lanes", "256"});
  EXPECT_GT(rtl["parts"][0]["cost_ns"], file["parts"][0]["cost_ns"]);
  EXPECT_GT(rtl["forecasts"][0]["speedup"], file["forecasts"][0]["speedup"]);
}

TEST(Info, RanksRefusesWhatCannotBe) {
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } kCases[] = {
      {{"configs/mesh.yaml", "--ranks", "0"}, "--ranks: found '0'"},
      {{"configs/mesh.yaml", "--ranks", "two"}, "--ranks: found 'two'"},
      {{"configs/mesh.yaml", "--ranks", "21"},
       "--ranks: found 21 ranks; allowed for mesh: 1 to 20, as many as it has switches"},
      {{"configs/mesh.yaml", "--ranks", "2", "--set",
        "link={reliability: link, bit_error_rate: 1e-6}"},
       "allowed for mesh: 1 to "},
      {{"configs/systems/dgx_8_128.yaml", "--ranks", "2"},
       "found a switch with 128 ports; allowed: up to 32 flit by flit"},
      {{"configs/mesh.yaml", "--ranks", "2", "--lanes", "257"}, "--lanes: found '257'"},
      {{"configs/mesh.yaml", "--ranks", "2", "--model", "vhdl"}, "--model: found 'vhdl'"},
      {{"configs/mesh.yaml", "--json", "-"}, "--json: found - without --ranks"},
      {{"configs/mesh.yaml", "--format", "csv"}, "--format: found csv without --ranks"},
      {{"configs/mesh.yaml", "--lanes", "2"}, "--lanes: found 2 without --ranks"},
      {{"configs/mesh.yaml", "--ranks", "2", "--parts"}, "--parts: found --ranks beside it"},
  };
  for (const auto& [arguments, message] : kCases) {
    std::vector<std::string> words{"info"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_EQ(outcome.out, "") << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << message << " in\n" << outcome.err;
  }
}

TEST(Program, HelpAndVersionAreNoErrors) {
  const Outcome version = run_fredsim({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  const std::regex named("fredsim " FREDSIM_VERSION
                         R"( \(commit ([0-9a-f]{7,}(-dirty)?|unknown)\)\n)");
  EXPECT_TRUE(std::regex_match(version.out, named)) << version.out;
  const Outcome letter = run_fredsim({"-V"});
  EXPECT_EQ(letter.exit_code, 0);
  EXPECT_EQ(letter.out, version.out);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"}, {"run", "--help"}, {"compare", "-h"}}) {
    const Outcome help = run_fredsim(arguments);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("Usage: fredsim"), std::string::npos) << help.out;
  }
}

TEST(Program, HelpOfACommandIsThatOfItsOption) {
  for (const std::string command : {"", "run", "compare", "traffic", "info", "doctor", "route",
                                    "conflicts", "strategies", "report", "schema", "help"}) {
    std::vector<std::string> asked{"help"};
    std::vector<std::string> option{"--help"};
    if (!command.empty()) {
      asked.push_back(command);
      option.insert(option.begin(), command);
    }
    const Outcome help = run_fredsim(asked);
    EXPECT_EQ(help.exit_code, 0) << help.err;
    EXPECT_EQ(help.err, "");
    EXPECT_EQ(help.out, run_fredsim(option).out);
    EXPECT_NE(help.out.find("Usage: fredsim " + command), std::string::npos) << help.out;
  }
}

}  // namespace
}  // namespace fredsim
