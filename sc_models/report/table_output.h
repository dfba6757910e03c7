// SPDX-License-Identifier: Apache-2.0
// Output of a command in the requested format: tables with their headings, notes and legends.
//
//   kTable     for a terminal: kept to its width, columns that have no room are named above the legend
//   kMarkdown  all columns but those that are for programs; tables of the same columns are joined
//   kCsv       one table with all columns, nothing else: names with units, values with all digits as in
//              JSON, fields quoted as in RFC 4180, lines that end in LF. A table with other
//              columns than the first has no place in it
//
// Every call returns the text to print next. Blank lines between parts are part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_table.h"
#include "report/terminal.h"

namespace fredsim {

enum class TableFormat : std::uint8_t { kTable, kCsv, kMarkdown };
// "table", "csv" or "markdown": the value of an option --format. BadInput: none of these.
TableFormat parse_format(const std::string& text);

struct TitledTable {
  std::string heading;  // lines; empty: none
  TextTable table;
};

struct TitledList {
  std::string title;
  std::vector<std::string> lines;
};

class TableOutput {
 public:
  TableOutput(TableFormat format, TerminalStyle style) : format_(format), style_(style) {}

  // Titles with lines below them, such as machines with what was rounded in them.
  std::string lists(const std::vector<TitledList>& lists);
  // Sentences; lines that are broken already stay so.
  std::string paragraph(const std::string& text);
  // Lines that are laid out already.
  std::string block(const std::string& lines);
  std::string table(const TitledTable& titled);
  // The end: which columns had no room in the tables so far, if any, and how to read them all.
  std::string legend(const std::string& text);

 private:
  std::string left_out();
  std::string part(std::string text);
  std::string rows_of_csv(const TextTable& table);
  std::string rows_of_markdown(const TitledTable& titled);

  TableFormat format_;
  TerminalStyle style_;
  bool is_first_ = true;             // first of the parts
  std::vector<std::string> header_;  // header of the table that rows can still be added to
  int max_rank_ = 0;                 // highest rank of the columns of that table
  std::vector<std::string> left_out_;
};

}  // namespace fredsim
