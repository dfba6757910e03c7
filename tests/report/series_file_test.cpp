// SPDX-License-Identifier: Apache-2.0
// The file of --series-file.
#include "report/series_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"

namespace fredsim {
namespace {

LinkSeries two_windows() {
  return {.begin_cycle = 100,
          .window_cycles = 8,
          .cycles = 12,
          .links = {{"a.0->b.1", "a", "b", {3, 1}, {1500, 500}, {3, 2}, {0.375, 0.25}}},
          .switches = {{"a", {{"credit", {0, 2}}}}}};
}

TEST(SeriesFile, OfACsvHasALinePerWindowAndLink) {
  const LinkSeries series = two_windows();
  const std::vector<SeriesOfRun> runs{{.config = "a.yaml",
                                       .settings = {.all = {{"x.y", "1, 2"}}, .own = {}},
                                       .fabric = "a",
                                       .rate = 0.5,
                                       .series = &series}};
  EXPECT_EQ(series_text("s.csv", runs, "1"),
            "config,settings,fabric,rate,begin_cycle,cycles,link,from,to,flits,bytes,busy_cycles,"
            "utilization\n"
            "a.yaml,\"x.y=1, 2\",a,0.5,100,8,a.0->b.1,a,b,3,1500,3,0.375\n"
            "a.yaml,\"x.y=1, 2\",a,0.5,108,4,a.0->b.1,a,b,1,500,2,0.25\n");
}

TEST(SeriesFile, OfJsonHasTheKeysOfResults) {
  const LinkSeries series = two_windows();
  const std::vector<SeriesOfRun> runs{
      {.config = "a.yaml", .settings = {}, .fabric = "a", .size_bytes = 64, .series = &series}};
  EXPECT_EQ(nlohmann::json::parse(series_text("s.json", runs, "1")), nlohmann::json::parse(R"({
      "fredsim": "1", "runs": [{"config": "a.yaml", "settings": {}, "fabric": "a",
      "size_bytes": 64, "series": {"window_cycles": 8, "begin_cycle": 100, "cycles": 12,
      "links": [{"name": "a.0->b.1", "from": "a", "to": "b", "flits": [3, 1],
                 "bytes": [1500, 500], "busy_cycles": [3, 2], "utilization": [0.375, 0.25]}],
      "switches": [{"name": "a", "stall_cycles": {"credit": [0, 2]}}]}}]})"));
}

TEST(SeriesFile, IsCsvOrJsonByItsName) {
  EXPECT_NO_THROW(check_series_file("a.csv"));
  EXPECT_NO_THROW(check_series_file("a.b.json"));
  for (const char* name : {"-", "a.txt", "csv", "a.CSV"})
    EXPECT_THROW(check_series_file(name), BadInput) << name;
}

}  // namespace
}  // namespace fredsim
