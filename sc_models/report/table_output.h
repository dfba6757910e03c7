// SPDX-License-Identifier: Apache-2.0
// Output of a command in the requested format: tables with their headings, notes and legends.
//
//   kTable     for a terminal: kept to its width; the legend names columns that had no room
//   kMarkdown  all columns except columns for programs; tables with the same columns are joined
//   kCsv       one table with all columns, nothing else: names with units, values with all digits
//              as in JSON, fields quoted as in RFC 4180, lines that end in LF. A table with other
//              columns than the first is left out
//   kAstra     lines per rank in ASTRA-sim's format, which the command writes (train); no tables
//   kNccl      lines of NCCL-tests, which the command writes (run, compare); no tables
// Legends are printed on request only.
//
// Every call returns the text to print next, with the blank lines between parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_table.h"
#include "report/terminal.h"

namespace fredsim {

enum class TableFormat : std::uint8_t { kTable, kCsv, kMarkdown, kAstra, kNccl };
// The value of an option --format: "table", "csv", "markdown" or `own`, the format that only this
// command has. BadInput for any other.
TableFormat parse_format(const std::string& text, TableFormat own = TableFormat::kTable);

// A field of CSV, in quotes where RFC 4180 wants them.
std::string csv_field(const std::string& text);

struct TitledTable {
  std::string heading;  // several lines; empty: none
  TextTable table;
  std::vector<std::string> notes{};  // printed below it
};

struct TitledList {
  std::string title;
  std::vector<std::string> lines;
};

class TableOutput {
 public:
  TableOutput(TableFormat format, TerminalStyle style, bool has_legend = false)
      : format_(format), style_(style), has_legend_(has_legend) {}

  // Titles with lines below them, such as machines with their rounded sizes.
  std::string lists(const std::vector<TitledList>& lists);
  // Sentences, wrapped; broken lines stay as they are.
  std::string paragraph(const std::string& text);
  // Lines that are laid out already.
  std::string block(const std::string& lines);
  std::string table(const TitledTable& given);
  // A warning above a result that it qualifies.
  std::string warning(const std::string& text);
  // The end, on request: columns that had no room in the tables so far, if any, a line for each
  // column that has a meaning, and `text`.
  std::string legend(const std::string& text);

 private:
  bool has_lines_of_command() const {
    return format_ == TableFormat::kAstra || format_ == TableFormat::kNccl;
  }
  bool is_rows_only() const { return format_ == TableFormat::kCsv || has_lines_of_command(); }
  std::string left_out();
  std::string meanings();
  std::string part(std::string text);
  std::string rows_of_csv(const TextTable& table);
  std::string rows_of_markdown(const TitledTable& titled);

  TableFormat format_;
  TerminalStyle style_;
  bool has_legend_;
  bool is_first_ = true;             // no part has been printed yet
  std::vector<std::string> header_;  // header of the table that rows can still be added to
  int max_rank_ = 0;                 // highest rank of the columns of that table
  std::vector<std::string> left_out_;
  std::vector<std::pair<std::string, std::string_view>> meanings_;  // of columns, by label
};

}  // namespace fredsim
