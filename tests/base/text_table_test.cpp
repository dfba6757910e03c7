// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/text_width.h"

namespace fredsim {
namespace {

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t width = 0;
  for (std::string line; std::getline(lines, line);) width = std::max(width, display_width(line));
  return width;
}

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

TEST(TextTable, WithoutUnitsOneHeaderLine) {
  TextTable table({{"name", "", Align::kLeft}, {"n"}});
  table.add_row({"a", "1"});
  EXPECT_EQ(table.to_string(),
            "name  n\n"
            "-------\n"
            "a     1\n");
}

TEST(TextTable, WidthCountsCharactersNotBytes) {
  TextTable table({{"name", "", Align::kLeft}, {"n"}});
  table.add_row({"Übermaß", "1"});
  table.add_row({"uebermass", "2"});
  const std::string text = table.to_string();
  EXPECT_NE(text.find("Übermaß    1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("uebermass  2\n"), std::string::npos) << text;
}

TextTable sample() {
  TextTable table({{"name", "", Align::kLeft},
                   {.label = "least", .rank = 3},
                   {.label = "always"},
                   {.label = "less", .rank = 2},
                   {.label = "of programs", .name = "of_programs", .shown = Shown::kOnlyInCsv}});
  table.add_row({"mesh", "1", "2", "3", "4"});
  return table;
}

TEST(TextTable, ColumnsOfTheHighestRankAreLeftOutFirst) {
  const std::string all = sample().to_string();
  EXPECT_EQ(widest(all), 25U);
  EXPECT_EQ(all.find("of programs"), std::string::npos) << all;

  const FittedTable exact = sample().fitted({.width = 25});
  EXPECT_EQ(exact.text, all);
  EXPECT_TRUE(exact.left_out.empty());

  const FittedTable narrow = sample().fitted({.width = 24});
  EXPECT_EQ(narrow.left_out, std::vector<std::string>{"least"});
  EXPECT_EQ(narrow.max_rank, 2);
  EXPECT_EQ(narrow.text,
            "name  always  less\n"
            "------------------\n"
            "mesh       2     3\n");

  const FittedTable narrower = sample().fitted({.width = 17});
  EXPECT_EQ(narrower.left_out, (std::vector<std::string>{"least", "less"}));
  const FittedTable as_before = sample().fitted({.width = 80, .max_rank = 2});
  EXPECT_EQ(as_before.text, narrow.text) << "where a table before had no room";
}

TEST(TextTable, ALongNameIsCutAndStandsInFullBelow) {
  TextTable table = sample();
  const std::string first = "fred_d@switch.input_buffer=48KiB,fabric.middle=2";
  const std::string second = "fred_d@switch.input_buffer=24KiB,fabric.middle=2";
  for (const std::string& name : {first, second, first}) table.add_row({name, "1", "2", "3", "4"});
  const FittedTable fitted = table.fitted({.width = 40});
  EXPECT_EQ(widest(fitted.text), 40U) << fitted.text;
  EXPECT_TRUE(fitted.left_out.empty()) << "the name gives way first";
  EXPECT_EQ(fitted.text,
            "name                 least  always  less\n"
            "----------------------------------------\n"
            "mesh                     1       2     3\n"
            "fred_d@switch.in…#1      1       2     3\n"
            "fred_d@switch.in…#2      1       2     3\n"
            "fred_d@switch.in…#1      1       2     3\n"
            "#1: fred_d@switch.input_buffer=48KiB,fab\n"
            "    ric.middle=2\n"
            "#2: fred_d@switch.input_buffer=24KiB,fab\n"
            "    ric.middle=2\n");
  for (std::size_t width = 20; width < 90; ++width) {
    EXPECT_LE(widest(table.fitted({.width = width}).text), width);
  }
}

TEST(TextTable, ControlCharactersOfANameDoNotMoveTheCursor) {
  TextTable table({{"name", "", Align::kLeft}, {"n"}});
  table.add_row({"a\x1b[2J\nb", "1"});
  EXPECT_NE(table.to_string().find("a?[2J?b  1\n"), std::string::npos) << table.to_string();
}

TEST(TextTable, ColoursChangeNothingElse) {
  TextTable table({{"name", "", Align::kLeft}, {"speed-up", "x"}, {"payload", "", Align::kLeft}});
  table.add_row({"mesh", {"1.5", Tone::kGood}, {"wrong", Tone::kBad}});
  const std::string plain = table.to_string();
  std::string coloured = table.fitted({.colours = true}).text;
  EXPECT_NE(coloured.find("\x1b[1mname\x1b[0m"), std::string::npos) << coloured;
  EXPECT_NE(coloured.find("  \x1b[32m1.5\x1b[0m"), std::string::npos) << coloured;
  EXPECT_NE(coloured.find("\x1b[31mwrong\x1b[0m\n"), std::string::npos) << coloured;
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  for (const std::string escape : {"\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m"}) {
    for (std::size_t at = 0; (at = coloured.find(escape)) != std::string::npos;)
      coloured.erase(at, escape.size());
  }
  EXPECT_EQ(coloured, plain);
}

}  // namespace
}  // namespace fredsim
