// SPDX-License-Identifier: Apache-2.0
// --timeline: a trace-event file of all events, the same for every implementation of the switches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/random.h"
#include "support/program.h"
#include "timeline_format.h"

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
    for (const json& e : category("packets on links")) {
      launched[track(e)] += e["args"]["flits"].get<std::uint64_t>();
      EXPECT_GE(e["args"]["cycles"], e["args"]["flits"]);
    }
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
  EXPECT_EQ(category("additions").size(), 0U);  // additions in switches
}

// An all-reduce of N ranks on rings adds every packet N - 1 times; an all-to-all adds nothing.
TEST_F(TimelineFile, AdditionsAreThoseOfTheCollective) {
  const auto additions = [&] {
    std::uint64_t sum = 0;
    for (const json& e : category("additions")) sum += e["args"]["additions"].get<std::uint64_t>();
    return sum;
  };
  const std::uint64_t packets = 8;
  const std::string size = std::to_string(packets * 8 * 512);
  ASSERT_NO_FATAL_FAILURE(
      run({"run", "configs/mesh_2x2.yaml", "--algorithm", "ring", "--size", size}, "3"));
  EXPECT_EQ(additions(), packets * 3);
  ASSERT_NO_FATAL_FAILURE(
      run({"run", "configs/mesh_2x2.yaml", "--collective", "all_to_all", "--size", size}, "3"));
  EXPECT_EQ(additions(), 0U);
}

// Every arrival has an arrow from its departure: of the same packet, from another NPU, not back in
// time.
TEST_F(TimelineFile, AnArrowLeadsToEveryPacketThatIsReceived) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "configs/mesh_2x2.yaml", "--size", "20000"},
        {"run", "configs/fred_small.yaml", "--size", "20000"},
        {"run", "configs/mesh_2x2.yaml", "--collective", "all_to_all", "--size", "64KiB"}}) {
    SCOPED_TRACE(words[1]);
    ASSERT_NO_FATAL_FAILURE(run(words, "2"));
    std::map<int, std::pair<json, json>> arrows;
    for (const json& e : category("arrows"))
      (e["ph"] == "s" ? arrows[e["id"]].first : arrows[e["id"]].second) = e;
    EXPECT_EQ(arrows.size(), category("packets received").size());
    for (const auto& [id, ends] : arrows) {
      const auto& [from, to] = ends;
      EXPECT_NE(track(from).find(" send"), std::string::npos) << from;
      EXPECT_NE(track(to).find(" receive"), std::string::npos) << to;
      EXPECT_LT(from["ts"], to["ts"]);
    }
  }
}

TEST_F(TimelineFile, SpansLieInsideTheirRunsOnNamedTracks) {
  ASSERT_NO_FATAL_FAILURE(
      run({"run", "configs/fred_small.yaml", "-b", "1KiB", "-e", "64KiB", "-f", "64"}, "2"));
  const auto runs = category("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["args"]["cycles"], runs_[0]["cycles"]);
  EXPECT_EQ(runs[1]["args"]["cycles"], runs_[1]["cycles"]);
  EXPECT_NEAR(runs[1]["ts"], runs[0]["dur"], 1e-6);
  EXPECT_NEAR(runs[1]["dur"].get<double>() * 1000, runs_[1]["time_ns"].get<double>(), 2e-4);
  std::set<std::string> categories, tracks;
  for (const json& e : timeline_["traceEvents"]) {
    if (e["ph"] != "X" && e["ph"] != "i") continue;
    const double begin = e["ts"];
    const double end = begin + e.value("dur", 0.0);
    const json& of = begin < runs[1]["ts"].get<double>() ? runs[0] : runs[1];
    EXPECT_LE(end, of["ts"].get<double>() + of["dur"].get<double>() + 1e-6) << e;
    categories.insert(e["cat"]);
    tracks.insert(track(e));
  }
  EXPECT_EQ(categories,
            (std::set<std::string>{"packets received", "packets sent", "parts", "phases", "runs"}));
  for (const char* name : {"runs", "npu0", "npu3", "npu0 port 0 dp send", "l1_0.s0"}) {
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
      if (e["name"] != link["name"]) continue;
      sum += value * (e["ts"].get<double>() / us - since);
      since = e["ts"].get<double>() / us;
      value = e["args"]["utilization"];
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

constexpr const char* kTwoPriorities =
    "- collective: all_reduce\n"
    "  groups: [[0, 1, 2, 3]]\n"
    "  size: 64KiB\n"
    "- collective: all_reduce\n"
    "  groups: [[0, 1], [2, 3]]\n"
    "  priority: mp\n"
    "  size: 8KiB\n"
    "  start: 100\n";

TEST_F(TimelineFile, APreEmptionIsWhereTheHigherPriorityBegins) {
  const std::string work = write("work.yaml", kTwoPriorities);
  ASSERT_NO_FATAL_FAILURE(run({"run", "configs/fred_small.yaml", "--work", work}, "1"));
  const std::string twins = read_text(path("t.json"));
  const auto pre_emptions = category("pre-emptions");
  ASSERT_FALSE(pre_emptions.empty());
  for (const json& e : pre_emptions) {
    EXPECT_GT(e["args"]["cycle"], 100);
    const auto on = [&](const json& span, const char* vc) {
      return span["tid"] == e["tid"] && span["name"].get<std::string>().ends_with(vc);
    };
    const auto phases = category("phases");
    const std::uint64_t at = e["args"]["cycle"];
    EXPECT_TRUE(std::ranges::any_of(phases, [&](const json& span) {
      return on(span, ", mp") && span["args"]["cycle"] == at;
    })) << e;
    EXPECT_TRUE(std::ranges::any_of(phases, [&](const json& span) {  // one cycle reads the row
      return on(span, ", dp") && span["args"]["cycle"].get<std::uint64_t>() +
                                         span["args"]["cycles"].get<std::uint64_t>() + 1 ==
                                     at;
    })) << e;
  }
  ASSERT_NO_FATAL_FAILURE(
      run({"run", "configs/fred_small.yaml", "--work", work, "--model", "rtl"}, "1"));
  EXPECT_EQ(read_text(path("t.json")), twins);
}

// With MP and DP exchanged, in the work and in the order, only the names differ.
TEST_F(TimelineFile, PreEmptionsFollowTheOrderOfVirtualChannels) {
  const auto cycles = [&](const std::string& text, const char* order) {
    std::vector<std::uint64_t> at;
    run({"run", "configs/fred_small.yaml", "--work", write("work.yaml", text), "--set", order},
        "1");
    for (const json& e : category("pre-emptions")) at.push_back(e["args"]["cycle"]);
    return at;
  };
  std::string exchanged = kTwoPriorities;
  exchanged.replace(exchanged.find("mp"), 2, "dp");
  exchanged.replace(exchanged.find("  size"), 0, "  priority: mp\n");
  const auto usual = cycles(kTwoPriorities, "switch.vc_order=[control, mp, pp, dp]");
  EXPECT_FALSE(usual.empty());
  EXPECT_EQ(cycles(exchanged, "switch.vc_order=[control, dp, pp, mp]"), usual);
  EXPECT_NE(cycles(exchanged, "switch.vc_order=[control, mp, pp, dp]"), usual);
}

TEST_F(TimelineFile, LookingChangesNothing) {
  ASSERT_NO_FATAL_FAILURE(run({"run", "configs/fred_d.yaml", "--size", "64KiB"}, "3"));
  json with = runs_[0];
  json without = run_fredsim({"run", "configs/fred_d.yaml", "--size", "64KiB", "--json", "-"})
                     .json()["runs"][0];
  for (json* run : {&with, &without}) {
    for (const char* key : {"wall_s", "sim_cycles_per_s", "slices", "skipped"}) run->erase(key);
  }
  EXPECT_EQ(with, without);
}

TEST_F(TimelineFile, IsBoundedAndSaysWhatIsLeftOut) {
  ASSERT_NO_FATAL_FAILURE(run({"run", "configs/mesh_2x2.yaml", "--size", "14MiB"}, "3"));
  EXPECT_EQ(category("packets on links").size() + category("packets sent").size() +
                category("packets received").size() + category("additions").size(),
            100'000U);
  EXPECT_EQ(category("parts").size(), 4U);
  EXPECT_GT(timeline_["otherData"]["left_out"]["packets on links"], 0);
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

TEST_F(TimelineFile, MachinesOfOneNameAreToldApart) {
  const std::string other = write("other.yaml", read_text("configs/mesh_2x2.yaml"));
  ASSERT_NO_FATAL_FAILURE(
      run({"compare", "configs/mesh_2x2.yaml", other, other, "--size", "1KiB"}, "0"));
  std::vector<std::string> names;
  for (const json& e : timeline_["traceEvents"]) {
    if (e["name"] == "process_name") names.push_back(e["args"]["name"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"mesh_2x2 (configs/mesh_2x2.yaml)",
                                             "mesh_2x2 (" + other + ") #2",
                                             "mesh_2x2 (" + other + ") #3"}));
}

// The spans of phases are as many as the switches' counters, and do not overlap.
TEST_F(TimelineFile, PhasesAreThoseOfTheControlUnits) {
  const std::string work = write("work.yaml", kTwoPriorities);
  ASSERT_NO_FATAL_FAILURE(run({"run", "configs/fred_small.yaml", "--work", work}, "0"));
  std::map<std::string, std::uint64_t> spans;
  for (const json& e : category("phases")) ++spans[track(e)];
  std::uint64_t changes = 0;
  for (const json& s : runs_[0]["switches"]) {
    EXPECT_EQ(spans[s["name"]], s["phase_changes"]) << s["name"];
    changes += s["phase_changes"].get<std::uint64_t>();
  }
  EXPECT_GT(changes, runs_[0]["switches"].size());
}

// Its registers are somewhere else, where nobody looks.
TEST_F(TimelineFile, ASwitchOfTheUsersOwnHasNeitherPhasesNorStalls) {
  ASSERT_NO_FATAL_FAILURE(run({"run", "configs/fred_small.yaml", "--size", "16KiB", "--set",
                               "switch.rtl_top=custom_switch"},
                              "1"));
  EXPECT_TRUE(category("phases").empty());
  EXPECT_EQ(category("parts").size(), 4U);
  for (const json& e : timeline_["traceEvents"]) {
    if (e["ph"] != "C") continue;
    EXPECT_TRUE(e["args"].contains("utilization")) << e;
  }
}

TEST_F(TimelineFile, KeepsTheRulesOfTheFormatOnRandomRuns) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<const char*> machines{"configs/mesh_2x2.yaml", "configs/fred_small.yaml"};
    const std::vector<const char*> collectives{"all_reduce",     "all_to_all", "all_gather",
                                               "reduce_scatter", "broadcast",  "gather"};
    const auto number = [&](std::uint64_t max) { return std::to_string(1 + random.below(max)); };
    std::vector<std::string> arguments{random.below(3) == 0 ? "compare" : "run",
                                       machines[random.below(2)]};
    if (arguments[0] == "compare") arguments.emplace_back(machines[random.below(2)]);
    if (random.below(3) == 0) {
      arguments.insert(
          arguments.end(),
          {"--work",
           write("work.yaml",
                 "- {collective: all_reduce, groups: [[0, 1, 2, 3]], size: " + number(100'000) +
                     "}\n"
                     "- {collective: all_reduce, groups: [[0, 1], [2, 3]], priority: mp, "
                     "size: " +
                     number(20'000) + ", start: " + number(200) + "}\n")});
    } else {
      arguments.insert(arguments.end(), {"--collective", collectives[random.below(6)], "-b",
                                         number(5'000), "-e", number(100'000), "-f", "7"});
    }
    arguments.insert(arguments.end(),
                     {"--set", "clock=1." + std::to_string(470 + random.below(530)) + " GHz"});
    ASSERT_NO_FATAL_FAILURE(run(arguments, std::to_string(random.below(4))));
    ASSERT_NO_FATAL_FAILURE(check_format(timeline_));
  }
}

TEST_F(TimelineFile, AFailedRunLeavesWhatHappenedAndAMark) {
  for (const char* machine : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"}) {
    SCOPED_TRACE(machine);
    outcome_ =
        run_fredsim({"run", machine, "-b", "4KiB", "-e", "4MiB", "-f", "1024", "--timeout-cycles",
                     "500", "--timeline", path("t.json"), "--json", path("r.json"), "--quiet"});
    EXPECT_EQ(outcome_.exit_code, 1) << outcome_.err;
    EXPECT_FALSE(std::filesystem::exists(path("r.json")));
    timeline_ = json::parse(read_text(path("t.json")));
    check_format(timeline_);
    const auto runs = category("runs");
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[1]["args"]["cycles"], 501);
    const auto failures = category("failures");
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures[0]["args"]["cycle"], 501);
    EXPECT_NEAR(failures[0]["ts"].get<double>(),
                runs[1]["ts"].get<double>() + runs[1]["dur"].get<double>(), 1e-6);
    const std::string message = failures[0]["args"]["message"];
    EXPECT_TRUE(message.starts_with("time-out after 500 cycles")) << message;
    EXPECT_EQ(timeline_["otherData"]["failed"], message);
    EXPECT_EQ(category("parts").size(), 8U);
  }
}

// The run is made twice then.
TEST_F(TimelineFile, ASearchForATriggerIsNotInIt) {
  ASSERT_NO_FATAL_FAILURE(run({"run", "configs/mesh_2x2.yaml", "--size", "4KiB", "--wave",
                               path("w.fst"), "--wave-links-only", "--wave-trigger", "packet:0"},
                              "0"));
  EXPECT_EQ(category("runs").size(), 1U);
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

// Timelines of training runs: computations and communications of every rank, without a cycle more
// being simulated for them.
TEST_F(TimelineFile, TrainingRunsShowWhatRanksDo) {
  const std::vector<std::string> work{"train",
                                      "configs/mesh_2x2.yaml",
                                      "configs/fred_small.yaml",
                                      "--workload",
                                      "configs/models/small.yaml",
                                      "--mp",
                                      "2",
                                      "--dp",
                                      "2",
                                      "--compute-rate",
                                      "1PFLOP/s",
                                      "--accounting",
                                      "overlap",
                                      "--gradients",
                                      "layer"};
  std::vector<std::string> words = work;
  words.insert(words.end(), {"--timeline", path("t.json"), "--json", path("r.json"), "--quiet"});
  outcome_ = run_fredsim(words);
  ASSERT_EQ(outcome_.exit_code, 0) << outcome_.err;
  timeline_ = json::parse(read_text(path("t.json")));
  runs_ = json::parse(read_text(path("r.json")))["runs"];
  std::map<std::pair<int, std::string>, std::uint64_t> computing;  // cycles, by machine and NPU
  std::map<int, std::uint64_t> ends;
  std::map<std::pair<int, std::string>, std::uint64_t>
      until;  // by machine and track: no two at a time
  for (const json& e : timeline_["traceEvents"]) {
    if (e["ph"] != "X") continue;
    const std::uint64_t begin = e["args"]["cycle"], cycles = e["args"]["cycles"];
    const std::pair at(e["pid"].get<int>(), track(e));
    ends[at.first] = std::max(ends[at.first], begin + cycles);
    EXPECT_GE(begin, until[at]) << at.second;
    until[at] = begin + cycles;
    if (e["cat"] == "computations") computing[{at.first, at.second}] += cycles;
  }
  ASSERT_EQ(computing.size(), 8U);
  ASSERT_EQ(ends.size(), 2U);
  std::size_t machine = 0;
  for (const auto& [pid, end] : ends) {
    const json& run = runs_[machine++];
    EXPECT_EQ(run["cycles"], end);
    EXPECT_GT(run["skipped"]["idle_cycles"], 0);
    for (std::size_t npu = 0; npu < 4; ++npu) {
      const json& rank = run["ranks"][npu];
      const std::string name = fmt::format("npu{} compute", npu);
      EXPECT_NEAR(static_cast<double>(computing.at({pid, name})) / run["clock_ghz"].get<double>(),
                  rank["end_ns"].get<double>() - rank["exposed_communication_ns"].get<double>(), 1);
    }
  }
  EXPECT_FALSE(category("communications").empty());
  std::set<std::string> kinds;
  for (const json& e : category("communications")) {
    const std::string name = track(e);
    kinds.insert(name.substr(name.find(' ') + 1, 2));
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"mp", "dp", "in"}));  // input_load
}

}  // namespace
}  // namespace fredsim
