// SPDX-License-Identifier: Apache-2.0
// --format: output for programs. Tables for people: terminal_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/text_width.h"
#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// The fields of a line; quotes as in RFC 4180.
Words fields_of(const std::string& line) {
  Words fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += line[i++];
      } else {
        is_quoted = !is_quoted;
      }
    } else if (line[i] == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

// One object per row, by the names of the header; every row has all of them.
std::vector<std::map<std::string, std::string>> rows_of(const Words& words) {
  const Outcome outcome = run_fredsim(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Words lines = lines_of(outcome.out);
  std::vector<std::map<std::string, std::string>> rows;
  if (lines.empty()) return rows;
  const Words names = fields_of(lines.front());
  for (std::size_t l = 1; l < lines.size(); ++l) {
    const Words fields = fields_of(lines[l]);
    EXPECT_EQ(fields.size(), names.size()) << lines[l];
    auto& row = rows.emplace_back();
    for (std::size_t f = 0; f < std::min(names.size(), fields.size()); ++f) {
      row[names[f]] = fields[f];
    }
  }
  return rows;
}

const Words kCompare{"compare",
                     "configs/mesh_2x2.yaml",
                     "configs/fred_small.yaml",
                     "-b",
                     "2KiB",
                     "-e",
                     "4KiB",
                     "--group",
                     "0,1"};

// Sizes of compare are outermost in the table, machines in JSON.
TEST(Format, CsvOfCompareIsOneTableWithTheNumbersOfTheJson) {
  const auto rows = rows_of(with(kCompare, {"--format", "csv"}));
  const json runs = run_fredsim(with(kCompare, {"--json", "-"})).json()["runs"];
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    auto row = rows[r];
    const json& run = runs[r % 2 * 2 + r / 2];
    EXPECT_EQ(row["config"], run["config"].get<std::string>());
    EXPECT_EQ(row["fabric"], run["fabric"].get<std::string>());
    EXPECT_EQ(row["algorithm"], run["algorithm"].get<std::string>());
    EXPECT_EQ(row["groups"], "0,1") << "a field with a comma";
    EXPECT_EQ(std::stoull(row["size_bytes"]), run["size_bytes"]);
    EXPECT_EQ(std::stoull(row["cycles"]), run["cycles"]);
    EXPECT_EQ(std::stod(row["time_ns"]), run["time_ns"]);
    EXPECT_EQ(std::stod(row["busbw_gbps"]), run["busbw_gbps"]);
    EXPECT_EQ(std::stod(row["speedup"]), run.value("speedup", 1.0));
    EXPECT_EQ(std::stod(row["link_traffic_reduction"]), run.value("link_traffic_reduction", 1.0));
    EXPECT_EQ(std::stod(row["bound_ns"]), run["derived"]["bound_ns"]);
    EXPECT_EQ(row["payload"], "exact");
  }
}

TEST(Format, CsvOfRunAndTraffic) {
  const auto sizes =
      rows_of({"run", "configs/mesh_2x2.yaml", "-b", "1KiB", "-e", "4KiB", "--format", "csv"});
  ASSERT_EQ(sizes.size(), 3U);
  EXPECT_EQ(sizes[2].at("size_bytes"), "4096");

  const Words traffic{
      "traffic", "configs/mesh_2x2.yaml", "--rate", "0.1,3", "--warmup", "50", "--cycles", "200"};
  const auto rates = rows_of(with(traffic, {"--format", "csv"}));
  const json runs = run_fredsim(with(traffic, {"--json", "-"})).json()["runs"];
  ASSERT_EQ(rates.size(), 2U);
  for (std::size_t r = 0; r < rates.size(); ++r) {
    auto row = rates[r];
    EXPECT_EQ(std::stod(row["accepted_flits_per_cycle"]), runs[r]["accepted_rate"]);
    EXPECT_EQ(std::stod(row["latency_mean_cycles"]), runs[r]["latency_cycles"]["mean"]);
    EXPECT_EQ(std::stoull(row["packets_missing"]),
              runs[r]["packets"].get<int>() - runs[r]["packets_arrived"].get<int>());
    EXPECT_EQ(row["state"], runs[r]["saturated"].get<bool>() ? "saturated" : "free");
  }
}

TEST(Format, CsvOfConflictsAndStrategies) {
  const Words conflicts{"conflicts", "--ports", "12",       "--middle", "2,3",
                        "--flows",   "3,4",     "--trials", "50"};
  const auto sets = rows_of(with(conflicts, {"--format", "csv"}));
  const json runs = run_fredsim(with(conflicts, {"--json", "-"})).json()["runs"];
  ASSERT_EQ(sets.size(), runs.size());
  for (std::size_t r = 0; r < sets.size(); ++r) {
    EXPECT_EQ(std::stoi(sets[r].at("middle")), runs[r]["middle"]);
    EXPECT_EQ(std::stod(sets[r].at("wilson_95_high")), runs[r]["wilson_95"]["high"]);
  }

  const Words strategies{"strategies", "configs/fred_d.yaml", "--middle", "2,3"};
  const auto counts = rows_of(with(strategies, {"--format", "csv"}));
  ASSERT_EQ(counts.size(), 6U) << "m and dimensions";
  const auto all = rows_of(with(strategies, {"--all", "--format", "csv"}));
  for (const auto& count : counts) {
    const auto is_routed = [&](const auto& row) {
      return row.at("middle") == count.at("middle") &&
             row.at("dimension") == count.at("dimension") && row.at("outcome") == "routed";
    };
    EXPECT_EQ(std::ranges::count_if(all, is_routed), std::stoi(count.at("routed")));
  }
  const auto failed =
      std::ranges::find_if(all, [](const auto& row) { return row.at("outcome") == "conflict"; });
  ASSERT_NE(failed, all.end());
  EXPECT_NE(failed->at("why"), "");
}

TEST(Format, MarkdownIsATableOfAllSizes) {
  const Outcome outcome = run_fredsim(with(kCompare, {"--format", "markdown"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  Words table;
  for (const std::string& line : lines_of(outcome.out))
    if (line.starts_with("|")) table.push_back(line);
  ASSERT_EQ(table.size(), 6U) << outcome.out;
  EXPECT_TRUE(table[0].starts_with("| machine | algorithm | size | cycles | time (ns) | "));
  EXPECT_TRUE(table[1].starts_with("| :--- | :--- | ---: | ---: | ---: | ")) << table[1];
  for (const std::string& line : table)
    EXPECT_EQ(std::ranges::count(line, '|'), std::ranges::count(table[0], '|')) << line;
  EXPECT_TRUE(table[5].starts_with("| fred_small | in_switch | 4 KiB | ")) << table[5];
  EXPECT_EQ(outcome.out.find("Columns hidden"), std::string::npos);
}

TEST(Format, JsonOnStandardOutputIsAloneThere) {
  const Words json_too = with(kCompare, {"--format", "csv", "--json", "-"});
  EXPECT_EQ(run_fredsim(json_too).json()["runs"].size(), 4U);
}

class FormatFiles : public FolderTest {};

TEST_F(FormatFiles, JsonInAFileGoesWithATable) {
  const auto rows = rows_of(with(kCompare, {"--format", "csv", "--json", path("results.json")}));
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(json::parse(read_text(path("results.json")))["runs"].size(), 4U);
}

TEST(Format, WithoutATerminalLinesHave80Columns) {
  const Outcome outcome = run_fredsim(with(kCompare, {"--legend"}));
  const Words lines = lines_of(outcome.out);
  EXPECT_GT(lines.size(), 10U);
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 80U) << line;
  EXPECT_NE(outcome.out.find("Columns hidden at 80 columns: "), std::string::npos) << outcome.out;
}

// The table comes first, then the notes on the machines.
TEST(Format, TheResultComesFirst) {
  const Outcome outcome = run_fredsim(kCompare);
  EXPECT_TRUE(outcome.out.starts_with("all_reduce of ")) << outcome.out;
  EXPECT_GT(outcome.out.find("mesh_2x2 (configs/mesh_2x2.yaml)"), outcome.out.find("simulated"));
  for (const char* text : {"Columns hidden", "All figures are simulated"})
    EXPECT_EQ(outcome.out.find(text), std::string::npos) << outcome.out;
}

TEST(Format, LinesOfAstraSimOnlyWhereThereAreRanks) {
  expect_refused(run_fredsim({"run", "configs/mesh_2x2.yaml", "--format", "astra"}),
                 {"--format", "'astra'", "table, csv, markdown or nccl"});
}

TEST(Format, AnotherIsRefused) {
  for (const char* command : {"run", "traffic", "strategies"}) {
    expect_refused(run_fredsim({command, "configs/mesh_2x2.yaml", "--format", "cvs"}),
                   {"--format", "'cvs'", "did you mean 'csv'?"});
  }
}

}  // namespace
}  // namespace fredsim
