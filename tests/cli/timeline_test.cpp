// --timeline: a trace-event file of what happened when, the same for every body of the switches.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "program.h"

namespace fredsim {
namespace {

using nlohmann::json;

class TimelineFile : public FolderTest {
 protected:
  // Runs and reads both files.
  void run(const std::vector<std::string>& arguments, const std::string& level) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--timeline", path("t.json"), "--timeline-level", level, "--json",
                           path("r.json"), "--quiet"});
    outcome_ = run_fredsim(all);
    ASSERT_EQ(outcome_.exit_code, 0) << outcome_.err;
    timeline_ = json::parse(read_text(path("t.json")));
    runs_ = json::parse(read_text(path("r.json")))["runs"];
  }
  std::vector<json> category(const std::string& name) const {
    std::vector<json> events;
    for (const json& e : timeline_["traceEvents"]) {
      if (e.value("cat", "") == name) events.push_back(e);
    }
    return events;
  }
  std::string track(const json& event) const {
    for (const json& e : timeline_["traceEvents"]) {
      if (e["name"] == "thread_name" && e["pid"] == event["pid"] && e["tid"] == event["tid"]) {
        return e["args"]["name"];
      }
    }
    return "";
  }

  Outcome outcome_;
  json timeline_, runs_;
};

TEST_F(TimelineFile, PacketsAndFlitsAreThoseOfTheLinkCounters) {
  for (const char* machine : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"}) {
    SCOPED_TRACE(machine);
    ASSERT_NO_FATAL_FAILURE(run({"run", machine, "--size", "20000"}, "3"));
    std::map<std::string, std::uint64_t> launched;    // by link
    std::map<std::string, std::uint64_t> sent, come;  // by NPU, flits
    for (const json& e : category("flits")) ++launched[track(e)];
    const auto npu = [&](const json& e) { return track(e).substr(0, track(e).find(' ')); };
    for (const json& e : category("packets sent")) sent[npu(e)] += e["args"]["flits"].get<int>();
    for (const json& e : category("packets received"))
      come[npu(e)] += e["args"]["flits"].get<int>();
    for (const json& link : runs_[0]["links"]) {
      const std::uint64_t flits = link["flits"];
      EXPECT_EQ(launched[link["name"]], flits) << link["name"];
      if (sent.contains(link["from"])) sent[link["from"]] -= flits;
      if (come.contains(link["to"])) come[link["to"]] -= flits;
    }
    EXPECT_EQ(sent.size(), 4U);
    EXPECT_EQ(come.size(), 4U);
    for (const auto& [name, flits] : sent) EXPECT_EQ(flits, 0U) << name;
    for (const auto& [name, flits] : come) EXPECT_EQ(flits, 0U) << name;
  }
  EXPECT_EQ(category("additions").size(), 0U);  // in the switches
}

TEST_F(TimelineFile, SpansLieInsideTheirRunsOnNamedTracks) {
  ASSERT_NO_FATAL_FAILURE(
      run({"run", "configs/fred_small.yaml", "-b", "1KiB", "-e", "64KiB", "-f", "64"}, "2"));
  const auto runs = category("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["args"]["cycles"], runs_[0]["cycles"]);
  EXPECT_EQ(runs[1]["args"]["cycles"], runs_[1]["cycles"]);
  EXPECT_EQ(runs[1]["ts"], runs[0]["dur"]);
  EXPECT_NEAR(runs[1]["dur"].get<double>() * 1000, runs_[1]["time_ns"].get<double>(), 1e-6);
  std::set<std::string> categories, tracks;
  for (const json& e : timeline_["traceEvents"]) {
    if (e["ph"] != "X" && e["ph"] != "i") continue;
    const double begin = e["ts"];
    const double end = begin + e.value("dur", 0.0);
    const json& of = begin < runs[1]["ts"].get<double>() ? runs[0] : runs[1];
    EXPECT_LE(end, of["ts"].get<double>() + of["dur"].get<double>() + 1e-9) << e;
    categories.insert(e["cat"]);
    tracks.insert(track(e));
  }
  EXPECT_EQ(categories, (std::set<std::string>{"packets received", "packets sent", "parts",
                                               "phases", "runs", "steps"}));
  for (const char* name : {"runs", "npu0", "npu3", "npu0 port 0 dp send"}) {
    EXPECT_TRUE(tracks.contains(name)) << name;
  }
  EXPECT_FALSE(tracks.contains(""));
  EXPECT_EQ(category("parts").size(), 2U * 4);
}

TEST_F(TimelineFile, UtilizationAddsUpToTheLinksCounters) {
  ASSERT_NO_FATAL_FAILURE(run({"run", "configs/mesh_2x2.yaml", "--size", "4MiB"}, "1"));
  const double cycles = runs_[0]["cycles"];
  const double us = runs_[0]["time_ns"].get<double>() / 1000 / cycles;
  for (const json& link : runs_[0]["links"]) {
    double sum = 0, value = 0,
           since = 0;  // over cycles; the last one, at which nothing is launched, counts
    std::size_t changes = 0;
    for (const json& e : timeline_["traceEvents"]) {
      if (e["name"] != link["name"].get<std::string>() + " utilization") continue;
      sum += value * (e["ts"].get<double>() / us - since);
      since = e["ts"].get<double>() / us;
      value = e["args"]["value"];
      ++changes;
    }
    EXPECT_EQ(value, 0);
    EXPECT_LE(changes, 257U);
    EXPECT_NEAR(sum / cycles, link["utilization"].get<double>(), 1.5 / cycles) << link["name"];
  }
}

TEST_F(TimelineFile, IsTheSameForRtlAndTwins) {
  for (const char* machine : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"}) {
    for (const char* level : {"0", "1", "2"}) {
      ASSERT_NO_FATAL_FAILURE(run({"run", machine, "--size", "16KiB", "--model", "tlm"}, level));
      const std::string twins = read_text(path("t.json"));
      ASSERT_NO_FATAL_FAILURE(run({"run", machine, "--size", "16KiB", "--model", "rtl"}, level));
      EXPECT_EQ(read_text(path("t.json")), twins) << machine << " level " << level;
    }
  }
}

TEST_F(TimelineFile, APreEmptionIsWhereTheHigherPriorityBegins) {
  const std::string work = write("work.yaml",
                                 "- collective: all_reduce\n"
                                 "  groups: [[0, 1, 2, 3]]\n"
                                 "  size: 64KiB\n"
                                 "- collective: all_reduce\n"
                                 "  groups: [[0, 1], [2, 3]]\n"
                                 "  priority: mp\n"
                                 "  size: 8KiB\n"
                                 "  start: 100\n");
  ASSERT_NO_FATAL_FAILURE(run({"run", "configs/fred_small.yaml", "--work", work}, "1"));
  const std::string twins = read_text(path("t.json"));
  const auto pre_emptions = category("pre-emptions");
  ASSERT_FALSE(pre_emptions.empty());
  for (const json& e : pre_emptions) {
    EXPECT_GT(e["args"]["cycle"], 100);
    const auto phases = category("phases");
    const auto begins = [&](const json& span) {
      return span["args"]["cycle"] == e["args"]["cycle"] && track(span).starts_with(track(e)) &&
             span["name"].get<std::string>().ends_with(", mp");
    };
    EXPECT_TRUE(std::ranges::any_of(phases, begins)) << e;
  }
  ASSERT_NO_FATAL_FAILURE(
      run({"run", "configs/fred_small.yaml", "--work", work, "--model", "rtl"}, "1"));
  EXPECT_EQ(read_text(path("t.json")), twins);
}

TEST_F(TimelineFile, LookingChangesNothing) {
  ASSERT_NO_FATAL_FAILURE(run({"run", "configs/fred_d.yaml", "--size", "64KiB"}, "3"));
  json with = runs_[0];
  json without = run_fredsim({"run", "configs/fred_d.yaml", "--size", "64KiB", "--json", "-"})
                     .json()["runs"][0];
  for (json* run : {&with, &without}) {
    for (const char* key : {"wall_s", "sim_cycles_per_s", "slices"}) run->erase(key);
  }
  EXPECT_EQ(with, without);
}

TEST_F(TimelineFile, IsBoundedAndSaysWhatIsLeftOut) {
  ASSERT_NO_FATAL_FAILURE(run({"run", "configs/mesh_2x2.yaml", "--size", "4MiB"}, "3"));
  EXPECT_EQ(category("flits").size() + category("packets sent").size() +
                category("packets received").size() + category("additions").size(),
            100'000U);
  EXPECT_EQ(category("parts").size(), 4U);
  EXPECT_GT(timeline_["otherData"]["left_out"]["flits"], 0);
  EXPECT_NE(outcome_.err.find("left out: "), std::string::npos) << outcome_.err;
}

TEST_F(TimelineFile, CompareHasAProcessPerMachine) {
  ASSERT_NO_FATAL_FAILURE(
      run({"compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "--size", "4KiB"}, "0"));
  std::vector<std::string> names;
  for (const json& e : timeline_["traceEvents"]) {
    if (e["name"] == "process_name") names.push_back(e["args"]["name"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"mesh_2x2", "fred_small"}));
  EXPECT_EQ(category("runs")[1]["args"]["cycles"], runs_[1]["cycles"]);
}

TEST_F(TimelineFile, BadOptions) {
  const std::vector<std::string> base{"run", "configs/mesh_2x2.yaml", "--size", "1KiB"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run_fredsim(more);
  };
  expect_refused(with({"--timeline-level", "1"}), {"--timeline-level", "--timeline FILE.json"});
  expect_refused(with({"--timeline", path("t.json"), "--timeline-level", "4"}), {"'4'", "0", "3"});
  expect_refused(with({"--timeline", "-", "--json", "-"}), {"--timeline", "--json"});
  expect_refused(with({"--timeline", path("none/t.json")}), {"--timeline", "none/t.json"});
}

}  // namespace
}  // namespace fredsim
