// SPDX-License-Identifier: Apache-2.0
// The program's own format of schedules: what it reads and writes, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "refusal.h"
#include "schedule_files/schedule_text.h"

namespace fredsim::test {
namespace {

using testing::HasSubstr;

const std::string kLine = R"({
 "fredsim_schedule": 1,
 "collective": "all_reduce",
 "ranks": 3,
 "chunks": 2,
 "flows": [
  {"chunk": 0, "sums": [[0, 1], [2, 1]], "results": [[1, 0], [1, 2]]},
  {"chunk": 1, "sums": [[2, 1], [1, 0]], "results": [[0, 1], [1, 2, "mp"]]}
 ]
})";

TEST(FredsimSchedule, IsReadAsItIsWritten) {
  const CollectiveSchedule schedule = schedule_of("line.json", kLine);
  ASSERT_EQ(schedule.flows.size(), 2U);
  EXPECT_EQ(schedule.flows[1].results[1], (ScheduleHop{1, 2, parse_priority("mp")}));
  const std::string written = schedule_text(schedule);
  EXPECT_EQ(schedule_text(schedule_of("line.json", written)), written);
}

TEST(FredsimSchedule, NamesRankAndChunk) {
  const auto refusal = [](const std::string& old, const std::string& by) {
    return refusal_of("line.json", replaced(kLine, old, by));
  };
  EXPECT_EQ(refusal("[0, 1], [2, 1]]", "[2, 1]]"),
            "line.json: rank 1 lacks chunk 0 of 2 of rank 0");
  EXPECT_THAT(refusal("[2, 1], [1, 0]]", "[2, 1], [1, 2]]"),
              HasSubstr("sums of chunk 1 of 2 go round in a circle at rank"));
  EXPECT_EQ(refusal("[[0, 1], [2, 1]]", "[[0, 1], [0, 2], [2, 1]]"),
            "line.json: rank 2 has chunk 0 of 2 of rank 0 twice: it is sent to ranks 1 and 2");
  EXPECT_EQ(refusal("[[1, 0], [1, 2]]", "[[1, 0]]"),
            "line.json: rank 2 lacks the sum of chunk 0 of 2");
  EXPECT_EQ(refusal("[[1, 0], [1, 2]]", "[[1, 0], [1, 2], [0, 2]]"),
            "line.json: rank 2 has chunk 0 of 2 twice, from ranks 1 and 0");
  EXPECT_EQ(refusal("\"chunk\": 1", "\"chunk\": 0"),
            "line.json: rank 0 has chunk 0 of 2 twice: two flows have it");
  EXPECT_EQ(refusal("\"chunks\": 2", "\"chunks\": 3"),
            "line.json: rank 0 lacks chunk 2 of 3: no flow has it");
  EXPECT_EQ(refusal("[[1, 0], [1, 2]]", "[[1, 0], [2, 2]]"),
            "line.json: rank 2 sends chunk 0 of 2 to itself; allowed: another rank");
}

TEST(FredsimSchedule, NamesPlaceFoundAndAllowed) {
  const auto refusal = [](const std::string& old, const std::string& by) {
    return refusal_of("line.json", replaced(kLine, old, by));
  };
  EXPECT_EQ(refusal("[0, 1]", "[0, 3]"),
            "line.json: flows[0].sums[0][1]: found 3; allowed: 0 to 2");
  EXPECT_EQ(refusal("\"sums\"", "\"sum\""),
            "line.json: flows[0]: found key 'sum'; did you mean 'sums'?");
  EXPECT_EQ(refusal("\"mp\"", "\"xp\""),
            "line.json: flows[1].results[1][2]: priority: found 'xp'; allowed: mp, pp or dp");
  EXPECT_THAT(refusal("\"ranks\": 3,", "\"ranks\": 3"), HasSubstr("line.json:5: not JSON"));
  EXPECT_EQ(refusal_of("line.json", "{}"),
            "line.json: found no schedule; allowed: a file of info --plan, MSCCL's XML, an "
            "execution plan of MSCCL++ or Chakra traces of one collective");
}

TEST(FredsimSchedule, BlocksAreOfTheirRanks) {
  const std::string gather = R"({"fredsim_schedule": 1, "collective": "all_gather", "ranks": 2,
    "flows": [{"block": 0, "results": [[0, 1]]}, {"block": 1, "results": [[1, 0]]}]})";
  EXPECT_EQ(refusal_of("x.json", gather), "");
  EXPECT_EQ(refusal_of("x.json", replaced(gather, "\"block\": 1", "\"block\": 0")),
            "x.json: rank 0 has chunk 0 of 1 of block 0 twice, from ranks 0 and 1");
  EXPECT_EQ(refusal_of("x.json", replaced(gather, "[[1, 0]]", "[]")),
            "x.json: rank 0 lacks chunk 0 of 1 of block 1 of rank 1");
}

}  // namespace
}  // namespace fredsim::test
