// SPDX-License-Identifier: Apache-2.0
// one_shot and two_phase by --engine flow against --engine exact, at sizes that are simulated as
// flows: sizes between calibrated sizes, whose stated error has to hold, and sizes too long for an
// exact run, which extrapolate the calibration offset of smaller ones. Random grids with a failed
// NPU and a slow link, from seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/program.h"
#include "support/random_range.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Words both(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

struct Grid {
  std::string machine;
  int width = 0, height = 0;
  // The machine's file and settings, an NPU failed.
  Words words(int failed) const {
    return {fmt::format("configs/{}.yaml", machine),
            "--set",
            "io.count=0",
            "--set",
            fmt::format("npu.count={}", width * height),
            "--set",
            fmt::format("fabric.width={}", width),
            "--set",
            fmt::format("fabric.height={}", height),
            "--fault",
            fmt::format("npu:{}", failed)};
  }
};

Words random_grid(Random& random) {
  const auto side = [&] { return test::random_between(random, 3, 5); };
  const Grid grid{random.below(2) == 0 ? "mesh" : "torus", side(), side()};
  const int x = test::random_between(random, 0, grid.width - 2);
  const int y = test::random_between(random, 0, grid.height - 1);
  return both(grid.words(test::random_between(random, 0, grid.width * grid.height - 1)),
              {"--fault", fmt::format("link:r{}_{}.1->r{}_{}.3*0.5", x, y, x + 1, y)});
}

Words algorithm(const std::string& name) {
  return {"--algorithm", name, "--collective", name == "one_shot" ? "all_reduce" : "all_to_all"};
}

json run_of(const Words& words, const Words& engine) {
  const Outcome outcome =
      run_fredsim(both(both({"run"}, words), both(engine, {"--quiet", "--json", "-"})));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
}

double difference_percent(const json& flow, const json& exact) {
  return 100 * std::abs(flow.at("cycles").get<double>() / exact.at("cycles").get<double>() - 1);
}

class GridFlows : public FolderTest, public testing::WithParamInterface<std::uint64_t> {};

TEST_P(GridFlows, AreWithinTheStatedErrorBetweenCalibratedSizes) {
  for (const std::string name : {"one_shot", "two_phase"}) {
    SCOPED_TRACE(fmt::format("{}, seed {}", name, GetParam()));
    Random random(GetParam());
    const Words work = both(random_grid(random), algorithm(name));
    const std::string bytes = std::to_string(test::random_between(random, 33'000, 1'000'000));
    const std::string file = path(name + ".json");
    const Outcome calibrated = run_fredsim(
        both(both({"calibrate"}, work), {"-b", bytes, "-e", bytes, "--quiet", "--out", file}));
    ASSERT_EQ(calibrated.exit_code, 0) << calibrated.err;
    const Words sized = both(work, {"--size", bytes});
    const json exact = run_of(sized, {"--engine", "exact"});
    const json flow = run_of(sized, {"--engine", "flow", "--calibration", file});
    EXPECT_EQ(flow.at("algorithm"), name);
    EXPECT_EQ(flow.at("traffic"), exact.at("traffic"));
    const double stated = flow.at("error").at("worst_percent");
    EXPECT_GT(stated, 0);
    EXPECT_LE(difference_percent(flow, exact), stated);
    EXPECT_LT(stated, 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GridFlows, testing::Range<std::uint64_t>(1, 13));

// Exact runs of some six seconds.
TEST(GridFlowsOfLargeSizes, GoOnAsExactRuns) {
  for (const auto& [name, size] :
       {std::pair{"one_shot", "8MiB"}, std::pair{"two_phase", "128MiB"}}) {
    SCOPED_TRACE(name);
    const Words work = both(both(Grid{"mesh", 4, 4}.words(1), algorithm(name)), {"--size", size});
    const json flow = run_of(work, {"--engine", "flow"});
    EXPECT_TRUE(flow.at("error").is_null());
    EXPECT_LT(difference_percent(flow, run_of(work, {"--engine", "exact"})), 1);
  }
}

}  // namespace
}  // namespace fredsim
