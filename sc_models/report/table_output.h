// SPDX-License-Identifier: Apache-2.0
// Output of a command in the requested format: tables with their headings, notes and legends.
//
//   kTable     for a terminal: kept to its width, columns that have no room are named by the legend
//   kMarkdown  all columns but those that are for programs; tables of the same columns are joined
//   kCsv       one table with all columns, nothing else: names with units, values with all digits as in
//              JSON, fields quoted as in RFC 4180, lines that end in LF. A table with other
//              columns than the first has no place in it
//   kAstra     lines per rank as ASTRA-sim prints them, which the command writes (train); no tables
// Legends only where they are asked for.
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

enum class TableFormat : std::uint8_t { kTable, kCsv, kMarkdown, kAstra };
// "table", "csv", "markdown" or, where a command has it, "astra": the value of an option --format. BadInput: none of these.
TableFormat parse_format(const std::string& text, bool has_astra = false);

struct TitledTable {
  std::string heading;  // lines; empty: none
  TextTable table;
  std::vector<std::string> notes{};  // below it
};

struct TitledList {
  std::string title;
  std::vector<std::string> lines;
};

class TableOutput {
 public:
  TableOutput(TableFormat format, TerminalStyle style, bool has_legend = false)
      : format_(format), style_(style), has_legend_(has_legend) {}

  // Titles with lines below them, such as machines with what was rounded in them.
  std::string lists(const std::vector<TitledList>& lists);
  // Sentences; lines that are broken already stay so.
  std::string paragraph(const std::string& text);
  // Lines that are laid out already.
  std::string block(const std::string& lines);
  std::string table(const TitledTable& given);
  // Something that changes the meaning of a result, on top of it.
  std::string warning(const std::string& text);
  // The end, if it is asked for: which columns had no room in the tables so far, if any, and how to read them all.
  std::string legend(const std::string& text);

 private:
  bool is_rows_only() const {
    return format_ == TableFormat::kCsv || format_ == TableFormat::kAstra;
  }
  std::string left_out();
  std::string part(std::string text);
  std::string rows_of_csv(const TextTable& table);
  std::string rows_of_markdown(const TitledTable& titled);

  TableFormat format_;
  TerminalStyle style_;
  bool has_legend_;
  bool is_first_ = true;             // first of the parts
  std::vector<std::string> header_;  // header of the table that rows can still be added to
  int max_rank_ = 0;                 // highest rank of the columns of that table
  std::vector<std::string> left_out_;
};

}  // namespace fredsim
