// SPDX-License-Identifier: Apache-2.0
#include "report/table_output.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "report/table_fields.h"

namespace fredsim {
namespace {

TitledTable sample(const std::string& name) {
  TextTable table({{.label = "machine", .align = Align::kLeft, .name = "fabric"},
                   {.label = "size", .name = "size_bytes", .shown = Shown::kNotInText},
                   {.label = "time", .unit = "ns", .rank = 1, .name = "time_ns"},
                   {.label = "lanes", .name = "lanes", .shown = Shown::kOnlyInCsv}});
  table.add_row({name, {"4 KiB", "4096"}, {"1.3", "1.25"}, "7"});
  return {"the heading", std::move(table)};
}

// Rounded up in print: an error above 0 never looks like zero, and zero prints as 0.0.
TEST(TableFields, StateErrorsRoundedUp) {
  EXPECT_EQ(error_cell(0).text, "0.0");
  EXPECT_EQ(error_cell(0.001).text, "0.1");
  EXPECT_EQ(error_cell(3).text, "3.0");
  EXPECT_EQ(error_cell(3.01).text, "3.1");
}

TEST(TableOutput, CsvIsOneTableOfValues) {
  TableOutput output(TableFormat::kCsv, {}, true);
  std::string text = output.lists({{"mesh", {"a note"}}});
  text += output.table(sample("plain"));
  text += output.table(sample("a \"b\", c"));
  text += output.table({"", TextTable(std::vector<Column>{{.label = "other", .name = "other"}})});
  text += output.block("lines\n");
  text += output.legend("a legend");
  EXPECT_EQ(text,
            "fabric,size_bytes,time_ns,lanes\n"
            "plain,4096,1.25,7\n"
            "\"a \"\"b\"\", c\",4096,1.25,7\n");
}

TEST(TableOutput, LegendHasALineForEachColumnWithAMeaning) {
  const auto sized = [] {
    TextTable table(
        {{.label = "machine"},
         {.label = "traffic ÷", .meaning = "bytes of the base over these"},
         {.label = "x", .rank = 9, .meaning = "a second one"},
         {.label = "seed", .name = "seed", .shown = Shown::kOnlyInCsv, .meaning = "-"}});
    table.add_row({"mesh", "1.5", "2", "1"});
    return TitledTable{"", std::move(table)};
  };
  TableOutput output(TableFormat::kTable, {.columns = 100}, true);
  output.table(sized());
  output.table(sized());
  EXPECT_EQ(output.legend("A sentence."),
            "\nColumns\n"
            "  traffic ÷  bytes of the base over these\n"
            "  x          a second one\n"
            "\nA sentence.\n");
  TableOutput silent(TableFormat::kTable, {.columns = 100});
  silent.table(sized());
  EXPECT_EQ(silent.legend("A sentence."), "");
}

TEST(TableOutput, MarkdownHasWhatPeopleReadAndJoinsTablesOfTheSameColumns) {
  TableOutput output(TableFormat::kMarkdown, {.columns = 40}, true);
  std::string text = output.lists({{"mesh", {"a note"}}});
  text += output.table(sample("plain"));
  text += output.table(sample("a|b"));
  text += output.legend("A legend that is longer than the terminal is wide.");
  text += output.block("  as it is\n");
  EXPECT_EQ(text,
            "- mesh\n"
            "  - a note\n"
            "\n"
            "the heading\n"
            "\n"
            "| machine | size | time (ns) |\n"
            "| :--- | ---: | ---: |\n"
            "| plain | 4 KiB | 1.3 |\n"
            "| a\\|b | 4 KiB | 1.3 |\n"
            "\n"
            "A legend that is longer than the terminal is wide.\n"
            "\n"
            "```text\n"
            "  as it is\n"
            "```\n");
}

TEST(TableOutput, TextIsKeptToTheWidthAndSaysWhatIsLeftOut) {
  TableOutput output(TableFormat::kTable, {.columns = 12}, true);
  std::string text = output.table(sample("plain"));
  EXPECT_EQ(text,
            "the heading\n"
            "\n"
            "machine\n"
            "-------\n"
            "plain\n");
  EXPECT_EQ(output.table(sample("x")).front(), '\n') << "a blank line between parts";
  text = output.legend("how to read");
  EXPECT_EQ(text.find("\nColumns\nhidden at 12\ncolumns:\ntime. A\nwider"), 0U) << text;
  EXPECT_NE(text.find("\n\nhow to read\n"), std::string::npos) << text;
  EXPECT_EQ(output.legend("again"), "\nagain\n") << "said once";
}

TEST(TableOutput, LegendsOnlyWhereTheyAreAskedFor) {
  TableOutput output(TableFormat::kTable, {.columns = 12});
  output.table(sample("plain"));
  EXPECT_EQ(output.legend("how to read"), "");
}

TEST(TableOutput, WarningsAndNotesOfTables) {
  TitledTable titled = sample("plain");
  titled.notes = {"a note", "another"};
  TableOutput text(TableFormat::kTable, {.columns = 40});
  EXPECT_EQ(text.warning("no memory"), "warning: no memory\n");
  const std::string table = text.table(titled);
  EXPECT_TRUE(table.ends_with("\n\na note\nanother\n")) << table;
  EXPECT_TRUE(
      TableOutput(TableFormat::kMarkdown, {}).table(titled).ends_with("|\n\na note\n\nanother\n"));
  for (const TableFormat format : {TableFormat::kCsv, TableFormat::kAstra}) {
    TableOutput rows(format, {}, true);
    EXPECT_EQ(rows.warning("no memory") + rows.legend("how to read"), "");
    EXPECT_EQ(rows.table(titled).find("note"), std::string::npos);
  }
}

TEST(TableOutput, FormatsByName) {
  EXPECT_EQ(parse_format("csv"), TableFormat::kCsv);
  EXPECT_EQ(parse_format("astra", TableFormat::kAstra), TableFormat::kAstra);
  EXPECT_THROW(parse_format("astra"), BadInput);
  EXPECT_THROW(parse_format("Table"), BadInput);
}

// A column that an earlier table had no room for does not come back in a later one.
TEST(TableOutput, TablesThatFollowEachOtherHaveTheSameColumns) {
  TableOutput output(TableFormat::kTable, {.columns = 14});
  EXPECT_EQ(output.table(sample("nineteen characters")).find("time"), std::string::npos);
  EXPECT_EQ(output.table(sample("short")).find("time"), std::string::npos);
  output.paragraph("something else");
  EXPECT_NE(output.table(sample("short")).find("time"), std::string::npos) << "a new series";
}

class TerminalStyleTest : public testing::Test {
 protected:
  ~TerminalStyleTest() override { ::unsetenv("COLUMNS"); }
  static std::size_t columns_with(const char* text) {
    ::setenv("COLUMNS", text, 1);
    return terminal_style(file()).columns;
  }
  static std::FILE* file() {
    static std::FILE* const file = std::tmpfile();
    return file;
  }
};

TEST_F(TerminalStyleTest, AFileHas80ColumnsAndNoColoursUnlessColumnsSaysOtherwise) {
  ::unsetenv("COLUMNS");
  EXPECT_EQ(terminal_style(file()).columns, 80U);
  EXPECT_FALSE(terminal_style(file()).colours);
  EXPECT_EQ(window_columns(file()), std::nullopt);
  EXPECT_EQ(columns_with("132"), 132U);
  for (const char* nothing : {"", "0", "-5", "wide", "80x", "99999999999999999999"}) {
    EXPECT_EQ(columns_with(nothing), 80U) << nothing;
  }
  EXPECT_EQ(columns_with("3"), 40U) << "the fewest";
}

}  // namespace
}  // namespace fredsim
