#include "base/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/text_width.h"

namespace fredsim {

namespace {

constexpr std::size_t kGap = 2;  // blanks between columns
constexpr std::size_t kShortestName =
    12;                                   // to which a name is shortened while there is another way
constexpr std::size_t kShortestText = 8;  // and at all
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

// A column on its way onto the page.
struct Lane {
  std::size_t column = 0;
  int rank = 0;
  bool can_shrink = false;
  std::size_t header = 0;   // width
  std::size_t natural = 0;  // width that nothing is cut at
  std::size_t width = 0;
};

std::size_t total(const std::vector<Lane>& lanes) {
  std::size_t width = lanes.empty() ? 0 : kGap * (lanes.size() - 1);
  for (const Lane& lane : lanes) width += lane.width;
  return width;
}

std::vector<Lane> lanes_of(const TextTable& table, int max_rank) {
  std::vector<Lane> lanes;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Column& column = table.columns()[c];
    if (column.shown != Shown::kEverywhere || column.rank > max_rank) continue;
    const auto [title, unit] = header_of(column);
    Lane lane{.column = c, .rank = column.rank, .can_shrink = column.align == Align::kLeft};
    lane.header = std::max(display_width(title), display_width(unit));
    lane.natural = lane.header;
    for (const auto& row : table.rows()) {
      lane.natural = std::max(lane.natural, display_width(row[c].text));
    }
    lane.width = lane.natural;
    lanes.push_back(lane);
  }
  return lanes;
}

// Cuts the widest names until the table fits or none is wider than `shortest`.
void shrink(std::vector<Lane>& lanes, std::size_t width, std::size_t shortest) {
  while (total(lanes) > width) {
    Lane* widest = nullptr;
    for (Lane& lane : lanes) {
      const bool can = lane.can_shrink && lane.width > std::max(shortest, lane.header);
      if (can && (widest == nullptr || lane.width > widest->width)) widest = &lane;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
}

// Room that is left goes back to names that were cut, from the left.
void widen(std::vector<Lane>& lanes, std::size_t width) {
  for (Lane& lane : lanes) {
    const std::size_t used = total(lanes);
    if (used >= width) return;
    lane.width = std::min(lane.natural, lane.width + width - used);
  }
}

void fit_lanes(std::vector<Lane>& lanes, std::size_t width) {
  if (total(lanes) <= width) return;
  for (Lane& lane : lanes) {
    const std::size_t cap = std::max({lane.header, kShortestName, width * 3 / 10});
    if (lane.can_shrink) lane.width = std::min(lane.natural, cap);
  }
  for (;;) {
    const auto last = std::ranges::max_element(lanes, {}, &Lane::rank);
    if (total(lanes) <= width || last->rank == 0) break;
    lanes.erase(last);
  }
  shrink(lanes, width, kShortestText);
  widen(lanes, width);
}

// Lines cell by cell, and the notes on those that were cut.
class Writer {
 public:
  Writer(const std::vector<Lane>& lanes, const TableFit& fit) : lanes_(lanes), fit_(fit) {}

  template <typename CellOf>
  void line(const TextTable& table, const CellOf& cell_of) {
    std::size_t blanks = 0;  // before the next text: none at the end of a line
    for (const Lane& lane : lanes_) {
      const auto [text, escape] = cell_of(lane.column);
      const std::string shown = cut(printable(text), lane.width);
      const std::size_t padding = lane.width - display_width(shown);
      const bool left = table.columns()[lane.column].align == Align::kLeft;
      if (!left) blanks += padding;
      if (!shown.empty()) {
        text_.append(blanks, ' ');
        blanks = 0;
        const bool is_coloured = fit_.colours && *escape != '\0';
        text_ += is_coloured ? escape + shown + kPlain : shown;
      }
      blanks += kGap + (left ? padding : 0);
    }
    text_ += '\n';
  }
  void rule() { text_.append(total(lanes_), '-') += '\n'; }

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

  const std::vector<Lane>& lanes_;
  const TableFit& fit_;
  std::string text_;
  std::vector<std::string> cut_;
};

}  // namespace

void TextTable::add_row(std::vector<Cell> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

FittedTable TextTable::fitted(const TableFit& fit) const {
  std::vector<Lane> lanes = lanes_of(*this, fit.max_rank);
  fit_lanes(lanes, fit.width);

  FittedTable result;
  for (const Lane& lane : lanes) result.max_rank = std::max(result.max_rank, lane.rank);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].shown == Shown::kEverywhere && !std::ranges::count(lanes, c, &Lane::column)) {
      result.left_out.push_back(columns_[c].label);
    }
  }

  struct Piece {
    std::string text;
    const char* escape;
  };
  Writer writer(lanes, fit);
  const bool has_units = std::ranges::any_of(
      lanes, [&](const Lane& lane) { return !header_of(columns_[lane.column])[1].empty(); });
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
