// SPDX-License-Identifier: Apache-2.0
#include "results/timeline.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/random.h"

namespace fredsim {
namespace {

using nlohmann::json;

constexpr Timeline::Category kCoarse{"coarse", false}, kFine{"fine", true};

std::vector<json> events_of(const Timeline& timeline, const std::string& type) {
  std::vector<json> events;
  const json file = json::parse(timeline.json("1"));
  for (const json& e : file["traceEvents"]) {
    if (e["ph"] == type) events.push_back(e);
  }
  return events;
}

TEST(Timeline, RunsOfAProcessFollowEachOtherInMicroseconds) {
  Timeline timeline;
  const int process = timeline.add_process("mesh", 2'000'000'000);
  const Timeline::Track track = timeline.add_track(process, 0, "npu0");
  const std::vector<Timeline::Value> load{{"in", 0.5}, {"out", 2}};
  for (int run = 0; run < 2; ++run) {
    timeline.begin_run(process);
    timeline.span(track, kCoarse, "send", 100, 300, {{"flits", 7}});
    timeline.instant(track, kFine, "hop", 400);
    timeline.counter(process, "load", 0, load);
    timeline.end_run(process, 1000);
  }
  const auto spans = events_of(timeline, "X");
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[1],
            json::parse(R"({"ph": "X", "pid": 1, "tid": 1, "name": "send", "cat": "coarse",
      "ts": 0.55, "dur": 0.1, "args": {"cycle": 100, "cycles": 200, "flits": 7}})"));
  EXPECT_DOUBLE_EQ(events_of(timeline, "i")[1]["ts"], 0.7);
  EXPECT_EQ(events_of(timeline, "C")[1], json::parse(R"({"ph": "C", "pid": 1, "tid": 1,
      "name": "load", "ts": 0.5, "args": {"in": 0.5, "out": 2.0}})"));
  EXPECT_EQ(timeline.left_out_text(), "");
}

TEST(Timeline, ArrowsAreFlowEventsBehindTheirSpans) {
  Timeline timeline(2);
  const int process = timeline.add_process("mesh", 1'000'000'000);
  const Timeline::Track from = timeline.add_track(process, 0, "npu0");
  const Timeline::Track to = timeline.add_track(process, 1, "npu1");
  timeline.begin_run(process);
  timeline.arrow(std::vector<Timeline::Place>{{from, 1}, {to, 2}}, "dropped");
  timeline.drop_run(process);
  timeline.begin_run(process);
  EXPECT_TRUE(timeline.span(from, kCoarse, "send", 100, 300));
  EXPECT_TRUE(timeline.span(to, kCoarse, "receive", 400, 401));
  EXPECT_FALSE(timeline.span(to, kCoarse, "receive", 500, 501)) << "no room";
  timeline.arrow(std::vector<Timeline::Place>{{from, 100}, {from, 200}, {to, 400}}, "packet");
  const json file = json::parse(timeline.json("1"));
  const json& events = file["traceEvents"];
  ASSERT_EQ(events.size(), 6U + 2 + 3);
  const auto expected = [](const char* text) { return json::parse(text); };
  EXPECT_EQ(events[8], expected(R"({"ph": "s", "pid": 1, "tid": 1, "name": "packet",
      "cat": "arrows", "id": 1, "ts": 0.1})"));
  EXPECT_EQ(events[9], expected(R"({"ph": "t", "pid": 1, "tid": 1, "name": "packet",
      "cat": "arrows", "id": 1, "ts": 0.2})"));
  EXPECT_EQ(events[10], expected(R"({"ph": "f", "bp": "e", "pid": 1, "tid": 2, "name": "packet",
      "cat": "arrows", "id": 1, "ts": 0.4})"));
}

TEST(Timeline, TheBoundLeavesOutDetailsFirstAndSaysSo) {
  Timeline timeline(10);
  const Timeline::Track track =
      timeline.add_track(timeline.add_process("mesh", 1'000'000'000), 0, "npu0");
  for (int i = 0; i < 8; ++i) timeline.instant(track, kFine, "hop", 1);
  for (int i = 0; i < 4; ++i) timeline.span(track, kCoarse, "send", 1, 2);
  const std::vector<Timeline::Value> load{{"out", 1}};
  for (int i = 0; i < 3; ++i) timeline.counter(0, "load", 1, load);
  EXPECT_EQ(events_of(timeline, "i").size(), 5U);
  EXPECT_EQ(events_of(timeline, "X").size(), 4U);
  EXPECT_EQ(events_of(timeline, "C").size(), 1U);
  EXPECT_EQ(timeline.left_out_text(), "2 counter values, 3 fine");
  EXPECT_EQ(json::parse(timeline.json("1"))["otherData"]["left_out"],
            json::parse(R"({"counter values": 2, "fine": 3})"));
}

TEST(Timeline, TracksStandByOwnerAndNumberWithIdsOfTheirOwn) {
  Timeline timeline;
  const int a = timeline.add_process("a", 1'000'000'000);
  const int b = timeline.add_process("b", 1'000'000'000);
  for (const int process : {a, b}) {
    timeline.add_track(process, 1, "unused");
    for (const auto& [owner, name] : {std::pair{7, "npu10"},
                                      {2, "npu2 port 10 send"},
                                      {2, "npu2 port 9 send"},
                                      {2, "npu2"},
                                      {0, "runs"}}) {
      timeline.instant(timeline.add_track(process, owner, name), kCoarse, "hop", 1);
    }
  }
  std::vector<std::string> order[2];
  std::set<int> ids{0};
  std::map<int, int> processes;
  for (const json& e : events_of(timeline, "M")) {
    if (e["name"] == "process_sort_index") processes[e["pid"]] = e["args"]["sort_index"];
    if (e["name"] == "thread_name") {
      order[processes.at(e["pid"])].push_back(e["args"]["name"]);
      EXPECT_TRUE(ids.insert(e["tid"].get<int>()).second) << e;
    }
  }
  EXPECT_EQ(processes.size(), 2U);
  EXPECT_FALSE(processes.contains(0));
  for (auto& names : order) EXPECT_EQ(names.size(), 5U);
  std::map<int, std::string> by_id;
  for (const json& e : events_of(timeline, "M")) {
    if (e["name"] == "thread_name" && processes[e["pid"]] == 1) by_id[e["tid"]] = e["args"]["name"];
    if (e["name"] == "thread_sort_index") {
      EXPECT_EQ(e["args"]["sort_index"], e["tid"]);
    }
  }
  std::vector<std::string> sorted;
  sorted.reserve(by_id.size());
  for (const auto& [id, name] : by_id) sorted.push_back(name);
  EXPECT_EQ(sorted, (std::vector<std::string>{"runs", "npu2", "npu2 port 9 send",
                                              "npu2 port 10 send", "npu10"}));
}

// A reader that cuts time stamps and durations to ns, as Perfetto does, sees no overlap where there
// is none.
TEST(Timeline, SpansThatTouchDoSoInWholeNanosecondsToo) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (const std::uint64_t clock :
       {1'500'000'000ULL, 999'999'937ULL, 3'000'000'000ULL, 700'000'000ULL, 1'000'000'000ULL}) {
    Timeline timeline;
    const int process = timeline.add_process("mesh", clock);
    const Timeline::Track track = timeline.add_track(process, 0, "npu0");
    std::uint64_t cycle = 0;
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t next = cycle + random.below(i < 5000 ? 20 : 2'000'000);
      timeline.span(track, kCoarse, "send", cycle, next);
      cycle = next;
    }
    std::int64_t end = 0;
    double end_us = 0;
    std::uint64_t cycles = 0;
    for (const json& e : events_of(timeline, "X")) {
      const auto begin = static_cast<std::int64_t>(e["ts"].get<double>() * 1000.0);
      ASSERT_GE(begin, end) << e;
      ASSERT_LE(begin, end + 1) << e;
      ASSERT_GE(e["ts"].get<double>(), end_us - 1e-9) << e;
      const double ns = static_cast<double>(cycles) * 1e9 / static_cast<double>(clock);
      ASSERT_NEAR(e["ts"].get<double>() * 1000, ns, 2e-4 + ns * 1e-12) << e;
      end = begin + static_cast<std::int64_t>(e["dur"].get<double>() * 1000.0);
      end_us = e["ts"].get<double>() + e["dur"].get<double>();
      cycles += e["args"]["cycles"].get<std::uint64_t>();
    }
  }
}

TEST(Timeline, AFailureIsMarkedWhateverTheBound) {
  Timeline timeline(1);
  const Timeline::Track track =
      timeline.add_track(timeline.add_process("mesh", 1'000'000'000), 0, "runs");
  timeline.span(track, kCoarse, "run", 0, 5);
  timeline.failure(track, 5, "deadlock: \"nothing\" moves\nnpu0 waits");
  const auto marks = events_of(timeline, "i");
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(marks[0], json::parse(R"({"ph": "i", "pid": 1, "tid": 1, "name": "failed",
      "cat": "failures", "ts": 0.005, "s": "p",
      "args": {"cycle": 5, "message": "deadlock: \"nothing\" moves\nnpu0 waits"}})"));
  EXPECT_EQ(json::parse(timeline.json("1"))["otherData"]["failed"], marks[0]["args"]["message"]);
}

TEST(Timeline, ADroppedRunLeavesNothing) {
  Timeline timeline(4);
  const int process = timeline.add_process("mesh", 1'000'000'000);
  const Timeline::Track track = timeline.add_track(process, 0, "npu0");
  const auto run = [&](std::uint64_t cycles) {
    timeline.begin_run(process);
    for (int i = 0; i < 3; ++i) timeline.instant(track, kFine, "hop", cycles);
    timeline.end_run(process, cycles);
    if (cycles == 3) timeline.failure(track, cycles, "not found");
  };
  run(3);
  timeline.drop_run(process);
  run(5);
  EXPECT_EQ(timeline.left_out_text(), "1 fine");
  ASSERT_EQ(events_of(timeline, "i").size(), 2U);
  EXPECT_EQ(events_of(timeline, "i")[0]["ts"], 0.005);
  EXPECT_FALSE(json::parse(timeline.json("1"))["otherData"].contains("failed"));
}

// Its counters belong to the process, whose id they have where there is no track.
TEST(Timeline, AProcessNeedsNoTracksForItsCounters) {
  Timeline timeline;
  const int tracks = timeline.add_process("with tracks", 1'000'000'000);
  timeline.instant(timeline.add_track(tracks, 0, "npu0"), kCoarse, "hop", 1);
  const int process = timeline.add_process("without", 1'000'000'000);
  const std::vector<Timeline::Value> load{{"out", 1.5}};
  timeline.counter(process, "load", 2000, load);
  const auto counters = events_of(timeline, "C");
  ASSERT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters[0]["pid"], 2);
  EXPECT_EQ(counters[0]["tid"], counters[0]["pid"]);
  EXPECT_EQ(counters[0]["ts"], 2.0);
}

TEST(Timeline, CountsBeyondTheCyclesOfAnyRun) {
  Timeline timeline;
  const int process = timeline.add_process("mesh", 3'000'000'000);
  const Timeline::Track track = timeline.add_track(process, 0, "npu0");
  constexpr std::uint64_t kCycles = 1'500'000'000'000'000;  // more than five days
  for (int run = 0; run < 2; ++run) {
    timeline.begin_run(process);
    timeline.span(track, kCoarse, "send", kCycles - 3, kCycles);
    timeline.end_run(process, kCycles);
  }
  const auto spans = events_of(timeline, "X");
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_NEAR(spans[0]["ts"].get<double>(), 5e11, 0.01);
  EXPECT_NEAR(spans[1]["ts"].get<double>(), 1e12, 0.01);
  EXPECT_NEAR(spans[1]["dur"].get<double>(), 0.001, 0.0005);
  EXPECT_EQ(spans[1]["args"]["cycle"], kCycles - 3) << "cycles are those of the run, and exact";
}

TEST(Timeline, TextThatIsNotUtf8IsReplaced) {
  Timeline timeline;
  const Timeline::Track track =
      timeline.add_track(timeline.add_process("caf\xE9", 1'000'000'000), 0, "npu\xFF");
  timeline.span(track, kCoarse, "a \"b\"\xC3", 0, 1);
  timeline.failure(track, 1, "\xE9");
  const json file = json::parse(timeline.json("1"));
  EXPECT_EQ(file["otherData"]["failed"], "\uFFFD");
  EXPECT_EQ(events_of(timeline, "M")[0]["args"]["name"], "caf\uFFFD");
  EXPECT_EQ(events_of(timeline, "X")[0]["name"], "a \"b\"\uFFFD");
}

TEST(Timeline, OfNoEventsSaysHowManyThereWere) {
  Timeline timeline(0);
  const Timeline::Track track =
      timeline.add_track(timeline.add_process("mesh", 1'000'000'000), 0, "npu0");
  timeline.span(track, kCoarse, "send", 0, 1);
  timeline.instant(track, kFine, "hop", 0);
  const std::vector<Timeline::Value> load{{"out", 1}};
  timeline.counter(0, "load", 0, load);
  EXPECT_EQ(timeline.left_out(), (std::map<std::string, std::uint64_t>{
                                     {"coarse", 1}, {"counter values", 1}, {"fine", 1}}));
  for (const json& e : events_of(timeline, "M"))
    EXPECT_NE(e["name"], "thread_name") << "a track without an event is left out";
  EXPECT_TRUE(events_of(timeline, "X").empty());
}

TEST(Timeline, NumbersInNamesAreOrderedByValueWhateverTheirDigits) {
  const std::vector<std::string> ordered{
      "io2",    "npu",    "npu0.9", "npu00.10", "npu2",
      "npu2 a", "npu007", "npu10",  "npu10x",   "npu100000000000000000000000"};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<std::string> names = ordered;
    for (std::size_t i = names.size(); i > 1; --i) std::swap(names[i - 1], names[random.below(i)]);
    Timeline timeline;
    const int process = timeline.add_process("mesh", 1'000'000'000);
    for (const std::string& name : names)
      timeline.instant(timeline.add_track(process, 0, name), kCoarse, "hop", 1);
    std::map<int, std::string> by_id;
    for (const json& e : events_of(timeline, "M"))
      if (e["name"] == "thread_name") by_id[e["tid"]] = e["args"]["name"];
    std::vector<std::string> found;
    for (const auto& [id, name] : by_id) found.push_back(name);
    EXPECT_EQ(found, ordered);
  }
}

TEST(Timeline, AnEmptyOneIsAFileToo) { EXPECT_TRUE(json::accept(Timeline().json("1"))); }

}  // namespace
}  // namespace fredsim
