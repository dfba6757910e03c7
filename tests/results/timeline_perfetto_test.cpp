// SPDX-License-Identifier: Apache-2.0
// The protobuf of a timeline, read back: tracks, events in the order of time, arrows at spans.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "results/perfetto_trace.pb.h"
#include "results/timeline.h"

namespace fredsim {
namespace {

constexpr Timeline::Category kSome{"some", false};

perfetto::Trace trace_of(const Timeline& timeline) {
  perfetto::Trace trace;
  EXPECT_TRUE(trace.ParseFromString(timeline.perfetto("1")));
  return trace;
}

std::vector<perfetto::Event> events_of_type(const perfetto::Trace& trace,
                                            perfetto::Event::Type type) {
  std::vector<perfetto::Event> events;
  for (const perfetto::Packet& packet : trace.packet())
    if (packet.has_event() && packet.event().type() == type) events.push_back(packet.event());
  return events;
}

TEST(PerfettoTimeline, FilesByName) {
  EXPECT_TRUE(is_perfetto_file("a/b.pftrace"));
  EXPECT_TRUE(is_perfetto_file("b.perfetto-trace"));
  for (const char* name : {"-", "b.json", "b.pftrace.json", "pftrace", ""})
    EXPECT_FALSE(is_perfetto_file(name)) << name;
}

TEST(PerfettoTimeline, ArrowsGoFromSpanToSpan) {
  Timeline timeline;
  const int process = timeline.add_process("mesh", 1'000'000'000);
  const Timeline::Track from = timeline.add_track(process, 0, "npu0");
  const Timeline::Track to = timeline.add_track(process, 1, "npu1");
  timeline.begin_run(process);
  timeline.span(to, kSome, "receive", 400, 401);
  timeline.span(from, kSome, "send", 100, 300, {{"flits", 7}});
  timeline.arrow(std::vector<Timeline::Place>{{from, 150}, {to, 400}}, "packet");
  timeline.failure(from, 401, "lost");
  const perfetto::Trace trace = trace_of(timeline);
  const auto begins = events_of_type(trace, perfetto::Event::SLICE_BEGIN);
  ASSERT_EQ(begins.size(), 2U);
  EXPECT_EQ(begins[0].name(), "send");
  ASSERT_EQ(begins[0].flow_ids_size(), 1);
  EXPECT_EQ(begins[0].terminating_flow_ids_size(), 0);
  EXPECT_EQ(begins[0].annotations(2).name(), "flits");
  EXPECT_EQ(begins[0].annotations(2).uint_value(), 7U);
  ASSERT_EQ(begins[1].terminating_flow_ids_size(), 1);
  EXPECT_EQ(begins[1].terminating_flow_ids(0), begins[0].flow_ids(0));
  const auto instants = events_of_type(trace, perfetto::Event::INSTANT);
  ASSERT_EQ(instants.size(), 2U);
  EXPECT_EQ(instants[0].name(), "file");
  EXPECT_EQ(instants[1].annotations(1).string_value(), "lost");
}

// Perfetto takes the direction of an arrow between spans of one time from their order in the file.
TEST(PerfettoTimeline, ArrowsBetweenSpansOfOneTimeKeepTheirDirection) {
  Timeline timeline;
  const int process = timeline.add_process("mesh", 1'000'000'000);
  std::vector<Timeline::Place> places;
  for (int t = 0; t < 4; ++t) {
    const Timeline::Track track = timeline.add_track(process, t, "npu" + std::to_string(t));
    timeline.span(track, kSome, "before", 2, 5);
    timeline.span(track, kSome, std::to_string(t), 5, 9);
    places.insert(places.begin(), {track, 5});
  }
  timeline.arrow(places, "all_reduce");
  std::string order;
  std::string last;
  for (const perfetto::Event& e :
       events_of_type(trace_of(timeline), perfetto::Event::SLICE_BEGIN)) {
    if (e.name() != "before") order += e.name();
    if (e.terminating_flow_ids_size() > 0) last += e.name();
  }
  EXPECT_EQ(order, "3210");
  EXPECT_EQ(last, "0");
}

// A span of no duration between two that touch it, recorded in any order.
TEST(PerfettoTimeline, SpansOfATrackComeOneAfterTheOther) {
  Random random(74);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    Timeline timeline;
    const std::uint64_t hz = 1 + random.below(3'000'000'000);
    const int process = timeline.add_process("mesh", hz);
    std::vector<std::tuple<Timeline::Track, std::uint64_t, std::uint64_t>> spans;
    for (int t = 0; t < 3; ++t) {
      const Timeline::Track track = timeline.add_track(process, t, "npu" + std::to_string(t));
      std::uint64_t cycle = random.below(5);
      for (int s = 0; s < 10; ++s) {
        const std::uint64_t end = cycle + random.below(4);
        spans.emplace_back(track, cycle, end);
        cycle = end + random.below(2);
      }
    }
    for (std::size_t i = spans.size(); i > 1; --i) std::swap(spans[i - 1], spans[random.below(i)]);
    timeline.begin_run(process);
    for (const auto& [track, begin, end] : spans) timeline.span(track, kSome, "x", begin, end);
    std::map<std::uint64_t, int> open;
    std::uint64_t last = 0;
    int begun = 0;
    const perfetto::Trace trace = trace_of(timeline);
    for (const perfetto::Packet& packet : trace.packet()) {
      if (!packet.has_event()) continue;
      EXPECT_GE(packet.timestamp(), last);
      last = packet.timestamp();
      int& depth = open[packet.event().track_uuid()];
      if (packet.event().type() == perfetto::Event::SLICE_BEGIN) {
        ++begun;
        EXPECT_EQ(++depth, 1);
      }
      if (packet.event().type() == perfetto::Event::SLICE_END) {
        EXPECT_EQ(--depth, 0);
      }
    }
    EXPECT_EQ(begun, 30);
  }
}

TEST(PerfettoTimeline, CountersHaveTracksOfTheirOwn) {
  Timeline timeline;
  const int process = timeline.add_process("mesh", 1'000'000'000);
  timeline.begin_run(process);
  timeline.counter(process, "load", 5, std::vector<Timeline::Value>{{"in", 0.5}, {"out", 2}});
  timeline.counter(process, "load", 9, std::vector<Timeline::Value>{{"in", 0}, {"out", 1}});
  const perfetto::Trace trace = trace_of(timeline);
  std::map<std::uint64_t, std::string> names;
  for (const perfetto::Packet& packet : trace.packet())
    if (packet.has_track()) {
      EXPECT_TRUE(names.emplace(packet.track().uuid(), packet.track().name()).second);
      EXPECT_NE(packet.track().uuid(), 0U);
    }
  std::vector<std::pair<std::string, double>> values;
  for (const perfetto::Event& event : events_of_type(trace, perfetto::Event::COUNTER))
    values.emplace_back(names.at(event.track_uuid()), event.counter_value());
  EXPECT_EQ(values, (std::vector<std::pair<std::string, double>>{
                        {"load in", 0.5}, {"load out", 2}, {"load in", 0}, {"load out", 1}}));
}

}  // namespace
}  // namespace fredsim
