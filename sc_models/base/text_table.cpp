// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/text_width.h"

namespace fredsim {

namespace {

constexpr std::size_t kGap = 2;  // blanks between columns
constexpr std::size_t kShortestName =
    12;  // shortest width of a name while a column can be left out instead
constexpr std::size_t kShortestText = 8;  // shortest width of a name at all
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kPlain = "\x1b[0m";

std::array<std::string, 2> header_of(const Column& column) {
  const bool has_none = column.header[0].empty() && column.header[1].empty();
  return has_none ? std::array{column.label, column.unit} : column.header;
}

const char* escape_of(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kDoubtful:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kPlain:
      break;
  }
  return "";
}

// Layout of a visible column.
struct ShownColumn {
  std::size_t index = 0;
  int rank = 0;
  bool can_shrink = false;
  std::size_t header = 0;   // width of the header
  std::size_t natural = 0;  // width without a cut
  std::size_t width = 0;
};

std::size_t total(const std::vector<ShownColumn>& columns) {
  std::size_t width = columns.empty() ? 0 : kGap * (columns.size() - 1);
  for (const ShownColumn& one : columns) width += one.width;
  return width;
}

std::vector<ShownColumn> shown_columns(const TextTable& table, int max_rank) {
  std::vector<ShownColumn> columns;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Column& column = table.columns()[c];
    if (column.shown != Shown::kAlways || column.rank > max_rank) continue;
    const auto [title, unit] = header_of(column);
    ShownColumn shown{.index = c, .rank = column.rank, .can_shrink = column.align == Align::kLeft};
    shown.header = std::max(display_width(title), display_width(unit));
    shown.natural = shown.header;
    for (const auto& row : table.rows()) {
      shown.natural = std::max(shown.natural, display_width(row[c].text));
    }
    shown.width = shown.natural;
    columns.push_back(shown);
  }
  return columns;
}

// Cuts the widest names until the table fits or none is wider than `shortest`.
void shrink(std::vector<ShownColumn>& columns, std::size_t width, std::size_t shortest) {
  while (total(columns) > width) {
    ShownColumn* widest = nullptr;
    for (ShownColumn& one : columns) {
      const bool can = one.can_shrink && one.width > std::max(shortest, one.header);
      if (can && (widest == nullptr || one.width > widest->width)) widest = &one;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
}

// Gives spare room back to names that were cut, from the left.
void widen(std::vector<ShownColumn>& columns, std::size_t width) {
  for (ShownColumn& one : columns) {
    const std::size_t used = total(columns);
    if (used >= width) return;
    one.width = std::min(one.natural, one.width + width - used);
  }
}

void fit_columns(std::vector<ShownColumn>& columns, std::size_t width) {
  if (total(columns) <= width) return;
  for (ShownColumn& one : columns) {
    const std::size_t cap = std::max({one.header, kShortestName, width * 3 / 10});
    if (one.can_shrink) one.width = std::min(one.natural, cap);
  }
  for (;;) {
    const auto last = std::ranges::max_element(columns, {}, &ShownColumn::rank);
    if (total(columns) <= width || last->rank == 0) break;
    columns.erase(last);
  }
  shrink(columns, width, kShortestText);
  widen(columns, width);
}

// Writes lines cell by cell, and the notes on cells that were cut.
class Writer {
 public:
  Writer(const std::vector<ShownColumn>& columns, const TableFit& fit)
      : shown_(columns), fit_(fit) {}

  template <typename CellOf>
  void line(const TextTable& table, const CellOf& cell_of) {
    std::size_t blanks = 0;  // blanks before the next text: none at the end of a line
    for (const ShownColumn& one : shown_) {
      const auto [text, escape] = cell_of(one.index);
      const std::string fitted = cut(printable(text), one.width);
      const std::size_t padding = one.width - display_width(fitted);
      const bool left = table.columns()[one.index].align == Align::kLeft;
      if (!left) blanks += padding;
      if (!fitted.empty()) {
        text_.append(blanks, ' ');
        blanks = 0;
        const bool is_coloured = fit_.colours && *escape != '\0';
        text_ += is_coloured ? escape + fitted + kPlain : fitted;
      }
      blanks += kGap + (left ? padding : 0);
    }
    text_ += '\n';
  }
  void rule() { text_.append(total(shown_), '-') += '\n'; }

  std::string finish() {
    for (std::size_t n = 0; n < cut_.size(); ++n) {
      text_ += wrap(fmt::format("#{}: {}", n + 1, cut_[n]), fit_.width, kNoteIndent) + '\n';
    }
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kNoteIndent = 4;

  std::string cut(std::string text, std::size_t width) {
    if (display_width(text) <= width) return text;
    auto found = std::ranges::find(cut_, text);
    if (found == cut_.end()) found = cut_.insert(found, text);
    const std::string mark = fmt::format("…#{}", found - cut_.begin() + 1);
    return std::string(beginning_of(text, width - std::min(width, display_width(mark)))) + mark;
  }

  const std::vector<ShownColumn>& shown_;
  const TableFit& fit_;
  std::string text_;
  std::vector<std::string> cut_;
};

}  // namespace

void TextTable::add_row(std::vector<Cell> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

TextTable TextTable::written() const {
  TextTable table = *this;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::vector<TableNumber> numbers;
    for (const auto& row : rows_) {
      if (row[c].number) numbers.push_back(*row[c].number);
    }
    if (numbers.empty()) continue;
    const NumberFormat format = number_format(numbers, columns_[c].units);
    Column& column = table.columns_[c];
    if (format.unit != nullptr) {
      column.unit = format.unit->name;
      if (!column.header[1].empty()) column.header[1] = column.unit;
    }
    for (auto& row : table.rows_) {
      if (row[c].number) row[c].text = to_text(*std::exchange(row[c].number, {}), format);
    }
  }
  return table;
}

FittedTable TextTable::fitted(const TableFit& fit) const {
  const bool has_numbers = std::ranges::any_of(rows_, [](const auto& row) {
    return std::ranges::any_of(row, [](const Cell& cell) { return cell.number.has_value(); });
  });
  if (has_numbers) return written().fitted(fit);
  std::vector<ShownColumn> columns = shown_columns(*this, fit.max_rank);
  fit_columns(columns, fit.width);

  FittedTable result;
  for (const ShownColumn& one : columns) result.max_rank = std::max(result.max_rank, one.rank);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].shown == Shown::kAlways &&
        !std::ranges::count(columns, c, &ShownColumn::index)) {
      result.left_out.push_back(columns_[c].label);
    }
  }

  struct Piece {
    std::string text;
    const char* escape;
  };
  Writer writer(columns, fit);
  const bool has_units = std::ranges::any_of(
      columns, [&](const ShownColumn& one) { return !header_of(columns_[one.index])[1].empty(); });
  for (std::size_t n = 0; n < (has_units ? 2 : 1); ++n) {
    writer.line(*this, [&](std::size_t c) { return Piece{header_of(columns_[c])[n], kBold}; });
  }
  writer.rule();
  for (const auto& row : rows_) {
    writer.line(*this, [&](std::size_t c) { return Piece{row[c].text, escape_of(row[c].tone)}; });
  }
  result.text = writer.finish();
  return result;
}

}  // namespace fredsim
