// SPDX-License-Identifier: Apache-2.0
// Breakdowns as tables: a line per stage and cause, the path of a collective beside them, and
// packets node by node.
#include "report/breakdown_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/text_width.h"

namespace fredsim {
namespace {

std::vector<std::vector<std::string>> markdown_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    std::vector<std::string>& cells = rows.emplace_back();
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = line.find(" |", at);
      cells.push_back(line.substr(at, end - at));
      at = end + 3;
    }
  }
  return rows;
}

LatencyBreakdown traffic_breakdown() {
  LatencyBreakdown of;
  of.packets = 200;
  of.latency = {30.25, 28, 61, 77};
  of.stages = {{.name = "NIC out",
                .visits = 1,
                .causes = {{"queue", {10.25, 9, 30, 40}, 0.25, 2050}},
                .operands = 0,
                .join = {}},
               {.name = "L1 up",
                .visits = 1,
                .causes = {{"arbiter", {5, 4, 20, 21}, 0.125, 1000},
                           {"pipeline", {15, 15, 15, 15}, 0.625, 3000}},
                .operands = 12,
                .join = {3.5, 3, 8, 9}}};
  return of;
}

LatencyBreakdown collective_breakdown() {
  LatencyBreakdown of = traffic_breakdown();
  of.work = "all_reduce in_switch";
  of.critical =
      PacketBreakdown{.name = "tree 3 #17",
                      .source = "npu0",
                      .destination = "npu5",
                      .begin = 100,
                      .end = 140,
                      .hops = {{"npu0", "NIC out", 100, {{"queue", 7}}},
                               {"l1_0.s0", "L1 up", 107, {{"arbiter", 3}, {"pipeline", 15}}},
                               {"l1_1.s0", "L1 up", 125, {{"pipeline", 15}}}}};
  of.path = PathBreakdown{.cycles = 200,
                          .packets = 3,
                          .stages = {{"NPU", {{"compute", 20}, {"memory", 4}}},
                                     {"L1 up", {{"pipeline", 90}}},
                                     {"NIC out", {{"queue", 50}}}}};
  return of;
}

std::string markdown(const LatencyBreakdown& of) {
  TableOutput output(TableFormat::kMarkdown, {});
  return breakdown_text("fred_d", std::vector{of}, output);
}

TEST(BreakdownTable, HasALinePerStageAndCause) {
  const std::string text = markdown(traffic_breakdown());
  EXPECT_TRUE(
      text.starts_with("fred_d: where the cycles of 200 packets went, latency mean 30.2, p50 28, "
                       "p99 61, max 77 cycles\n"
                       "L1 up: 12 operands joined others, waiting 3.5 cycles for the last one "
                       "(p99 8, max 9)\n"))
      << text;
  using Rows = std::vector<std::vector<std::string>>;
  EXPECT_EQ(markdown_rows(text),
            (Rows{{"stage", "cause", "mean (cycles)", "p50 (cycles)", "p99 (cycles)",
                   "max (cycles)", "share (of all)"},
                  {":---", ":---", "---:", "---:", "---:", "---:", "---:"},
                  {"NIC out", "queue", "10.25", "9", "30", "40", "25.0 %"},
                  {"L1 up", "arbiter", "5.00", "4", "20", "21", "12.5 %"},
                  {"L1 up", "pipeline", "15.00", "15", "15", "15", "62.5 %"}}));
}

TEST(BreakdownTable, OfACollectiveHasItsPathAndItsLastPacket) {
  const std::string text = markdown(collective_breakdown());
  EXPECT_NE(text.find("fred_d, all_reduce in_switch: where"), std::string::npos) << text;
  EXPECT_NE(
      text.find(
          "\nand the collective's 200 cycles, by the packets that its last result waited for, "
          "one after the other: 3\n"),
      std::string::npos)
      << text;
  const auto rows = markdown_rows(text);
  ASSERT_EQ(rows.size(), 7U) << text;
  const auto ends_with = [&](std::size_t row, const std::string& stage, const std::string& cause,
                             const std::vector<std::string>& end) {
    EXPECT_EQ(rows[row][0], stage);
    EXPECT_EQ(rows[row][1], cause);
    EXPECT_EQ(std::vector<std::string>(rows[row].end() - 3, rows[row].end()), end) << row;
  };
  // The NPU's own time, which no packet has, stands first.
  ends_with(2, "NPU", "compute", {"0", "20", "10.00 %"});
  ends_with(3, "NPU", "memory", {"0", "4", "2.00 %"});
  ends_with(4, "NIC out", "queue", {"7", "50", "25.00 %"});
  ends_with(5, "L1 up", "arbiter", {"3", "0", "0 %"});
  ends_with(6, "L1 up", "pipeline", {"30", "90", "45.00 %"});
}

TEST(BreakdownTable, OfACollectiveOfNoCyclesHasSharesOfNothing) {
  LatencyBreakdown of = collective_breakdown();
  of.path = PathBreakdown{};
  for (const auto& row : markdown_rows(markdown(of))) {
    if (row[0] == "L1 up") {
      EXPECT_EQ(row.back(), "0 %");
    }
  }
}

TEST(BreakdownTable, ListsPacketsNodeByNode) {
  LatencyBreakdown of = traffic_breakdown();
  PacketBreakdown packet = *collective_breakdown().critical;
  packet.hops.push_back({"npu5", "NIC in", 140, {}});
  of.listed = {packet, packet};
  const std::string text = markdown(of);
  EXPECT_NE(text.find("tree 3 #17, npu0 to npu5: 40 cycles\n"), std::string::npos) << text;
  const auto rows = markdown_rows(text);
  ASSERT_GE(rows.size(), 11U);
  EXPECT_EQ(rows[5], (std::vector<std::string>{"cycle", "place", "stage", "cycles", "of these"}));
  EXPECT_EQ(rows[7], (std::vector<std::string>{"100", "npu0", "NIC out", "7", "queue 7"}));
  EXPECT_EQ(rows[8],
            (std::vector<std::string>{"107", "l1_0.s0", "L1 up", "18", "arbiter 3, pipeline 15"}));
  EXPECT_EQ(rows[10], (std::vector<std::string>{"140", "npu5", "NIC in", "0", "-"}));
}

TEST(BreakdownTable, KeepsToTheWidth) {
  LatencyBreakdown of = collective_breakdown();
  of.listed = {*of.critical};
  for (const std::size_t columns : {50U, 80U, 160U}) {
    TableOutput output(TableFormat::kTable, {.columns = columns}, true);
    std::istringstream lines(
        breakdown_text("fred_d", std::vector{of, traffic_breakdown()}, output));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      EXPECT_LE(display_width(line), columns) << line;
    EXPECT_GT(count, 15);
    const std::string legend = output.legend("legend");
    EXPECT_EQ(legend.find("Columns hidden at") != std::string::npos, columns < 100) << legend;
  }
}

TEST(BreakdownTable, IsNotInCsv) {
  TableOutput output(TableFormat::kCsv, {});
  EXPECT_EQ(breakdown_text("fred_d", {}, output), "");
}

}  // namespace
}  // namespace fredsim
