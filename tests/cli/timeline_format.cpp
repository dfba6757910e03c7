// SPDX-License-Identifier: Apache-2.0
#include "timeline_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fredsim {
namespace {

using nlohmann::json;
using Spans = std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>>;  // ns, by track

// Arrows begin with "s" and end with "f", go on in time, and are each at the beginning of a span.
void expect_arrows(const std::map<int, std::vector<json>>& arrows, const Spans& spans) {
  for (const auto& [id, events] : arrows) {
    ASSERT_GE(events.size(), 2U) << id;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const json& e = events[i];
      const bool is_last = i + 1 == events.size();
      EXPECT_EQ(e["ph"], i == 0 ? "s" : is_last ? "f" : "t") << e;
      EXPECT_EQ(e.value("bp", ""), is_last ? "e" : "") << e;
      if (i > 0) {
        EXPECT_GE(e["ts"], events[i - 1]["ts"]) << e;
      }
      const auto at = static_cast<std::int64_t>(e["ts"].get<double>() * 1000.0);
      ASSERT_TRUE(spans.contains(e["tid"].get<int>())) << e;
      EXPECT_TRUE(std::ranges::any_of(spans.at(e["tid"].get<int>()), [at](const auto& span) {
        return span.first == at;
      })) << e;
    }
  }
}

}  // namespace

void check_format(const json& timeline) {
  std::set<std::pair<int, int>> named;
  std::set<int> ids;
  Spans spans;
  std::map<std::pair<int, std::string>, double> counters;  // their last time
  std::map<int, std::vector<json>> arrows;                 // by id
  for (const json& e : timeline["traceEvents"]) {
    const int process = e["pid"];
    const int track = e["tid"];
    ASSERT_GT(process, 0) << e;
    ASSERT_FALSE(e["name"].get<std::string>().empty()) << e;
    if (e["ph"] == "M") {
      if (e["name"] == "thread_name") {
        EXPECT_TRUE(named.insert({process, track}).second) << e;
        EXPECT_TRUE(ids.insert(track).second) << e;
        EXPECT_FALSE(e["args"]["name"].get<std::string>().empty()) << e;
      }
      continue;
    }
    ASSERT_GE(e["ts"].get<double>(), 0) << e;
    if (e["ph"] == "C") {
      const double at = e["ts"];
      const auto [last, is_new] = counters.try_emplace({process, e["name"]}, at);
      EXPECT_LE(last->second, at) << e;
      last->second = at;
      EXPECT_FALSE(e["args"].empty()) << e;
      for (const json& value : e["args"]) EXPECT_TRUE(value.is_number()) << e;
      continue;
    }
    EXPECT_TRUE(named.contains({process, track})) << e;
    if (e.value("cat", "") == "arrows") {
      arrows[e["id"]].push_back(e);
      continue;
    }
    if (e["ph"] != "X") {
      EXPECT_EQ(e["ph"], "i");
      continue;
    }
    const auto begin = static_cast<std::int64_t>(e["ts"].get<double>() * 1000.0);
    const auto length = static_cast<std::int64_t>(e["dur"].get<double>() * 1000.0);
    ASSERT_GE(e["dur"].get<double>(), 0) << e;
    spans[track].emplace_back(begin, begin + length);
  }
  for (auto& [track, all] : spans) {
    std::ranges::sort(all);
    for (std::size_t i = 1; i < all.size(); ++i) {
      ASSERT_LE(all[i - 1].second, all[i].first) << "overlap on track " << track;
    }
  }
  expect_arrows(arrows, spans);
}

}  // namespace fredsim
