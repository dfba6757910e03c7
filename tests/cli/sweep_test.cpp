// SPDX-License-Identifier: Apache-2.0
// `fredsim sweep`: every point once, failures as rows, nothing lost when it is interrupted or
// killed.
#include <gtest/gtest.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <thread>

#include "support/program.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

constexpr const char* kMachines = "machines: [configs/mesh_2x2.yaml, configs/fred_small.yaml]\n";
// A point of milliseconds, and one of seconds: nothing of it is passed over.
constexpr const char* kShortAndLong =
    "machines: configs/mesh_2x2.yaml\nrun:\n- size: 1KiB\n- {size: 32MiB, no-skip: true}\n";

class SweepTest : public FolderTest {
 protected:
  std::string study(const std::string& text) const { return write("study.yaml", text); }
  Words command(const Words& more = {}) const {
    return with({"sweep", path("study.yaml"), "--results", path("r")}, more);
  }
  Outcome sweep(const Words& more = {}) const { return run_fredsim(command(more)); }
  std::string table(const std::string& name = "table.csv") const {
    return read_text(path("r/" + name));
  }
  std::vector<Json> rows() const {
    std::vector<Json> all;
    for (const std::string& line : lines_of(table("table.jsonl"))) all.push_back(Json::parse(line));
    return all;
  }
  // Names and texts of the points' files.
  std::map<std::string, std::string> points() const {
    std::map<std::string, std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(path("r/points")))
      texts[entry.path().filename()] = read_text(entry.path());
    return texts;
  }
};

TEST_F(SweepTest, RunsEveryPointOnce) {
  study(std::string(kMachines) +
        "run: {collective: [all_reduce, all_gather], size: [1KiB, 4KiB]}\nseeds: [1, 2]\n");
  const Outcome first = sweep({"--jobs", "2"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.err, "");
  EXPECT_NE(first.out.find("study: 16 points: 16 done, 0 failed\n"), std::string::npos)
      << first.out;
  const auto before = points();
  EXPECT_EQ(before.size(), 16U);
  const std::string csv = table();
  const Outcome second = sweep();
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(points(), before) << "with the time that they took: not run again";
  EXPECT_EQ(table(), csv);
}

TEST_F(SweepTest, AFurtherValueRunsItsPointsAlone) {
  study(std::string(kMachines) + "run: {size: [1KiB, 2KiB]}\n");
  EXPECT_EQ(sweep().exit_code, 0);
  const auto before = points();
  study(std::string(kMachines) + "run: {size: [4KiB, 2KiB]}\n");
  EXPECT_EQ(sweep().exit_code, 0);
  const auto after = points();
  EXPECT_EQ(after.size(), 6U) << "points that the study has no more stay";
  for (const auto& [name, text] : before) EXPECT_EQ(after.at(name), text);
  EXPECT_EQ(rows().size(), 4U) << "but are in no table";
}

TEST_F(SweepTest, RowsHoldWhatTheCommandFinds) {
  study(
      "machines: configs/fred_small.yaml\nsettings: {fabric.slices: 2}\nrun: {size: 4KiB}\n"
      "traffic: {rate: 0.25, cycles: 500, warmup: 100}\nseeds: 3\n");
  EXPECT_EQ(sweep().exit_code, 0);
  const std::vector<Json> found = rows();
  ASSERT_EQ(found.size(), 2U);
  const Words set{"--set", "fabric.slices=2", "--seed", "3", "--quiet", "--json", "-"};
  const Json run = run_fredsim(with({"run", "configs/fred_small.yaml", "--size", "4KiB"}, set))
                       .json()["runs"][0];
  const Json& row = found[0]["results"];
  for (const char* key : {"cycles", "time_ns", "algorithm", "busbw_gbps"})
    EXPECT_EQ(row[key], run[key]) << key;
  EXPECT_EQ(row["traffic.link_bytes"], run["traffic"]["link_bytes"]);
  const Json traffic = run_fredsim(with({"traffic", "configs/fred_small.yaml", "--rate", "0.25",
                                         "--cycles", "500", "--warmup", "100"},
                                        set))
                           .json()["runs"][0];
  EXPECT_EQ(found[1]["results"]["latency_cycles.mean"], traffic["latency_cycles"]["mean"]);
  EXPECT_EQ(found[1]["settings"]["fabric.slices"], "2");
  EXPECT_EQ(found[1]["seed"], 3);
}

TEST_F(SweepTest, TheTableIsTheSameWhateverTheJobs) {
  study(std::string(kMachines) +
        "run: {collective: [all_reduce, all_to_all], size: [1KiB, 8KiB, 16KiB]}\n"
        "exclude: [{collective: all_to_all, size: 8KiB}]\n");
  EXPECT_EQ(sweep({"--jobs", "3"}).exit_code, 0);
  const std::string csv = table(), lines = table("table.jsonl");
  std::filesystem::rename(path("r"), path("before"));
  EXPECT_EQ(sweep().exit_code, 0);
  EXPECT_EQ(table(), csv);
  EXPECT_EQ(table("table.jsonl"), lines);
  EXPECT_EQ(lines_of(csv).size(), 11U);
}

TEST_F(SweepTest, AFailedPointIsARowAndTheStudyGoesOn) {
  study(std::string(kMachines) + "run: {algorithm: [in_switch, ring], size: 1KiB}\n");
  const Outcome outcome = sweep();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(
      outcome.err.find("study.yaml: 1 of 4 points failed; " + path("r") + "/table.csv says why"),
      std::string::npos)
      << outcome.err;
  const std::vector<Json> found = rows();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0]["status"], "failed");
  const std::string message = found[0]["message"];
  const Outcome own = run_fredsim(
      {"run", "configs/mesh_2x2.yaml", "--algorithm=in_switch", "--size=1KiB", "--quiet"});
  EXPECT_EQ(own.exit_code, 2);
  EXPECT_EQ("fredsim: " + message + "\n", own.err);
  EXPECT_NE(outcome.out.find("run configs/mesh_2x2.yaml --algorithm=in_switch"), std::string::npos)
      << outcome.out;
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_EQ(found[i]["status"], "done") << found[i];
  const auto before = points();
  EXPECT_EQ(sweep().exit_code, 1) << "still failed";
  EXPECT_EQ(points(), before);
}

TEST_F(SweepTest, FailuresOfOneMessageAreListedOnce) {
  study("machines: configs/mesh_2x2.yaml\nrun: {algorithm: in_switch, size: [1KiB, 2KiB, 4KiB]}\n");
  const Outcome outcome = sweep();
  EXPECT_EQ(outcome.exit_code, 1);
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 4U) << outcome.out;
  EXPECT_EQ(lines[0], "study: 3 points: 0 done, 3 failed");
  EXPECT_TRUE(lines[1].starts_with("failed: algorithm: in_switch needs")) << lines[1];
  EXPECT_TRUE(
      lines[2].starts_with("  3 points, the first one: fredsim run configs/mesh_2x2.yaml "
                           "--algorithm=in_switch --size=1KiB"))
      << lines[2];
}

TEST_F(SweepTest, RetryRunsFailedPointsOnly) {
  study(std::string(kMachines) + "run: {size: 1KiB, work: [" + path("work.yaml") + "]}\n");
  EXPECT_EQ(sweep().exit_code, 1) << "no such file";
  const auto before = points();
  ASSERT_EQ(before.size(), 2U);
  std::string failed = before.begin()->second;
  const std::size_t at = failed.find("work.yaml");
  ASSERT_NE(at, std::string::npos);
  failed.replace(at, 4, "WORK");  // a message of before
  write("r/points/" + before.begin()->first, failed);
  EXPECT_EQ(sweep().exit_code, 1);
  EXPECT_EQ(points().begin()->second, failed);
  EXPECT_EQ(sweep({"--retry"}).exit_code, 1);
  EXPECT_EQ(points().begin()->second, before.begin()->second) << "run once more";
  write("work.yaml", "- {collective: all_reduce, size: 1KiB}\n");
  EXPECT_EQ(sweep().exit_code, 0) << "another file is another work";
}

// The child of a process, once it has one.
pid_t child_of(pid_t parent) {
  const std::string file =
      "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children";
  for (int tries = 0; tries < 3000; ++tries) {
    pid_t child = 0;
    if (std::ifstream(file) >> child) return child;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "no child of " << parent;
  return 0;
}

// Init may take its time to reap it.
bool is_alive(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return stat >> number >> name >> state && state != "Z";
}

TEST_F(SweepTest, AKilledPointIsRunAgain) {
  study("machines: configs/mesh_2x2.yaml\nrun: {size: 4MiB, no-skip: true}\n");
  RunningProgram program(command());
  ::kill(child_of(program.process()), SIGKILL);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(points().size(), 0U) << "it may well succeed the next time";
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_EQ(rows()[0]["message"], "ended by signal 9 (Killed)");
  EXPECT_EQ(sweep().exit_code, 0);
  EXPECT_EQ(rows()[0]["status"], "done");
}

TEST_F(SweepTest, AnInterruptionKeepsWhatIsComplete) {
  // Hours on any machine: the second point cannot end before the signal.
  study("machines: configs/mesh_2x2.yaml\nrun:\n- size: 1KiB\n- {size: 64GiB, no-skip: true}\n");
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningProgram program(command());
    ASSERT_TRUE(program.wait_until(
        [&] { return std::filesystem::exists(path("r/points")) && points().size() == 1; }));
    const pid_t child = child_of(program.process());
    program.send(signal);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
    EXPECT_EQ(outcome.err, "fredsim: interrupted: 1 of 2 points complete\n");
    EXPECT_NE(outcome.out.find("1 done, 0 failed, 1 not run"), std::string::npos) << outcome.out;
    EXPECT_FALSE(is_alive(child));
    EXPECT_EQ(points().size(), 1U);
    EXPECT_EQ(rows().size(), 1U);
  }
}

TEST_F(SweepTest, PointsEndWithASweepThatIsKilled) {
  study("machines: configs/mesh_2x2.yaml\nrun: {size: 64GiB, no-skip: true}\n");
  RunningProgram program(command());
  const pid_t child = child_of(program.process());
  program.send(SIGKILL);
  program.wait();
  for (int tries = 0; tries < 3000 && is_alive(child); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(is_alive(child));
  EXPECT_EQ(points().size(), 0U);
}

TEST_F(SweepTest, ListsPointsAndRunsOne) {
  study(std::string(kMachines) + "run: {size: 1KiB}\n");
  const Outcome list = sweep({"--list"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  const std::vector<std::string> lines = lines_of(list.out);
  ASSERT_EQ(lines.size(), 2U);
  const std::string hash = lines[1].substr(0, 32);
  EXPECT_EQ(lines[1].substr(32),
            "  missing  fredsim run configs/fred_small.yaml --size=1KiB --quiet --json -");
  EXPECT_FALSE(std::filesystem::exists(path("r"))) << "nothing is made";
  const Outcome one = sweep({"--point", hash});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out + one.err, "");
  EXPECT_EQ(points().size(), 1U);
  EXPECT_EQ(points().begin()->first, hash + ".json");
  EXPECT_NE(sweep({"--list"}).out.find(hash + "  done "), std::string::npos);
  const Outcome table_only = sweep({"--table"});
  EXPECT_EQ(table_only.exit_code, 0) << table_only.err;
  EXPECT_NE(table_only.out.find("1 done, 0 failed, 1 not run"), std::string::npos)
      << table_only.out;
  EXPECT_EQ(rows().size(), 1U);
  EXPECT_EQ(points().size(), 1U);
  expect_refused(sweep({"--point", "abc"}),
                 {"--point: found 'abc'; allowed: the hash of a point of"});
  expect_refused(sweep({"--list", "--table"}), {"--list: found together with --table"});
}

// Cut short, as a full disk or a power cut leaves one.
TEST_F(SweepTest, RunsAPointAgainWhoseFileIsNoResult) {
  study(std::string(kMachines) + "run: {size: 1KiB}\n");
  ASSERT_EQ(sweep().exit_code, 0);
  const auto before = points();
  ASSERT_EQ(before.size(), 2U);
  const auto& [name, text] = *before.begin();
  const std::string file = path("r/points/" + name);
  const std::string csv = table();
  for (const std::string& damaged :
       {std::string(), text.substr(0, 1), text.substr(0, text.size() / 2),
        text.substr(0, text.size() - 2), std::string(4096, '\0'),
        std::string(R"({"runs": [7]})")}) {
    std::ofstream(file, std::ios::binary) << damaged;
    const Outcome list = sweep({"--list"});
    EXPECT_EQ(list.exit_code, 0) << list.err;
    EXPECT_NE(list.out.find(name.substr(0, 32) + "  missing"), std::string::npos) << list.out;
    const Outcome again = sweep();
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_NE(again.err.find(file + ": "), std::string::npos) << again.err;
    EXPECT_NE(again.err.find("; the point counts as not run\n"), std::string::npos) << again.err;
    EXPECT_TRUE(Json::accept(points().at(name)));
    EXPECT_EQ(points().rbegin()->second, before.rbegin()->second) << "the other one stays";
    EXPECT_EQ(lines_of(table()).size(), lines_of(csv).size());
  }
  EXPECT_EQ(sweep().err, "");
}

TEST_F(SweepTest, AFailedPointAloneIsKept) {
  study("machines: configs/mesh_2x2.yaml\nrun: {algorithm: in_switch}\n");
  const std::string hash = sweep({"--list"}).out.substr(0, 32);
  EXPECT_EQ(sweep({"--point", hash}).exit_code, 0)
      << "it is there, and a cluster need not run it again";
  EXPECT_EQ(points().size(), 1U);
  EXPECT_NE(sweep({"--list"}).out.find(hash + "  failed"), std::string::npos);
}

TEST_F(SweepTest, WritesAPageAndFilesOfResults) {
  study(std::string(kMachines) + "run: {size: [1KiB, 2KiB]}\n");
  EXPECT_EQ(sweep().exit_code, 0);
  EXPECT_TRUE(table("report.html").starts_with("<!DOCTYPE html>"));
  const Outcome page = run_fredsim({"report", path("r/table.json"), "-o", path("again.html")});
  EXPECT_EQ(page.exit_code, 0) << page.err;
  Words report{"report", "-o", path("points.html")};
  for (const auto& [name, text] : points()) report.push_back(path("r/points/" + name));
  const Outcome of_points = run_fredsim(report);
  EXPECT_EQ(of_points.exit_code, 0) << "a point's file is one of results: " << of_points.err;
  expect_refused(
      run_fredsim({"report", write("x.json", R"({"fredsim": "1", "points": [{"point": 5}]})")}),
      {"x.json: found no key 'study'"});
}

TEST_F(SweepTest, WritesAWorkflow) {
  study(std::string(kMachines) + "run: {size: 1KiB}\n");
  const Outcome outcome = sweep({"--export", "snakemake", path("flow")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json flow = Json::parse(read_text(path("flow/study.json")));
  EXPECT_EQ(flow["points"].size(), 2U);
  EXPECT_EQ(flow["results"], path("r"));
  EXPECT_TRUE(std::filesystem::exists(path("flow/Snakefile")));
  EXPECT_TRUE(std::filesystem::exists(path("flow/slurm/config.yaml")));
  expect_refused(sweep({"--export", "make", path("flow")}),
                 {"--export: found 'make'; allowed: snakemake"});
}

TEST_F(SweepTest, BadInputIsRefusedAndNothingIsLost) {
  study(std::string(kMachines) + "run: {size: 1KiB}\n");
  ASSERT_EQ(sweep().exit_code, 0);
  const auto before = points();
  const std::string csv = table();
  study(std::string(kMachines) + "run:\n  size: [1KiB, 2KiB]\nseeds: 1:500000\n");
  expect_refused(sweep(), {"study.yaml:2: run: found a product of more than 1000000 points",
                           "allowed: 1000000"});
  study(std::string(kMachines) + "run:\n  sizes: 1KiB\n");
  expect_refused(sweep(), {"study.yaml:3: run: found the key 'sizes'", "did you mean 'size'?"});
  study(std::string(kMachines) + "run:\n  size: [1KiB, 1024]\n");
  expect_refused(sweep(), {"study.yaml:3: found two points of one hash"});
  study(std::string(kMachines) + "run: {size: 1KiB}\n");
  const std::string folder = read_text(path("r/folder.json"));
  Json other = Json::parse(folder);
  other["fredsim"] = "0.0.1";
  write("r/folder.json", other.dump());
  expect_refused(sweep(), {path("r/folder.json") + ": found results of fredsim 0.0.1",
                           "allowed: those of this program"});
  EXPECT_EQ(points(), before);
  EXPECT_EQ(table(), csv);
  expect_refused(run_fredsim({"sweep", path("none.yaml")}), {"none.yaml: cannot be read"});
  expect_refused(sweep({"--jobs", "0"}), {"--jobs: found '0'", "1 to 1024"});
}

TEST_F(SweepTest, ResultsHaveToBeWritable) {
  study(std::string(kMachines) + "run: {size: 1KiB}\n");
  write("file", "");
  expect_refused(run_fredsim({"sweep", path("study.yaml"), "--results", path("file/r")}),
                 {"--results: '" + path("file/r") + "'"});
}

TEST_F(SweepTest, TheStudyOfTheTreeRuns) {
  const Outcome outcome =
      run_fredsim({"sweep", "configs/studies/small.yaml", "--results", path("r"), "--quiet"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(rows().size(), 24U);
}

// Every study of the tree has points, all of them with machines, options and keys that there are,
// whichever folder it is run from.
TEST_F(SweepTest, StudiesOfTheTreeAreWhole) {
  int studies = 0;
  for (const auto& entry : std::filesystem::directory_iterator("configs/studies")) {
    SCOPED_TRACE(entry.path());
    const Outcome outcome = run_fredsim({"sweep", entry.path().string(), "--list"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("missing  fredsim "), std::string::npos);
    const std::regex model("--workload=configs/models/[a-z0-9_]+\\.yaml");
    EXPECT_EQ(std::regex_replace(outcome.out, model, "").find(".yaml"), std::string::npos)
        << "a machine by its path";
    ++studies;
  }
  EXPECT_GE(studies, 7);
}

}  // namespace
}  // namespace fredsim
