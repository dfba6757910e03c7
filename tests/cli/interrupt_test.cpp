// Ctrl-C: what was measured so far is kept and marked, files are whole, the exit code is 130.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <numeric>
#include <random>
#include <thread>

#include "program.h"

namespace fredsim {
namespace {

using std::chrono::milliseconds;

class Interrupt : public FolderTest {};
class InterruptModel : public FolderTest, public testing::WithParamInterface<const char*> {};

// One run of milliseconds, one of minutes: nothing of it is passed over.
const std::vector<std::string> kLong{"-b", "1KiB", "-e", "16GiB", "-f", "16777216", "--no-skip"};
constexpr milliseconds kWellUnderWay{700};  // of processor time

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void expect_incomplete(const nlohmann::json& run) {
  EXPECT_EQ(run["payload"], "incomplete");
  EXPECT_EQ(run["incomplete"], true);
  EXPECT_GT(run["cycles"], 0);
  EXPECT_GT(run["delivered_bytes"], 0);
  EXPECT_LT(run["delivered_bytes"], 4 * (std::uint64_t{16} << 30));
  EXPECT_GT(run["traffic"]["link_bytes"], 0);
  EXPECT_TRUE(run["algbw_gbps"].is_null());
  EXPECT_TRUE(run["derived"]["time_over_bound"].is_null());
  EXPECT_EQ(run["parts"][0]["incomplete"], true);
  EXPECT_FALSE(run.contains("speedup"));
}

TEST_P(InterruptModel, KeepsTheRunsSoFar) {
  RunningProgram program(std::vector<std::string>{"run", "configs/mesh_2x2.yaml", "--model",
                                                  GetParam(), "--json", path("out.json")} +
                         kLong);
  ASSERT_TRUE(program.wait_for_output("mesh_2x2"));
  ASSERT_TRUE(program.wait_for_processor_time(kWellUnderWay));
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_EQ(outcome.err, "fredsim: interrupted: 1 of 2 runs complete\n");
  EXPECT_NE(outcome.out.find("  incomplete"), std::string::npos) << outcome.out;
  EXPECT_EQ(files(), (std::vector<std::string>{"out.json"}));
  const auto runs = nlohmann::json::parse(read_text(path("out.json")))["runs"];
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["payload"], "exact");
  EXPECT_FALSE(runs[0].contains("incomplete"));
  expect_incomplete(runs[1]);
}

INSTANTIATE_TEST_SUITE_P(Models, InterruptModel, testing::Values("tlm", "rtl"));

TEST_F(Interrupt, CompareLeavesOutWhatDidNotBegin) {
  RunningProgram program(std::vector<std::string>{"compare", "configs/mesh_2x2.yaml",
                                                  "configs/fred_small.yaml", "--json",
                                                  path("out.json")} +
                         kLong);
  ASSERT_TRUE(program.wait_for_output("1 KiB"));
  ASSERT_TRUE(program.wait_for_processor_time(kWellUnderWay));
  program.send(SIGTERM);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_EQ(outcome.err, "fredsim: interrupted: 2 of 4 runs complete\n");
  const auto runs = nlohmann::json::parse(read_text(path("out.json")))["runs"];
  ASSERT_EQ(runs.size(), 3U);
  expect_incomplete(runs[1]);  // runs of a machine stand together
  EXPECT_EQ(runs[2]["payload"], "exact");
  EXPECT_TRUE(runs[2].contains("speedup"));
}

TEST_F(Interrupt, TrafficMarksThePointUnderWay) {
  RunningProgram program({"traffic", "configs/mesh_2x2.yaml", "--rate", "0.1:0.2:0.1", "--cycles",
                          "100000000", "--json", path("out.json")});
  ASSERT_TRUE(program.wait_for_output("mesh_2x2"));
  ASSERT_TRUE(program.wait_for_processor_time(kWellUnderWay));
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_EQ(outcome.err, "fredsim: interrupted: 0 rates complete\n");
  EXPECT_NE(outcome.out.find("incomplete, "), std::string::npos) << outcome.out;
  const auto json = nlohmann::json::parse(read_text(path("out.json")));
  ASSERT_EQ(json["runs"].size(), 1U);
  EXPECT_EQ(json["runs"][0]["incomplete"], true);
  EXPECT_TRUE(json["runs"][0]["saturated"].is_null());
  EXPECT_GT(json["runs"][0]["cycles"], 0);
  EXPECT_GT(json["runs"][0]["delivered_bytes"], 0);
  EXPECT_TRUE(json["saturation"]["first_saturated_rate"].is_null());
}

// The second signal comes at any time, also while the file is written.
TEST_F(Interrupt, ASecondOneLeavesNothingHalfWritten) {
  for (const int delay : {0, 1, 2, 3, 5, 8}) {
    write("out.json", "old");
    RunningProgram program({"run", "configs/mesh_2x2.yaml", "--size", "16GiB", "--no-skip",
                            "--json", path("out.json")});
    ASSERT_TRUE(program.wait_for_output("mesh_2x2"));
    program.send(SIGINT);
    std::this_thread::sleep_for(milliseconds(delay));
    program.send(SIGINT);
    EXPECT_EQ(program.wait().exit_code, 130);
    EXPECT_EQ(files(), (std::vector<std::string>{"out.json"})) << "delay " << delay;
    const std::string text = read_text(path("out.json"));
    EXPECT_TRUE(text == "old" || nlohmann::json::accept(text)) << "delay " << delay;
  }
}

// Before the signals are handled the program just ends; later, set-up ends in order.
TEST_F(Interrupt, DuringSetUp) {
  for (const int delay : {0, 10, 20, 40, 80}) {
    write("out.json", "old");
    RunningProgram program({"run", "configs/fred_d.yaml", "--model", "rtl", "--size", "16GiB",
                            "--json", path("out.json")});
    std::this_thread::sleep_for(milliseconds(delay));
    program.send(SIGINT);
    const Outcome outcome = program.wait();
    EXPECT_TRUE(outcome.exit_code == 130 || outcome.exit_code == -1) << outcome.exit_code;
    EXPECT_EQ(files(), (std::vector<std::string>{"out.json"})) << "delay " << delay;
    const std::string text = read_text(path("out.json"));
    EXPECT_TRUE(text == "old" || nlohmann::json::accept(text)) << "delay " << delay;
  }
}

// NPUs in random order, far from each other: seconds go by until all paths are followed.
std::string far_apart(int npus, int ranks) {
  std::vector<int> all(static_cast<std::size_t>(npus));
  std::iota(all.begin(), all.end(), 0);
  std::ranges::shuffle(all, std::mt19937(1));
  all.resize(static_cast<std::size_t>(ranks));
  return fmt::format("{}", fmt::join(all, ","));
}

// Nothing is measured yet: the first one ends the program, whatever is under way.
TEST_F(Interrupt, DuringPlanning) {
  for (const int signal : {SIGINT, SIGTERM}) {
    write("out.json", "old");
    RunningProgram program({"run", "configs/mesh.yaml", "--set", "npu.count=4096", "--set",
                            "fabric.width=64", "--set", "fabric.height=64", "--set", "io.count=0",
                            "--collective", "reduce_scatter", "--algorithm", "ring", "--group",
                            far_apart(4096, 1400), "--json", path("out.json")});
    ASSERT_TRUE(program.wait_for_processor_time(milliseconds(500)));  // the machine is read
    program.send(signal);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.err, "fredsim: interrupted during planning\n");
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(files(), (std::vector<std::string>{"out.json"}));
    EXPECT_EQ(read_text(path("out.json")), "old");
  }
}

}  // namespace
}  // namespace fredsim
