// SPDX-License-Identifier: Apache-2.0
// `fredsim optimize`: allocations as table and JSON, limits, bad input.
#include <gtest/gtest.h>

#include <numeric>

#include "base/text_width.h"
#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Words optimize(const Words& more, const std::string& machine = "libra_4d") {
  return with({"optimize", machine}, more);
}

Words of_175b(const Words& more) {
  return optimize(
      with({"--workload", "configs/workloads/libra_175b.txt", "--total", "300GB/s"}, more));
}

// 8 NPUs: rings of 4, pairs on a switch.
constexpr const char* kSmallSystem = R"(
name: small_system
clock: 1 GHz
switch: {input_buffer: 64 KiB}
npu: {receive_buffer: 64 KiB}
fabric:
  type: dimensions
  dimensions:
    - {block: ring, size: 4, bandwidth: 100 GB/s, latency: 20 ns}
    - {block: switch, size: 2, bandwidth: 100 GB/s, latency: 100 ns}
)";

double gbps(const json& document, std::size_t dimension) {
  return document["optimum"]["bandwidths"][dimension]["gbps"];
}

TEST(Optimize, LandsOnAPublishedAllocation) {
  const Outcome outcome = run_fredsim(of_175b({"--json", "-"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = outcome.json();
  EXPECT_EQ(document["engine"], "model");
  EXPECT_EQ(document["npus"], 1024);
  const json& optimum = document["optimum"];
  EXPECT_EQ(optimum["converged"], true);
  EXPECT_GT(optimum["evaluations"], 0);
  EXPECT_EQ(optimum["objective"], optimum["time_ns"]);
  const std::vector<double> published{43.96, 38.47, 15.62, 1.95};  // 100 GB/s in all
  for (std::size_t d = 0; d < published.size(); ++d) {
    EXPECT_NEAR(gbps(document, d), 3 * published[d], 0.03) << d;
    EXPECT_EQ(optimum["bandwidths"][d]["dimension"], "d" + std::to_string(d));
  }
  EXPECT_NEAR(optimum["equal_over_optimum"], 1.069, 0.001);
}

TEST(Optimize, KeepsToConstraints) {
  const Outcome outcome = run_fredsim(
      of_175b({"--json", "-", "--for", "time_cost", "--at-least", "d3=20GB/s", "--at-most",
               "d0=100GB/s", "--sum", "d2,d3=120GB/s", "--order", "descending"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = outcome.json();
  EXPECT_EQ(document["constraints"].size(), 4U);
  // Minimum bandwidth in the most expensive dimension, so maximum in the other dimensions.
  for (const std::size_t d : {0, 1, 2}) EXPECT_NEAR(gbps(document, d), 90, 1e-4) << d;
  EXPECT_NEAR(gbps(document, 2) + gbps(document, 3), 120, 1e-4);
  EXPECT_NEAR(gbps(document, 3), 30, 1e-4);
  const json& optimum = document["optimum"];
  double dollars = 0;
  for (const json& one : optimum["bandwidths"])
    dollars += 1024 * one["gbps"].get<double>() * one["cost"].get<double>();
  EXPECT_NEAR(optimum["cost"], dollars, 1e-6 * dollars);
  EXPECT_NEAR(optimum["objective"],
              optimum["cost"].get<double>() * optimum["time_ns"].get<double>(),
              1e-6 * optimum["objective"].get<double>());
}

TEST(Optimize, WeighsWorkloads) {
  const auto of = [](const std::string& weights) {
    Words words{"--total", "100GB/s", "--json", "-", "--weights", weights};
    for (const char* size : {"17b", "175b", "1t"}) {
      words.emplace_back("--workload");
      words.push_back(std::string("configs/workloads/libra_") + size + ".txt");
    }
    return run_fredsim(optimize(words)).json();
  };
  const json equal = of("2,2,2");
  const std::vector<double> published{43.09, 37.71, 11.25, 7.95};
  for (std::size_t d = 0; d < published.size(); ++d)
    EXPECT_NEAR(gbps(equal, d), published[d], 0.01) << d;
  const json last = of("0,0,1");
  EXPECT_NEAR(gbps(last, 3), 12.14, 0.01);
  EXPECT_EQ(last["weights"], json::parse("[0.0, 0.0, 1.0]"));
}

TEST(Optimize, TakesModelsOfItsOwn) {
  const auto seconds = [](const Words& more) {
    const Outcome outcome = run_fredsim(optimize(
        with({"--workload", "gpt3", "--total", "500GB/s", "--minibatch", "1024", "--json", "-"},
             more),
        "libra_2d"));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["optimum"]["time_ns"].get<double>() / 1e9;
  };
  const double serial = seconds({"--mp", "8", "--dp", "128"});
  EXPECT_LT(seconds({"--mp", "8", "--dp", "128", "--accounting", "overlap"}), serial);
  EXPECT_LT(serial, seconds({"--mp", "16", "--dp", "64"})) << "MP leaves the first dimension";
  EXPECT_GT(seconds({"--mp", "8", "--pp", "4", "--dp", "32", "--microbatches", "4"}), 0);
}

TEST(Optimize, PrintsATableOf80Columns) {
  const Outcome outcome = run_fredsim(of_175b({"--for", "time_cost"}), {.columns = "80"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(display_width(line), 80) << line;
  for (const char* text : {"time x cost", "d0", "ring 2", "switch 8", "57.40", "evaluations"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << outcome.out;
}

TEST(Optimize, SaysThatItIsAtItsLimit) {
  const Words words = of_175b({"--for", "time_cost", "--max-evaluations", "15"});
  const Outcome outcome = run_fredsim(with(words, {"--json", "-"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = outcome.json();
  EXPECT_EQ(document["optimum"]["converged"], false);
  EXPECT_EQ(document["optimum"]["bandwidths"].size(), 4U);
  EXPECT_NE(run_fredsim(words).out.find("not converged"), std::string::npos);
}

class OptimizeFlow : public FolderTest {};

// Rings of 4 send 3/4 of 8 MiB each way round twice, pairs a half of the quarter that is left: 6 to
// 1.
TEST_F(OptimizeFlow, FindsTheOptimumOfAnAllReduceBySimulation) {
  const std::string machine = write("small.yaml", kSmallSystem);
  const Words words{"--size", "8MiB", "--total", "210GB/s", "--json", "-"};
  const json model = run_fredsim(optimize(words, machine)).json();
  EXPECT_NEAR(gbps(model, 0), 180, 0.01);
  const Outcome outcome = run_fredsim(optimize(with(words, {"--engine", "flow"}), machine));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json flow = outcome.json();
  EXPECT_EQ(flow["engine"], "flow");
  EXPECT_EQ(flow["optimum"]["converged"], true);
  EXPECT_NEAR(gbps(flow, 0) + gbps(flow, 1), 210, 1e-6);
  const double of_model = model["optimum"]["time_ns"], of_flow = flow["optimum"]["time_ns"];
  EXPECT_GT(of_flow, of_model) << "latencies";
  EXPECT_LT(of_flow, 1.2 * of_model);
  EXPECT_NEAR(gbps(flow, 0), 180, 5) << "6 to 1, as by the model";
  EXPECT_GT(flow["optimum"]["equal_over_optimum"], 1.2);
  // `run` with these bandwidths takes the predicted time.
  const auto setting = [&](std::size_t d) {
    return "fabric.dimensions." + std::to_string(d + 1) + ".bandwidth=" +
           std::to_string(static_cast<std::int64_t>(gbps(flow, d) * 1e6) / 12 * 12) + " KB/s";
  };
  const json run = run_fredsim({"run", machine, "--size", "8MiB", "--engine", "flow", "--set",
                                setting(0), "--set", setting(1), "--json", "-"})
                       .json();
  EXPECT_NEAR(run["runs"][0]["time_ns"].get<double>(), of_flow, 0.01 * of_flow);
}

TEST_F(OptimizeFlow, SearchesLevelsOfATreeForATrainingIteration) {
  const Outcome outcome =
      run_fredsim({"optimize", "configs/fred_small.yaml", "--workload", "configs/models/small.yaml",
                   "--mp", "2", "--dp", "2", "--engine", "flow", "--total", "1.2TB/s",
                   "--max-evaluations", "40", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = outcome.json();
  EXPECT_EQ(document["optimum"]["bandwidths"][0]["dimension"], "l1");
  EXPECT_EQ(document["optimum"]["bandwidths"][1]["dimension"], "l2");
  EXPECT_NEAR(gbps(document, 0) + gbps(document, 1), 1200, 1e-6);
  EXPECT_LE(document["optimum"]["evaluations"], 40);
}

struct RefusedSearch {
  std::string name;
  Words arguments;
  Words words;
};

void PrintTo(const RefusedSearch& refused, std::ostream* out) { *out << refused.name; }

class OptimizeRefuses : public testing::TestWithParam<RefusedSearch> {};

TEST_P(OptimizeRefuses, NamingWhatWasFound) {
  expect_refused(run_fredsim(GetParam().arguments), GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(
    BadInput, OptimizeRefuses,
    testing::Values(
        RefusedSearch{"Clash",
                      of_175b({"--at-least", "d0=250GB/s", "--at-most", "d3=1GB/s", "--sum",
                               "d1,d2=100GB/s"}),
                      {"no allocation", "--total 300GB/s", "--at-least d0=250GB/s",
                       "--sum d1,d2=100GB/s", "any without one of these"}},
        RefusedSearch{"Weights", of_175b({"--weights", "0"}), {"--weights", "sum is 0"}},
        RefusedSearch{"WeightOfNone", of_175b({"--weights", "1,2"}), {"--weights", "found 2", "1"}},
        RefusedSearch{"NegativeWeight", of_175b({"--weights", "-1"}), {"--weights", "'-1'"}},
        RefusedSearch{"Dimension",
                      of_175b({"--at-least", "d9=1GB/s"}),
                      {"--at-least d9=1GB/s", "'d9'", "d0, d1, d2, d3"}},
        RefusedSearch{
            "CostOfNone", of_175b({"--for", "time_cost", "--cost", "x=1"}), {"--cost", "'x'"}},
        RefusedSearch{"CostWithoutUse", of_175b({"--cost", "d0=1"}), {"--cost", "time_cost"}},
        RefusedSearch{"AlgorithmOfTheModel",
                      of_175b({"--algorithm", "ring"}),
                      {"--algorithm", "--engine flow"}},
        RefusedSearch{
            "ZeroTotal", optimize({"--size", "1MiB", "--total", "0GB/s"}), {"--total", "0GB/s"}},
        RefusedSearch{"NegativeTotal",
                      optimize({"--size", "1MiB", "--total", "-3GB/s"}),
                      {"--total", "-3GB/s"}},
        RefusedSearch{"NoTotal", optimize({"--size", "1MiB"}), {"--total", "missing"}},
        RefusedSearch{"NoWorkload", optimize({"--total", "1GB/s"}), {"--workload", "missing"}},
        RefusedSearch{"Goal", of_175b({"--for", "money"}), {"--for", "'money'", "time_cost"}},
        RefusedSearch{"Bound", of_175b({"--at-most", "d0"}), {"--at-most", "'d0'", "d0=500GB/s"}},
        RefusedSearch{
            "Groups",
            optimize({"--workload", "gpt3", "--mp", "16", "--dp", "20", "--total", "9GB/s"},
                     "fred_d_16"),
            {"gpt3", "groups of 16", "20 x 16"}},
        RefusedSearch{"Workers",
                      optimize({"--workload", "gpt3", "--mp", "4", "--total", "9GB/s"}, "libra_3d"),
                      {"4 workers", "1024"}},
        RefusedSearch{"NoSystem",
                      optimize({"--size", "1MiB", "--total", "9GB/s"}, "configs/fred_d.yaml"),
                      {"fred_tree", "dimensions", "--engine flow"}},
        RefusedSearch{"NoKey",
                      optimize({"--size", "1MiB", "--total", "9GB/s", "--engine", "flow"},
                               "configs/mesh.yaml"),
                      {"mesh2d", "fabric.uplink_bandwidth"}},
        RefusedSearch{
            "MachineAsDimension",
            optimize({"--size", "1MiB", "--total", "9GB/s", "--engine", "flow"}, "fred_d_16"),
            {"machine of its own"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fredsim
