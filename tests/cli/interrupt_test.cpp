// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: measurements so far are kept and marked, files are complete, the exit code is 130.
#include <fcntl.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <numeric>
#include <random>
#include <thread>

#include "support/program.h"

namespace fredsim {
namespace {

using std::chrono::milliseconds;

class Interrupt : public FolderTest {};
class InterruptModel : public FolderTest, public testing::WithParamInterface<const char*> {};

// One run of milliseconds, one of minutes: nothing of it is passed over.
const std::vector<std::string> kLong{"-b", "1KiB", "-e", "16GiB", "-f", "16777216", "--no-skip"};
constexpr milliseconds kWellIntoTheRun{700};  // processor time
constexpr milliseconds kIntoTheRun{200};

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
  ASSERT_TRUE(program.wait_for_processor_time(kWellIntoTheRun));
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
  ASSERT_TRUE(program.wait_for_processor_time(kWellIntoTheRun));
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

TEST_F(Interrupt, TrafficMarksTheRunningPoint) {
  RunningProgram program({"traffic", "configs/mesh_2x2.yaml", "--rate", "0.1:0.2:0.1", "--cycles",
                          "100000000", "--json", path("out.json")});
  ASSERT_TRUE(program.wait_for_processor_time(kWellIntoTheRun));
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
    ASSERT_TRUE(program.wait_for_processor_time(kIntoTheRun));
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

// A machine of milliseconds and one of minutes.
TEST_F(Interrupt, TrainKeepsWhatItHas) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    RunningProgram program({"train", "configs/mesh_2x2.yaml",
                            "configs/mesh_2x2.yaml@fabric.link_bandwidth=1MB/s", "--workload",
                            "configs/models/small.yaml", "--dp", "4", "--no-skip", "--quiet",
                            "--json", path("out.json")});
    ASSERT_TRUE(program.wait_for_processor_time(milliseconds(2000)));
    program.send(signal);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
    EXPECT_EQ(outcome.err, "fredsim: interrupted: 1 of 2 machines complete\n");
    EXPECT_NE(outcome.out.find("incomplete"), std::string::npos) << outcome.out;
    const auto runs = nlohmann::json::parse(read_text(path("out.json")))["runs"];
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0]["payload"], "exact");
    EXPECT_FALSE(runs[0].contains("incomplete"));
    EXPECT_EQ(runs[1]["payload"], "incomplete");
    EXPECT_EQ(runs[1]["incomplete"], true);
    EXPECT_GT(runs[1]["cycles"], 0);
    EXPECT_GT(runs[1]["delivered_bytes"], 0);
    EXPECT_GT(runs[1]["traffic"]["link_bytes"], 0);
    EXPECT_TRUE(runs[1]["iteration_ns"].is_null());
    EXPECT_TRUE(runs[1]["breakdown_ns"].is_null());
    EXPECT_FALSE(runs[1].contains("speedup"));
  }
}

TEST_F(Interrupt, TrainOfCompleteIterations) {
  RunningProgram program({"train", "configs/mesh_2x2.yaml", "--workload",
                          "configs/models/small.yaml", "--dp", "4", "--no-skip", "--iterations",
                          "1000", "--json", path("out.json")});
  ASSERT_TRUE(program.wait_for_processor_time(milliseconds(1000)));
  program.send(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 130);
  const auto run = nlohmann::json::parse(read_text(path("out.json")))["runs"][0];
  double sum = 0;
  for (const double iteration : run["iterations_ns"]) {
    EXPECT_GT(iteration, 0);
    sum += iteration;
  }
  EXPECT_LT(run["iterations_ns"].size(), 1000U);
  EXPECT_LE(sum, run["time_ns"].get<double>());
}

TEST_F(Interrupt, ConflictsKeepTheSetsThatWereTried) {
  RunningProgram program({"conflicts", "--ports", "32", "--middle", "2,3", "--flows", "1,8",
                          "--trials", "10000000", "--json", path("out.json")});
  ASSERT_TRUE(program.wait_for_processor_time(milliseconds(2000)));
  program.send(SIGTERM);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_NE(outcome.err.find(" of 20000000 sets of flows tried"), std::string::npos) << outcome.err;
  const auto runs = nlohmann::json::parse(read_text(path("out.json")))["runs"];
  ASSERT_FALSE(runs.empty());
  const auto& last = runs.back();
  EXPECT_EQ(last["incomplete"], true);
  EXPECT_LT(last["trials"], 10'000'000);
  EXPECT_LE(last["conflicts"], last["trials"]);
  EXPECT_NE(outcome.out.find("incomplete, "), std::string::npos) << outcome.out;
}

TEST_F(Interrupt, StrategiesKeepThoseThatWereChecked) {
  RunningProgram program(
      {"strategies", "configs/fred_64.yaml", "--middle", "2,3,4", "--json", path("out.json")});
  ASSERT_TRUE(program.wait_for_processor_time(milliseconds(700)));
  program.send(SIGHUP);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_NE(outcome.err.find(" strategies checked"), std::string::npos) << outcome.err;
  const auto json = nlohmann::json::parse(read_text(path("out.json")));
  ASSERT_FALSE(json["runs"].empty());
  EXPECT_EQ(json["runs"].back()["incomplete"], true);
  EXPECT_NE(outcome.out.find("incomplete, "), std::string::npos) << outcome.out;
}

// Nobody reads: the first signal ends it, before the run and when the results are there.
TEST_F(Interrupt, APipeWithoutAReader) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::vector<std::string> run{
      "run", "configs/mesh_2x2.yaml", "--size", "4KiB", "--json", path("pipe")};
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    RunningProgram program(run);
    ASSERT_TRUE(program.wait_for_error("waits until somebody reads this pipe"));
    program.send(signal);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.out, "") << "nothing was run";
  }
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  RunningProgram program({"run", "configs/mesh.yaml", "--size", "4KiB", "--json", path("pipe")});
  ASSERT_TRUE(program.wait_for_output("payload"));  // results do not fit in a pipe
  program.send(SIGTERM);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_NE(outcome.err.find("was not read"), std::string::npos) << outcome.err;
  ::close(reader);
}

TEST_F(Interrupt, APipeIsReadToItsEnd) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  RunningProgram program({"run", "configs/mesh.yaml", "--size", "4KiB", "--json", path("pipe")});
  const std::string text = read_text(path("pipe"));
  EXPECT_EQ(program.wait().exit_code, 0);
  EXPECT_TRUE(nlohmann::json::accept(text));
}

// NPUs in random order, far from each other: planning all paths between them takes seconds, for
// several sizes.
std::string far_apart(int npus, int ranks) {
  std::vector<int> all(static_cast<std::size_t>(npus));
  std::iota(all.begin(), all.end(), 0);
  std::ranges::shuffle(all, std::mt19937(1));
  all.resize(static_cast<std::size_t>(ranks));
  return fmt::format("{}", fmt::join(all, ","));
}

// Nothing is measured yet: the first Ctrl-C ends the program.
TEST_F(Interrupt, DuringPlanning) {
  for (const int signal : {SIGINT, SIGTERM}) {
    write("out.json", "old");
    RunningProgram program({"run",          "configs/mesh.yaml",
                            "--set",        "npu.count=4096",
                            "--set",        "fabric.width=64",
                            "--set",        "fabric.height=64",
                            "--set",        "io.count=0",
                            "--collective", "all_to_all",
                            "--algorithm",  "direct",
                            "--group",      far_apart(4096, 500),
                            "-b",           "4KiB",
                            "-e",           "4MiB",
                            "-f",           "8",
                            "--json",       path("out.json")});
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
