// SPDX-License-Identifier: Apache-2.0
// `fredsim calibrate` and --calibration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Words = std::vector<std::string>;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Words words(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

Outcome calibrate(const std::string& file, const Words& more = {}) {
  return run_fredsim(words({"calibrate", "configs/mesh_2x2.yaml", "--collective", "all_gather",
                            "-b", "64KiB", "-e", "128KiB", "--quiet", "--out", file},
                           more));
}

json flow_run(const Words& more) {
  const Outcome outcome =
      run_fredsim(words({"run", "configs/mesh_2x2.yaml", "--collective", "all_gather", "--size",
                         "100KiB", "--engine", "flow", "--quiet", "--json", "-"},
                        more));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
}

std::string refusal(const Words& more) {
  const Outcome outcome = run_fredsim(
      words({"run", "configs/mesh_2x2.yaml", "--size", "64KiB", "--engine", "flow"}, more));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  return outcome.err;
}

class Calibrate : public testing::Test {
 protected:
  std::string file() const { return folder_.file("c.json"); }
  void edit(const std::function<void(json&)>& change) const {
    json all = json::parse(text_of(file()));
    change(all);
    std::ofstream(file()) << all;
  }
  const TemporaryFolder folder_;
};

TEST_F(Calibrate, WritesWhatRunsTake) {
  const Outcome outcome = calibrate(file());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("all_gather"));
  // Without a file the size itself is run.
  const json own = flow_run({}), with_file = flow_run({"--calibration", file()});
  const double cycles = own["cycles"], cycles_with_file = with_file["cycles"];
  EXPECT_EQ(own["error"]["worst_percent"], 0);
  EXPECT_GT(with_file["error"]["worst_percent"], 0);
  EXPECT_LE(100 * std::abs(cycles_with_file / cycles - 1), with_file["error"]["worst_percent"]);
  // It is the file that says so.
  edit([](json& all) {
    for (json& work : all["machines"][0]["works"])
      for (json& point : work["points"])
        point["surplus"][0] = point["surplus"][0].get<double>() + 1000;
  });
  EXPECT_EQ(flow_run({"--calibration", file()})["cycles"], cycles_with_file + 1000);
}

TEST_F(Calibrate, KeepsWhatAFileHas) {
  ASSERT_EQ(calibrate(file()).exit_code, 0);
  const json before = json::parse(text_of(file()));
  ASSERT_EQ(calibrate(file(), {"--collective", "broadcast", "configs/fred_small.yaml"}).exit_code,
            0);
  const json after = json::parse(text_of(file()));
  ASSERT_EQ(after["machines"].size(), 2U);
  for (const json& work : before["machines"][0]["works"])
    EXPECT_THAT(after["machines"][1]["works"], testing::Contains(work));
  EXPECT_GT(after["machines"][1]["works"].size(), before["machines"][0]["works"].size());
  // A second calibration changes nothing.
  ASSERT_EQ(calibrate(file()).exit_code, 0);
  EXPECT_EQ(json::parse(text_of(file())), after);
}

TEST_F(Calibrate, IsRefusedOnAnotherMachineOrByAnotherProgram) {
  ASSERT_EQ(calibrate(file()).exit_code, 0);
  for (const Words& other : std::vector<Words>{{"--set", "fabric.link_latency=33 ns"},
                                               {"--fault", "npu:3", "--group", "0,1"}}) {
    const std::string message = refusal(words(other, {"--calibration", file()}));
    EXPECT_THAT(message, HasSubstr(file() + ": found calibrations of mesh_2x2 ("));
    EXPECT_THAT(message, HasSubstr("; allowed: of mesh_2x2 ("));
  }
  edit([](json& all) { all["program"] = "fredsim 0.1.0 (commit 1234567)"; });
  const std::string damaged = text_of(file());
  EXPECT_THAT(refusal({"--calibration", file()}),
              HasSubstr("found calibrations by fredsim 0.1.0 (commit 1234567); allowed: by this "
                        "program, fredsim "));
  const Outcome added = calibrate(file());
  EXPECT_EQ(added.exit_code, 2);
  EXPECT_THAT(added.err, HasSubstr("found calibrations by fredsim 0.1.0"));
  EXPECT_EQ(text_of(file()), damaged);
}

TEST_F(Calibrate, RefusesFilesThatAreNone) {
  EXPECT_THAT(refusal({"--calibration", file()}), HasSubstr("No such file"));
  std::ofstream(file()) << "{\n\"fredsim_calibration\": 1,\n";
  EXPECT_THAT(refusal({"--calibration", file()}), HasSubstr(file() + ":3: found no JSON"));
  const Outcome outcome = calibrate(file());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr(file() + ":3: found no JSON"));
  const Outcome exact =
      run_fredsim({"run", "configs/mesh_2x2.yaml", "--size", "64KiB", "--calibration", file()});
  EXPECT_EQ(exact.exit_code, 2);
  EXPECT_THAT(exact.err, HasSubstr("--calibration: found '" + file() + "' with --engine exact"));
}

TEST_F(Calibrate, RefusesWhatItCannotMeasure) {
  for (const auto& [given, message] : std::vector<std::pair<Words, std::string>>{
           {{"--collective", "all_to_all_v"}, "--collective: found 'all_to_all_v'"},
           {{"--collective", "reduce_all"}, "all_reduce"},
           {{"--algorithm", "rings"}, "'rings'"},
           {{"-e", "4KiB"}, "-e: found"},
           {{"-b", "none"}, "-b: found 'none', which is not a number"}}) {
    const Outcome outcome =
        run_fredsim(words({"calibrate", "configs/mesh_2x2.yaml", "--out", file()}, given));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(file()));
  }
}

TEST_F(Calibrate, LeavesNothingWhenInterrupted) {
  for (const bool exists : {false, true}) {
    if (exists) {
      ASSERT_EQ(calibrate(file()).exit_code, 0);
    }
    const std::string before = exists ? text_of(file()) : "";
    RunningProgram program(
        {"calibrate", "configs/torus3d.yaml", "--quiet", "--algorithm", "direct", "--out", file()});
    ASSERT_TRUE(program.wait_for_processor_time(std::chrono::milliseconds(500)));
    program.send(SIGINT);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
    EXPECT_EQ(exists ? text_of(file()) : "", before);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}),
              exists ? 1 : 0);
  }
}

}  // namespace
}  // namespace fredsim
