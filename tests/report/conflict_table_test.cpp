// SPDX-License-Identifier: Apache-2.0
// Conflict rates as table and JSON, and their confidence interval.
#include "report/conflict_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/json.h"

namespace fredsim {
namespace {

using nlohmann::json;

// The ends are the probabilities p whose distance from the observed one is 1.96 standard deviations
// of p itself.
TEST(Wilson, EndsSolveTheScoreEquation) {
  for (const auto& [x, n] : {std::pair{10, 100}, {5, 10}, {1, 7}, {9999, 10000}}) {
    const double observed = static_cast<double>(x) / n;
    const Interval interval = wilson_95(x, n);
    for (const double p : {interval.low, interval.high})
      EXPECT_NEAR(std::abs(observed - p) / std::sqrt(p * (1 - p) / n), 1.95996398454, 1e-9);
    EXPECT_LT(interval.low, observed);
    EXPECT_GT(interval.high, observed);
  }
  EXPECT_NEAR(wilson_95(5, 10).low, 0.2366, 5e-5);
}

TEST(Wilson, EndsAreExact) {
  EXPECT_EQ(wilson_95(0, 10).low, 0);
  EXPECT_NEAR(wilson_95(0, 10).high, 0.2775328, 1e-7);
  EXPECT_EQ(wilson_95(10, 10).high, 1);
  for (std::uint64_t x = 0; x <= 1000; ++x) {
    const Interval interval = wilson_95(x, 1000);
    EXPECT_LE(interval.low, static_cast<double>(x) / 1000);
    EXPECT_GE(interval.high, static_cast<double>(x) / 1000);
  }
}

TEST(ConflictJson, HasEveryKey) {
  const ConflictSetup setup{.kind = "reduce", .ports = 12, .trials = 10, .seed = 4};
  const std::vector<ConflictPoint> points{{.flows = 3, .middle = 2, .conflicts = 5, .trials = 10}};
  json document =
      json::parse(conflicts_json({"1.2.3", "5da5371", "fredsim conflicts"}, setup, points));
  const json interval = document["runs"][0]["wilson_95"];
  document["runs"][0].erase("wilson_95");
  EXPECT_EQ(document, json::parse(R"({
    "fredsim": "1.2.3", "commit": "5da5371", "schema": 1, "command": "fredsim conflicts",
    "runs": [{"ports": 12, "middle": 2, "kind": "reduce", "flows": 3, "trials": 10, "seed": 4,
              "conflicts": 5, "conflict_rate": 0.5}]})"));
  EXPECT_EQ(interval, json({{"low", wilson_95(5, 10).low}, {"high", wilson_95(5, 10).high}}));
}

TEST(ConflictTable, ALinePerPoint) {
  const ConflictSetup setup{.kind = "any", .ports = 8, .trials = 10, .seed = 4};
  const std::vector<ConflictPoint> points{{.flows = 3, .middle = 2, .conflicts = 5, .trials = 10},
                                          {.flows = 3, .middle = 3, .conflicts = 0, .trials = 10}};
  const TitledTable titled = conflict_table(setup, points);
  EXPECT_EQ(titled.heading + "\n\n" + titled.table.to_string(),
            "Fred_m(8), random sets of flows of kind any, 10 sets each, seed 4\n"
            "\n"
            "flows  m  conflicts      rate  95 % interval\n"
            "                                        from        to\n"
            "------------------------------------------------------\n"
            "    3  2          5  50.000 %       23.659 %  76.341 %\n"
            "    3  3          0       0 %            0 %  27.753 %\n");
  const std::string csv = TableOutput(TableFormat::kCsv, {}).table(titled);
  EXPECT_EQ(csv.substr(0, csv.find("0.236593")),
            "ports,kind,trials,seed,flows,middle,conflicts,conflict_rate,wilson_95_low,"
            "wilson_95_high\n"
            "8,any,10,4,3,2,5,0.5,");
}

}  // namespace
}  // namespace fredsim
