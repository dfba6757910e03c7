// SPDX-License-Identifier: Apache-2.0
// --placement auto, --write-placement and --best-base: where workers are, and the base as well as
// it can.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json runs_of(const Words& words) {
  const Outcome outcome = run_fredsim(joined(words, {"--json", "-", "--quiet"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"] : json::array();
}

class BestBase : public FolderTest {};

// Pairs of NPUs two apart in a row: their rings overlap.
const Words kApart{"compare",
                   "configs/mesh.yaml",
                   "configs/fred_d.yaml",
                   "--group",
                   "0,2",
                   "--group",
                   "1,3",
                   "--size",
                   "256KiB",
                   "--algorithm",
                   "paper"};

TEST_F(BestBase, CompareHasTheBaseTwice) {
  const json runs = runs_of(joined(kApart, {"--best-base"}));
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0]["fabric"], "mesh");
  EXPECT_EQ(runs[1]["fabric"], "mesh (best)");
  EXPECT_EQ(runs[1]["config"], "configs/mesh.yaml");
  EXPECT_EQ(runs[1]["best_base"], true);
  EXPECT_FALSE(runs[0].contains("best_base"));
  EXPECT_FALSE(runs[0].contains("speedup_best_base"));
  EXPECT_EQ(runs[0]["placement"], "identity");
  EXPECT_EQ(runs[1]["placement"], "searched");
  EXPECT_EQ(runs[2]["placement"], "identity");
  EXPECT_EQ(runs[0]["placement_npus"].size(), 20U);
  const double base = runs[0]["time_ns"], best = runs[1]["time_ns"], fred = runs[2]["time_ns"];
  EXPECT_LT(best, 0.7 * base) << "neighbours";
  EXPECT_DOUBLE_EQ(runs[1]["speedup"], base / best);
  EXPECT_DOUBLE_EQ(runs[1]["speedup_best_base"], 1);
  EXPECT_DOUBLE_EQ(runs[2]["speedup"], base / fred);
  EXPECT_DOUBLE_EQ(runs[2]["speedup_best_base"], best / fred);

  const json plain = runs_of(kApart);
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(plain[0]["cycles"], runs[0]["cycles"]);
  EXPECT_EQ(plain[1]["cycles"], runs[2]["cycles"]);
  EXPECT_EQ(plain[0]["placement"], nullptr);
}

// Groups of distant NPUs: four lines of five use links of other NPUs, too; rings over each line use
// them twice.
TEST_F(BestBase, PlansGroupsThatAreNamedOneByOne) {
  const json runs = runs_of({"compare", "configs/mesh.yaml", "configs/fred_d.yaml", "--work",
                             "configs/paper/mp2_dp5_pp2_dp.yaml", "--size", "1MiB", "--best-base"});
  EXPECT_EQ(runs[1]["placement"], "searched");
  EXPECT_EQ(runs[1]["algorithm"], "detours");
  EXPECT_LT(runs[1]["time_ns"].get<double>(), 0.7 * runs[0]["time_ns"].get<double>());
}

// All NPUs are one group: placement does not matter.
TEST_F(BestBase, APlacementThatAllShareIsNotInTheTable) {
  const Words words{"compare",
                    "configs/mesh_2x2.yaml",
                    "configs/fred_small.yaml",
                    "--size",
                    "64KiB",
                    "--best-base",
                    "--quiet"};
  EXPECT_EQ(run_fredsim(words).out.find("placement"), std::string::npos);
  EXPECT_NE(run_fredsim(joined(words, {"--format", "markdown"})).out.find("| placement |"),
            std::string::npos);
}

TEST_F(BestBase, TheTableNamesPlacementsAndBothSpeedUps) {
  const Outcome outcome = run_fredsim(joined(kApart, {"--best-base", "--quiet"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* word : {"\nmesh (best) ", " placement", "algorithm", "identity", "searched",
                           "over best", "speed-up"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " in\n" << outcome.out;
}

TEST_F(BestBase, TrainHasTheBaseTwice) {
  const Words words{"train",
                    "configs/mesh_2x2.yaml",
                    "configs/fred_small.yaml",
                    "--workload",
                    "configs/models/small.yaml",
                    "--mp",
                    "2",
                    "--dp",
                    "2",
                    "--algorithm",
                    "paper",
                    "--placement",
                    write("apart.yaml", "[0, 3, 1, 2]")};
  const json runs = runs_of(joined(words, {"--best-base"}));
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[1]["fabric"], "mesh_2x2 (best)");
  EXPECT_EQ(runs[1]["best_base"], true);
  EXPECT_EQ(runs[0]["algorithm"], "paper");
  EXPECT_EQ(runs[1]["algorithm"], "auto");
  EXPECT_EQ(runs[2]["algorithm"], "paper");
  EXPECT_EQ(runs[0]["placement"], path("apart.yaml"));
  EXPECT_EQ(runs[1]["placement"], "snake");
  EXPECT_EQ(runs[1]["placement_npus"], json::parse("[0, 1, 3, 2]"));
  const double base = runs[0]["iteration_ns"], best = runs[1]["iteration_ns"];
  EXPECT_LT(best, base);
  EXPECT_DOUBLE_EQ(runs[1]["speedup_best_base"], 1);
  EXPECT_DOUBLE_EQ(runs[2]["speedup_best_base"], best / runs[2]["iteration_ns"].get<double>());
  EXPECT_FALSE(runs_of(words)[1].contains("speedup_best_base"));

  const Outcome table = run_fredsim(joined(words, {"--best-base", "--quiet"}));
  for (const char* word : {"mesh_2x2 (best)", "over best", "algorithm", "auto"})
    EXPECT_NE(table.out.find(word), std::string::npos) << word << " in\n" << table.out;
}

TEST_F(BestBase, OnlyWhereThereIsABase) {
  expect_refused(run_fredsim({"run", "configs/mesh_2x2.yaml", "--best-base"}), {"--best-base"});
}

class SearchedPlacement : public FolderTest {};

TEST_F(SearchedPlacement, IsNamedWrittenAndReadAgain) {
  const Words words{"run", "configs/mesh.yaml", "--strategy", "mp16", "--dimension", "mp", "--size",
                    "1MiB"};
  const json paper = runs_of(words)[0];
  const json searched =
      runs_of(joined(words, {"--placement", "auto", "--write-placement", path("square.yaml")}))[0];
  EXPECT_EQ(searched["placement"], "searched");
  EXPECT_EQ(searched["algorithm"], "multi_tree");
  EXPECT_LT(searched["cycles"].get<double>(), 0.8 * paper["cycles"].get<double>());
  EXPECT_EQ(searched["placement_npus"].size(), 16U);
  const json again = runs_of(joined(words, {"--placement", path("square.yaml")}))[0];
  EXPECT_EQ(again["cycles"], searched["cycles"]);
  EXPECT_EQ(again["placement_npus"], searched["placement_npus"]);
  EXPECT_EQ(again["groups"], searched["groups"]);
}

TEST_F(SearchedPlacement, SeveralMachinesHaveAFileEach) {
  const Words words{"train",
                    "configs/mesh_2x2.yaml",
                    "configs/fred_small.yaml",
                    "--workload",
                    "configs/models/small.yaml",
                    "--dp",
                    "4",
                    "--best-base",
                    "--write-placement",
                    path("p.yaml")};
  runs_of(words);
  std::vector<std::string> files = this->files();
  std::ranges::sort(files);
  EXPECT_EQ(files, (Words{"p.fred_small.yaml", "p.mesh_2x2.yaml", "p.mesh_2x2_best.yaml"}));
  EXPECT_EQ(read_text(path("p.fred_small.yaml")), "# NPUs of fred_small by worker\n[0, 1, 2, 3]\n");
}

TEST_F(SearchedPlacement, BadFilesAreRefusedBeforeTheRun) {
  const auto refused = [](const Words& more, const Words& words) {
    expect_refused(run_fredsim(joined({"run", "configs/mesh_2x2.yaml"}, more)), words);
  };
  refused({"--write-placement", path("none/p.yaml")}, {"--write-placement", "none"});
  refused({"--write-placement", "-"}, {"--write-placement", "'-'"});
  const std::string file = write("p.yaml", "[3, 2, 1, 0]\n");
  refused({"--placement", file, "--write-placement", file}, {"--write-placement", "--placement"});
  EXPECT_EQ(read_text(file), "[3, 2, 1, 0]\n");
  expect_refused(run_fredsim({"train", "configs/mesh_2x2.yaml", "--trace", path("t"),
                              "--write-placement", path("q.yaml")}),
                 {"--write-placement", "model"});
}

}  // namespace
}  // namespace fredsim
