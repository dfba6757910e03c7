// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "base/member.h"
#include "report/run_table.h"
#include "support/sample_run.h"

namespace fredsim {
namespace {

// Text, as wide as it needs.
std::string text_of(const TitledTable& titled) {
  return titled.heading + "\n\n" + titled.table.to_string();
}

std::string csv_of(const TitledTable& titled) {
  return TableOutput(TableFormat::kCsv, {}).table(titled);
}

std::string parts_of(const RunResult& run) {
  std::string text;
  for (const TitledTable& table : parts_tables(std::vector<ReportedRun>{{run, std::nullopt}}))
    text += text_of(table);
  return text;
}

TEST(RunTable, OneLinePerSizeWithUnitsAndTheSharedFactsAbove) {
  RunResult larger = sample_run();
  larger.size_bytes = 1000;
  const std::vector<ReportedRun> runs{{sample_run(), std::nullopt}, {larger, std::nullopt}};
  const std::string text = text_of(run_table(runs));
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
                                             "4000", "160.0", "1.250", "1.600", "exact", "600"}));
  EXPECT_EQ(all[6].find("1000 B"), all[5].find("64 KiB")) << text;
}

TEST(CompareTable, BaseFirstThenRatios) {
  RunResult other = sample_run();
  other.fabric = "fred_d";
  const std::vector<ReportedRun> runs{{sample_run(), std::nullopt},
                                      {other, Comparison{3.25, 1.9, 1 / 1.1}}};
  const std::string text = text_of(compare_table(runs, TableFormat::kTable));
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
  const std::string text = text_of(compare_table(runs, TableFormat::kTable));
  EXPECT_NE(text.find("\nconfigs/mesh.yaml "), std::string::npos) << text;
  EXPECT_NE(text.find("\nmine.yaml "), std::string::npos) << text;
}

// "machine" cells of the table, and the lines below it.
struct Named {
  std::vector<std::string> machines, notes;
};

Named named(const std::vector<ReportedRun>& runs) {
  const TitledTable table = compare_table(runs, TableFormat::kTable);
  Named found{.machines = {}, .notes = table.notes};
  std::istringstream lines(text_of(table));
  std::string line;
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

TEST(CompareTable, LongSettingsStandBelowTheTable) {
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

TEST(CompareTable, OneFileTwiceGoesByItsName) {
  EXPECT_EQ(named({machine_of("d.yaml", "fred", {}), machine_of("d.yaml", "fred", {})}).machines,
            (std::vector<std::string>{"fred", "fred"}));
}

TEST(RunTable, SettingsStandBehindTheName) {
  const ReportedRun run =
      machine_of("d.yaml", "fred", {{"switch.input_buffer", "48KiB"}, {"fabric.middle", "2"}});
  EXPECT_TRUE(
      run_table(std::vector{run})
          .heading.starts_with("fred@switch.input_buffer=48KiB,fabric.middle=2: all_reduce"));
}

// CSV for a spreadsheet or a script: everything of a run, as exact as in JSON.
TEST(RunTable, CsvHasAllOfARun) {
  EXPECT_EQ(
      csv_of(run_table(std::vector<ReportedRun>{{sample_run(), std::nullopt}})),
      "fabric,config,settings,model,lanes,clock_ghz,seed,collective,groups,placement,strategy,"
      "dimensions,algorithm,size_bytes,cycles,time_ns,algbw_gbps,busbw_gbps,"
      "injected_bytes_per_npu,link_bytes,bound_ns,time_over_bound,time_over_network_bound,payload,"
      "sim_cycles_per_s,injected_bytes,injected_bytes_per_npu_max,flit_hops,wall_s,"
      "acknowledgement_packets,idle_cycles,repeated_cycles,repeated_flit_hops,"
      "equal_slices_flit_hops\n"
      "mesh,configs/"
      "mesh.yaml,\"npu.count=20,io.count=0\",rtl,3,1.5,7,all_reduce,\"0,1,5,6\",paper,mp2-dp2-pp1,"
      "\"mp,dp\",hier_ring,65536,300,200,327.68,491.52,250,4000,160,1.25,1.6,exact,600,"
      "1000,300,8,0.5,3,31,32,33,34\n");
}

TEST(CompareTable, CsvHasRatiosOfEveryMachineAndNoneOfAnInterruptedOne) {
  RunResult cut = sample_run();
  cut.incomplete = true;
  cut.payload = "incomplete";
  const std::vector<ReportedRun> runs{{sample_run(), std::nullopt},
                                      {sample_run(), Comparison{3.25, 1.9, 1 / 3.0}},
                                      {cut, std::nullopt}};
  const std::string csv = csv_of(compare_table(runs, TableFormat::kCsv));
  EXPECT_NE(csv.find(",327.68,491.52,1,250,1,4000,1,160,1.25,1.6,exact,"), std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",327.68,491.52,3.25,250,1.9,4000,0.3333333333333333,160,1.25,1.6,exact,"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",,,,250,,4000,,160,,,incomplete,"), std::string::npos) << csv;
}

TEST(CompareTable, TheSizeIsInTheHeadingOrAColumn) {
  const std::vector<ReportedRun> runs{{sample_run(), std::nullopt}};
  const TitledTable joined = compare_table(runs, TableFormat::kMarkdown);
  EXPECT_EQ(joined.heading, "all_reduce over 4 NPUs, model rtl, lanes 3, seed 7");
  const std::string text = TableOutput(TableFormat::kMarkdown, {}).table(joined);
  EXPECT_NE(text.find("| mesh | hier_ring | 64 KiB | 300 |"), std::string::npos) << text;
}

TEST(CompareTable, TheFastestMachineAndABadPayloadStandOut) {
  std::vector<ReportedRun> runs{{sample_run(), std::nullopt},
                                {sample_run(), Comparison{1.5, 1, 1}},
                                {sample_run(), Comparison{1.25, 1, 1}}};
  runs[2].result.payload = "incomplete";
  const auto tones = [&] {
    std::vector<Tone> all;
    const TextTable table = compare_table(runs, TableFormat::kTable).table;
    for (const auto& row : table.rows()) {
      for (const Cell& cell : row)
        if (cell.tone != Tone::kPlain) all.push_back(cell.tone);
    }
    return all;
  };
  EXPECT_EQ(tones(), (std::vector{Tone::kGood, Tone::kBad}));
  runs[1].comparison->speedup = runs[2].comparison->speedup = 0.5;
  EXPECT_EQ(tones(), std::vector{Tone::kBad}) << "none is faster than the base";
}

// The main figures stay in the table, for any numbers.
TEST(CompareTable, TheMostImportantColumnsAreThereIn80) {
  RunResult big = sample_run();
  big.fabric = "fred_small";
  big.cycles = 123456789;
  big.time_ns = 82304526.1;
  const std::vector<ReportedRun> runs{{big, std::nullopt}, {big, Comparison{3.25, 1.9, 1.1}}};
  const FittedTable fitted = compare_table(runs, TableFormat::kTable).table.fitted({.width = 80});
  for (const char* label :
       {"machine", "algorithm", "cycles", "time", "busbw", "speed-up", "payload"})
    EXPECT_NE(fitted.text.find(label), std::string::npos) << label << fitted.text;
}

TEST(RunTable, PartsHaveLinesOfTheirOwnWhereTheyDiffer) {
  RunResult run = sample_run();
  EXPECT_EQ(parts_of(run), "");
  run.parts.push_back(run.parts.front());
  run.groups.push_back({2, 3});
  run.parts.back().group = {2, 3};
  EXPECT_EQ(parts_of(run), "") << "two groups of the same work";
  run.parts.back().priority = "mp";
  run.parts.back().collective = "gather";
  const std::vector<ReportedRun> runs{{run, std::nullopt}};
  EXPECT_NE(run_table(runs).heading.find("over 4 + 2 NPUs"), std::string::npos);
  const std::string text = parts_of(run);
  for (const char* word : {"0,1,5,6  all_reduce", "2,3      gather", "mp", "dp", "start", "270",
                           "180.0", "320.0", "480.0", "150.0"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
}

TEST(RunTable, PartsOfAWorkWithOrderHaveNamesAndHowOftenTheyRan) {
  RunResult run = sample_run();
  run.parts.front().name = "forward";
  run.parts.front().operations = 30;
  run.parts.push_back(sample_run().parts.front());
  run.parts.back().group = {io_member(3), 2};
  run.groups.push_back({io_member(3), 2});
  const std::string text = parts_of(run);
  for (const char* word : {"name", "times", "forward", "30", "io3,2"})
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  const std::vector<ReportedRun> runs{{run, std::nullopt}};
  EXPECT_NE(run_table(runs).heading.find("over 4 + 2 NPUs and I/O controllers"), std::string::npos);
  run.groups = {{io_member(0), 0, 1}, {io_member(1), 0, 1}};
  const std::vector<ReportedRun> equal{{run, std::nullopt}};
  EXPECT_NE(run_table(equal).heading.find("over 2 groups of 2 NPUs and 1 I/O controller"),
            std::string::npos);
}

}  // namespace
}  // namespace fredsim
