// SPDX-License-Identifier: Apache-2.0
#include "study/detail/run_values.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/fields/all.h"
#include "topology/support.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

TEST(RunValues, AreTheSingleOnesOfTheRun) {
  const Json document = {{"fredsim", "1"},
                         {"command", "fredsim run"},
                         {"runs",
                          {{{"config", "a.yaml"},
                            {"fabric", "mesh"},
                            {"lanes", 4},
                            {"seed", 9},
                            {"cycles", 100},
                            {"time_ns", 66.5},
                            {"strategy", nullptr},
                            {"groups", {{0, 1}}},
                            {"skipped", {{"idle_cycles", 5}}},
                            {"traffic", {{"flit_hops", 8}, {"link_bytes", 77}}},
                            {"links", Json::array()},
                            {"wall_s", 1.5}}}}};
  const Json values = run_values(fields::kRunDocument, document, "file");
  EXPECT_EQ(
      values.dump(),
      R"({"fabric":"mesh","lanes":4,"cycles":100,"time_ns":66.5,"traffic.link_bytes":77,"traffic.flit_hops":8})")
      << "in the order of the table";
}

TEST(RunValues, NamesHaveAllThatADocumentMayHave) {
  for (const fields::Object* document : fields::kDocuments) {
    std::vector<std::string> names = run_value_names(*document);
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << document->name;
    for (const char* left_out : {"wall_s", "sim_cycles_per_s", "command", "config", "machine"})
      EXPECT_FALSE(std::ranges::binary_search(names, left_out)) << document->name;
  }
  const std::vector<std::string> training = run_value_names(fields::kTrainingDocument);
  for (const char* name : {"iteration_ns", "breakdown_ns.compute", "speedup"})
    EXPECT_EQ(std::ranges::count(training, name), 1) << name;
}

TEST(RunValues, OfSeveralRunsAreThoseBesideThem) {
  const Json run = {{"rate", 0.1}};
  const Json document = {{"runs", {run, run}}, {"saturation", {{"accepted_rate", 0.7}}}};
  EXPECT_EQ(run_values(fields::kTrafficDocument, document, "file").dump(),
            R"({"saturation.accepted_rate":0.7})");
}

TEST(RunValues, RefusesWhatIsNoneOfItsKind) {
  const auto refused = [](const Json& document) {
    return refusal([&] { run_values(fields::kRunDocument, document, "p.json"); });
  };
  expect_parts(refused(Json::array()),
               {"p.json: the file: found something else; allowed: an object"});
  expect_parts(refused({{"runs", 5}}),
               {"p.json: runs: found something else; allowed: a list of runs"});
  expect_parts(refused({{"runs", {{{"cycles", {1, 2}}}}}}),
               {"p.json: cycles: found something else"});
}

}  // namespace
}  // namespace fredsim
