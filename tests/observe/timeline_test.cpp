#include "observe/timeline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
  const int process = timeline.add_process("mesh", 2e9);
  const Timeline::Track track = timeline.add_track(process, "npu0");
  for (int run = 0; run < 2; ++run) {
    timeline.begin_run(process);
    timeline.span(track, kCoarse, "send", 100, 300, {{"flits", 7}});
    timeline.instant(track, kFine, "hop", 400);
    timeline.counter(process, "load", 0, 0.5);
    timeline.end_run(process, 1000);
  }
  const auto spans = events_of(timeline, "X");
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[1],
            json::parse(R"({"ph": "X", "pid": 0, "tid": 0, "name": "send", "cat": "coarse",
      "ts": 0.55, "dur": 0.1, "args": {"cycle": 100, "cycles": 200, "flits": 7}})"));
  EXPECT_DOUBLE_EQ(events_of(timeline, "i")[1]["ts"], 0.7);
  EXPECT_EQ(events_of(timeline, "C")[1], json::parse(R"({"ph": "C", "pid": 0, "tid": 0,
      "name": "load", "ts": 0.5, "args": {"value": 0.5}})"));
  const auto names = events_of(timeline, "M");
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0]["args"]["name"], "mesh");
  EXPECT_EQ(names[1]["args"]["name"], "npu0");
  EXPECT_EQ(timeline.left_out_text(), "");
}

TEST(Timeline, TheBoundLeavesOutDetailsFirstAndSaysSo) {
  Timeline timeline(10);
  const Timeline::Track track = timeline.add_track(timeline.add_process("mesh", 1e9), "npu0");
  for (int i = 0; i < 8; ++i) timeline.instant(track, kFine, "hop", 1);
  for (int i = 0; i < 4; ++i) timeline.span(track, kCoarse, "send", 1, 2);
  for (int i = 0; i < 3; ++i) timeline.counter(0, "load", 1, i);
  EXPECT_EQ(events_of(timeline, "i").size(), 5U);
  EXPECT_EQ(events_of(timeline, "X").size(), 4U);
  EXPECT_EQ(events_of(timeline, "C").size(), 1U);
  EXPECT_EQ(timeline.left_out_text(), "2 counter values, 3 fine");
  EXPECT_EQ(json::parse(timeline.json("1"))["otherData"]["left_out"],
            json::parse(R"({"counter values": 2, "fine": 3})"));
}

TEST(Timeline, AnEmptyOneIsAFileToo) { EXPECT_TRUE(json::accept(Timeline().json("1"))); }

}  // namespace
}  // namespace fredsim
