#include "observe/text_table.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace fredsim {

namespace {

constexpr std::size_t kGap = 2;  // blanks between columns

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

void TextTable::add_row(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = std::max(display_width(columns_[c].title), display_width(columns_[c].unit));
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }

  std::string text;
  const auto append_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string padding(widths[c] - display_width(cell), ' ');
      if (c > 0) line.append(kGap, ' ');
      line += columns_[c].align == Align::kLeft ? cell + padding : padding + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append_line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  append_line([&](std::size_t c) -> const std::string& { return columns_[c].unit; });
  const std::size_t total = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  text += std::string(total + kGap * (columns_.size() - 1), '-') + '\n';
  for (const auto& row : rows_) {
    append_line([&](std::size_t c) -> const std::string& { return row[c]; });
  }
  return text;
}

}  // namespace fredsim
