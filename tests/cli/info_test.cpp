// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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
  for (const std::string command : {"", "run", "compare", "traffic", "info", "route", "conflicts",
                                    "strategies", "report", "schema", "help"}) {
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
