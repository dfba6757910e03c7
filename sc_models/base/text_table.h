// SPDX-License-Identifier: Apache-2.0
// A table for people: one or two header lines (title, unit), a rule, rows; columns as wide as they
// need, within a maximum width if there is one.
//
// Order of cuts when a table does not fit: columns on the left (names) are shortened to a third of
// the width, then columns are left out, highest rank first. A shortened text ends in a number,
// "…#1", and is given in full below the table.
// Numbers of a column have the same decimals (base/table_numbers.h).
// Widths: base/text_width.h. Colours are ANSI escapes.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/table_numbers.h"

namespace fredsim {

enum class Align : std::uint8_t { kLeft, kRight };

// Meaning of a cell as its colour: green, yellow, red.
enum class Tone : std::uint8_t { kPlain, kGood, kDoubtful, kBad };

// Outputs that show a column: tables other than text (report/table_output.h) have room for more.
enum class Shown : std::uint8_t { kAlways, kNotInText, kOnlyInCsv };

struct Column {
  std::string label;
  std::string unit{};  // unit, if any
  Align align = Align::kRight;
  int rank = 0;                         // 0: never left out
  std::array<std::string, 2> header{};  // two header lines; none: label and unit
  std::string name{};  // name in CSV, unit included, such as time_ns; none: no CSV column
  Shown shown = Shown::kAlways;
  std::span<const NumberUnit> units{};  // units of its numbers, preferred one first; none: `unit`
  std::string_view meaning{};           // one line for --legend; none: the label says it
};

struct Cell {
  Cell(std::string for_people, Tone how = Tone::kPlain)  // NOLINT(google-explicit-constructor)
      : text(std::move(for_people)), value(text), tone(how) {}
  Cell(const char* for_people)
      : Cell(std::string(for_people)) {}  // NOLINT(google-explicit-constructor)
  Cell(std::string for_people, std::string for_programs, Tone how = Tone::kPlain)
      : text(std::move(for_people)), value(std::move(for_programs)), tone(how) {}
  Cell(TableNumber for_people, std::string for_programs)
      : value(std::move(for_programs)), number(std::move(for_people)) {}

  std::string text;
  std::string value;  // CSV value: in the column's unit, all digits; empty: no value
  std::optional<TableNumber> number{};  // number in place of a text, written when the column is
                                        // known
  Tone tone = Tone::kPlain;
};

constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

struct TableFit {
  std::size_t width = kAnyWidth;
  int max_rank = std::numeric_limits<int>::max();  // columns above it are left out in any case
  bool colours = false;
};

struct FittedTable {
  std::string text;
  int max_rank = 0;                   // highest rank of its columns
  std::vector<std::string> left_out;  // labels of the columns left out
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add_row(std::vector<Cell> cells);  // `cells`: one per column.

  // Copy of the table with its numbers as text.
  TextTable written() const;
  FittedTable fitted(const TableFit& fit) const;  // lines without trailing blanks
  std::string to_string() const { return fitted({}).text; }

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace fredsim
