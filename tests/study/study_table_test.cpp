// SPDX-License-Identifier: Apache-2.0
#include "study/study_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/fields/sweep.h"
#include "study/studies.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

class StudyTable : public testing::Test {
 protected:
  StudyTable() {
    rows_[0].outcome = {.is_done = true,
                        .results = {{"fabric", "m"}, {"cycles", 10}, {"time_ns", 6.5}}};
    rows_[1].outcome = {.is_done = false, .message = "no \"route\",\nnone"};
    rows_[2].outcome = {.is_done = true,
                        .results = {{"fabric", "m"}, {"rate", 0.1}, {"saturated", false}}};
  }

  const StudyFile file_{
      "machines: [m.yaml]\nrun: {size: [1KiB, 2KiB]}\ntraffic: {rate: 0.1}\nsettings: {npu.count: "
      "4}\n"};
  const Study study_ = file_.read();
  const StudyPoints points_{study_};
  std::vector<StudyRow> rows_{
      {"00", points_[0], {}}, {"11", points_[1], {}}, {"22", points_[2], {}}};
};

TEST_F(StudyTable, IsALineOfJsonPerPoint) {
  EXPECT_EQ(
      study_lines(rows_),
      R"({"point":"00","command":"run","machine":"m.yaml","settings":{"npu.count":"4"},"options":{"size":"1KiB"},"seed":null,"status":"done","message":null,"results":{"fabric":"m","cycles":10,"time_ns":6.5}})"
      "\n"
      R"({"point":"11","command":"run","machine":"m.yaml","settings":{"npu.count":"4"},"options":{"size":"2KiB"},"seed":null,"status":"failed","message":"no \"route\",\nnone","results":{}})"
      "\n"
      R"({"point":"22","command":"traffic","machine":"m.yaml","settings":{"npu.count":"4"},"options":{"rate":"0.1"},"seed":null,"status":"done","message":null,"results":{"fabric":"m","rate":0.1,"saturated":false}})"
      "\n");
}

TEST_F(StudyTable, IsCsvWithTheColumnsThatHaveAValue) {
  EXPECT_EQ(study_csv(rows_),
            "point,command,machine,settings.npu.count,options.size,options.rate,status,message,"
            "results.fabric,results.cycles,"
            "results.time_ns,results.rate,results.saturated\n"
            "00,run,m.yaml,4,1KiB,,done,,m,10,6.5,,\n"
            "11,run,m.yaml,4,2KiB,,failed,\"no \"\"route\"\",\nnone\",,,,,\n"
            "22,traffic,m.yaml,4,,0.1,done,,m,,,0.1,false\n");
}

TEST_F(StudyTable, IsAFileOfResults) {
  const Json json = Json::parse(study_json(
      {.version = "1", .commit = "unknown", .command = "fredsim sweep s"}, "s", 5, rows_));
  EXPECT_EQ(json["study"], "s");
  EXPECT_EQ(json["missing"], 5);
  EXPECT_EQ(json["points"].size(), 3U);
  for (const auto& [key, value] : json.items())
    EXPECT_TRUE(fields::has_field(fields::kSweepDocument, key)) << key;
}

TEST_F(StudyTable, HasNoRowsWithoutPoints) {
  EXPECT_EQ(study_lines({}), "");
  EXPECT_EQ(study_csv({}), "point,command,machine,seed,status,message\n");
}

TEST_F(StudyTable, SeedsAreNumbers) {
  const StudyFile file("machines: [m.yaml]\nrun:\nseeds: [18446744073709551615]\n");
  const Study study = file.read();
  const StudyPoints points(study);
  const std::vector<StudyRow> rows{{"00", points[0], {.is_done = true, .results = Json::object()}}};
  EXPECT_EQ(Json::parse(study_lines(rows))["seed"], 18446744073709551615U);
}

}  // namespace
}  // namespace fredsim
