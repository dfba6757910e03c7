#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "observe/run_table.h"
#include "observe/text_table.h"
#include "sample_run.h"

namespace fredsim {
namespace {

TEST(TextTable, ColumnsAreAlignedAndLinesHaveNoTrailingBlanks) {
  TextTable table({{"name", "", Align::kLeft}, {"time", "ns"}, {"note", "", Align::kLeft}});
  table.add_row({"a", "1.0", "x"});
  table.add_row({"longer", "12345.0", ""});
  EXPECT_EQ(table.to_string(),
            "name       time  note\n"
            "             ns\n"
            "---------------------\n"
            "a           1.0  x\n"
            "longer  12345.0\n");
}

TEST(TextTable, WidthCountsCharactersNotBytes) {
  TextTable table({{"name", "", Align::kLeft}, {"n", ""}});
  table.add_row({"Übermaß", "1"});
  table.add_row({"uebermass", "2"});
  const std::string text = table.to_string();
  EXPECT_NE(text.find("Übermaß    1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("uebermass  2\n"), std::string::npos) << text;
}

TEST(RunTable, OneLinePerSizeWithUnitsAndTheSharedFactsAbove) {
  RunResult larger = sample_run();
  larger.size_bytes = 1000;
  const std::vector<ReportedRun> runs{{sample_run(), std::nullopt}, {larger, std::nullopt}};
  const std::string text = run_table(runs);
  EXPECT_NE(text.find("mesh: all_reduce over 4 NPUs, algorithm hier_ring, model rtl, lanes 3, "
                      "clock 1.5 GHz, seed 7"),
            std::string::npos)
      << text;
  std::istringstream lines(text);
  std::string line;
  std::vector<std::string> all;
  while (std::getline(lines, line)) all.push_back(line);
  ASSERT_EQ(all.size(), 7U) << text;
  std::istringstream first(all[5]);
  std::vector<std::string> words;
  while (first >> line) words.push_back(line);
  EXPECT_EQ(words, (std::vector<std::string>{"64", "KiB", "300", "200.0", "327.7", "491.5", "250",
                                             "4000", "160.0", "1.250", "exact", "600"}));
  EXPECT_EQ(all[6].find("1000 B"), all[5].find("64 KiB")) << text;
}

TEST(CompareTable, BaseFirstThenRatios) {
  RunResult other = sample_run();
  other.fabric = "fred_d";
  const std::vector<ReportedRun> runs{{sample_run(), std::nullopt},
                                      {other, Comparison{3.25, 1.9, 1 / 1.1}}};
  const std::string text = compare_table(runs);
  EXPECT_EQ(text.find("all_reduce of 64 KiB over 4 NPUs, model rtl, lanes 3, seed 7\n"), 0U);
  EXPECT_NE(text.find("\nmesh "), std::string::npos) << text;
  const std::size_t row = text.find("\nfred_d ");
  ASSERT_NE(row, std::string::npos) << text;
  for (const char* cell : {" 3.250 ", " 1.900 ", " 0.909 "}) {
    EXPECT_NE(text.find(cell, row), std::string::npos) << cell << text;
  }
}

TEST(CompareTable, MachinesOfOneNameGoByTheirFile) {
  RunResult other = sample_run();
  other.config = "mine.yaml";
  const std::vector<ReportedRun> runs{{sample_run(), std::nullopt}, {other, Comparison{}}};
  const std::string text = compare_table(runs);
  EXPECT_NE(text.find("\nconfigs/mesh.yaml "), std::string::npos) << text;
  EXPECT_NE(text.find("\nmine.yaml "), std::string::npos) << text;
}

// "machine" cells of the table, and the lines between its title and its head.
struct Named {
  std::vector<std::string> machines, notes;
};

Named named(const std::vector<ReportedRun>& runs) {
  Named found;
  std::istringstream lines(compare_table(runs));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && !line.empty()) found.notes.push_back(line);
  while (std::getline(lines, line) && !line.starts_with("---")) {
  }
  while (std::getline(lines, line)) found.machines.push_back(line.substr(0, line.find("  ")));
  return found;
}

ReportedRun machine_of(const std::string& config, const std::string& fabric,
                       std::vector<Setting> own) {
  RunResult run = sample_run();
  run.config = config;
  run.fabric = fabric;
  run.settings.own = std::move(own);
  return {run, Comparison{}};
}

TEST(CompareTable, SettingsOfAMachineStandBehindItsName) {
  const Named table = named({machine_of("m.yaml", "mesh", {}),
                             machine_of("d.yaml", "fred", {{"fabric.middle", "2"}}),
                             machine_of("d.yaml", "fred", {})});
  EXPECT_EQ(table.machines, (std::vector<std::string>{"mesh", "fred@fabric.middle=2", "fred"}));
  EXPECT_TRUE(table.notes.empty());
}

TEST(CompareTable, LongSettingsStandAboveTheTable) {
  const Named table = named(
      {machine_of("d.yaml", "fred", {{"fabric.middle", "2"}}), machine_of("d.yaml", "fred", {}),
       machine_of("d.yaml", "fred", {{"switch.input_buffer", "48KiB"}, {"fabric.middle", "2"}})});
  EXPECT_EQ(table.machines, (std::vector<std::string>{"fred [1]", "fred", "fred [2]"}));
  EXPECT_EQ(table.notes,
            (std::vector<std::string>{"fred [1]: fabric.middle=2",
                                      "fred [2]: switch.input_buffer=48KiB, fabric.middle=2"}));
}

TEST(CompareTable, FilesOfOneNameAndTheSameSettingsGoByFileAndSettings) {
  const Named table = named({machine_of("a.yaml", "fred", {{"fabric.middle", "2"}}),
                             machine_of("b.yaml", "fred", {{"fabric.middle", "2"}})});
  EXPECT_EQ(table.machines,
            (std::vector<std::string>{"a.yaml@fabric.middle=2", "b.yaml@fabric.middle=2"}));
}

TEST(CompareTable, OneFileTwiceGoesByItsPath) {
  EXPECT_EQ(named({machine_of("d.yaml", "fred", {}), machine_of("d.yaml", "fred", {})}).machines,
            (std::vector<std::string>{"d.yaml", "d.yaml"}));
}

TEST(RunTable, SettingsStandBehindTheName) {
  const ReportedRun run =
      machine_of("d.yaml", "fred", {{"switch.input_buffer", "48KiB"}, {"fabric.middle", "2"}});
  EXPECT_EQ(run_table(std::vector{run})
                .find("fred@switch.input_buffer=48KiB,fabric.middle=2: all_reduce"),
            0U);
}

TEST(RunTable, PartsHaveLinesOfTheirOwnWhereTheyDiffer) {
  RunResult run = sample_run();
  EXPECT_EQ(run_table(std::vector<ReportedRun>{{run, std::nullopt}}).find("priority"),
            std::string::npos);
  run.parts.push_back(run.parts.front());
  run.groups.push_back({2, 3});
  run.parts.back().group = {2, 3};
  EXPECT_EQ(run_table(std::vector<ReportedRun>{{run, std::nullopt}}).find("priority"),
            std::string::npos)
      << "two groups of the same work";
  run.parts.back().priority = "mp";
  run.parts.back().collective = "gather";
  const std::string text = run_table(std::vector<ReportedRun>{{run, std::nullopt}});
  for (const char* word : {"over 4 + 2 NPUs", "0,1,5,6  all_reduce", "2,3      gather", "mp", "dp",
                           "start", "270", "180.0", "320.0", "480.0", "150.0"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
}

}  // namespace
}  // namespace fredsim
