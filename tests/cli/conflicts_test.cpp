// SPDX-License-Identifier: Apache-2.0
// `fredsim conflicts`: conflict rates as table and JSON.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

std::vector<std::string> conflicts_of_12(std::vector<std::string> more) {
  more.insert(more.begin(), {"conflicts", "--ports", "12", "--kind", "all_reduce"});
  return more;
}

TEST(Conflicts, JsonHasARunPerNumberOfFlowsAndM) {
  const Outcome outcome = run_fredsim(conflicts_of_12(
      {"--middle", "2:4", "--flows", "2,4,6", "--trials", "2000", "--seed", "3", "--json", "-"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json document = outcome.json();
  EXPECT_EQ(document["fredsim"], FREDSIM_VERSION);
  ASSERT_EQ(document["runs"].size(), 9U);
  std::size_t r = 0;
  for (const int flows : {2, 4, 6}) {
    std::uint64_t before = 2000;
    for (const int middle : {2, 3, 4}) {
      const json& run = document["runs"][r++];
      EXPECT_EQ(run["ports"], 12);
      EXPECT_EQ(run["kind"], "all_reduce");
      EXPECT_EQ(run["flows"], flows);
      EXPECT_EQ(run["middle"], middle);
      EXPECT_EQ(run["trials"], 2000);
      EXPECT_EQ(run["seed"], 3);
      const std::uint64_t count = run["conflicts"];
      EXPECT_LE(count, before) << "more sub-networks never conflict more often on the same sets";
      before = count;
      const double rate = run["conflict_rate"];
      EXPECT_DOUBLE_EQ(rate, static_cast<double>(count) / 2000);
      EXPECT_LE(run["wilson_95"]["low"], rate);
      EXPECT_GE(run["wilson_95"]["high"], rate);
    }
  }
  EXPECT_EQ(document["runs"][0]["conflicts"], 0) << "two flows never conflict";
  EXPECT_GT(document["runs"][6]["conflicts"], 1000) << "six flows on m = 2";
}

TEST(Conflicts, TheSeedDecides) {
  const auto table = [](const char* seed) {
    return run_fredsim(conflicts_of_12({"--middle", "2", "--flows", "3:6", "--trials", "300",
                                        "--seed", seed, "--quiet"}))
        .out;
  };
  EXPECT_EQ(table("5"), table("5"));
  const auto rows = [&](const char* seed) { return table(seed).substr(table(seed).find('\n')); };
  EXPECT_NE(rows("5"), rows("6"));
}

// Results for one number of flows do not depend on other requested numbers.
TEST(Conflicts, SetsOfOneSizeAreTheirOwn) {
  const auto runs = [](const char* flows) {
    return run_fredsim(conflicts_of_12(
                           {"--middle", "2", "--flows", flows, "--trials", "300", "--json", "-"}))
        .json()["runs"];
  };
  EXPECT_EQ(runs("2:5")[2], runs("4")[0]);
}

TEST(Conflicts, TableThenLegendIfAskedFor) {
  const std::vector<std::string> arguments{"--middle", "2",   "--flows", "2,6",
                                           "--trials", "100", "--legend"};
  const Outcome outcome = run_fredsim(conflicts_of_12(arguments));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Fred_m(12), random sets of flows of kind all_reduce, 100 sets each"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("\n    2  2          0"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Wilson"), std::string::npos);
  const std::vector<std::string> plain(arguments.begin(), arguments.end() - 1);
  EXPECT_EQ(run_fredsim(conflicts_of_12(plain)).out.find("Wilson"), std::string::npos);
}

TEST(Conflicts, HelpDefinesTheDistribution) {
  Outcome outcome = run_fredsim({"conflicts", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  std::ranges::replace(outcome.out, '\n', ' ');
  for (std::size_t at = 0; (at = outcome.out.find("  ")) != std::string::npos;)
    outcome.out.erase(at, 1);
  EXPECT_NE(outcome.out.find("all size vectors that fit on the P ports are equally likely"),
            std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace fredsim
