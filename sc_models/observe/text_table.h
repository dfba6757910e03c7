// A plain text table: two header lines (title, unit), a rule, rows; columns as wide as they need.
// Widths count UTF-8 code points, so that names in any script stay aligned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fredsim {

enum class Align : std::uint8_t { kLeft, kRight };

struct Column {
  std::string title;
  std::string unit;  // second header line; may be empty
  Align align = Align::kRight;
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add_row(std::vector<std::string> cells);  // one per column
  std::string to_string() const;                 // lines without trailing blanks

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace fredsim
