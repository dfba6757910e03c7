// SPDX-License-Identifier: Apache-2.0
#include "traffic/rate_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/file_text.h"
#include "base/number_text.h"
#include "base/option_words.h"

namespace fredsim {
namespace {

constexpr const char* kOption = "--pattern";
constexpr std::size_t kMaxShown = 40;  // characters of a value in a message

std::string_view trimmed(std::string_view text) {
  constexpr const char* kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

class MatrixReader {
 public:
  explicit MatrixReader(const std::string& file) : file_(file) {}

  RateMatrix read() {
    const std::string text = text_of_option(file_, kOption);
    RateMatrix matrix{.file = file_, .rows = {}};
    for (const std::string_view line : split_at(text, '\n')) {
      ++line_;
      const std::string_view filled = trimmed(line);
      if (filled.empty() || filled.front() == '#') continue;
      matrix.rows.push_back(row_of(filled, matrix.nodes()));
    }
    if (matrix.nodes() != columns_ || columns_ == 0) {
      throw BadInput(fmt::format(
          "{} {}: found {} rows of {} rates; allowed: as many rows as rates in each, one per NPU",
          kOption, file_, matrix.nodes(), columns_));
    }
    return matrix;
  }

 private:
  std::vector<std::pair<int, double>> row_of(std::string_view line, int source) {
    const std::vector<std::string_view> cells = split_at(line, ',');
    const int columns = static_cast<int>(cells.size());
    if (columns_ == 0) columns_ = columns;
    if (columns != columns_)
      throw BadInput(fmt::format("{} {}:{}: found {} rates; allowed: {}, as in the first row",
                                 kOption, file_, line_, columns, columns_));
    std::vector<std::pair<int, double>> row;
    for (int column = 0; column < columns; ++column) {
      const double rate = rate_of(trimmed(cells[column]), column);
      if (rate > 0 && column == source) refuse(cells[column], column, "0, from an NPU to itself");
      if (rate > 0) row.emplace_back(column, rate);
    }
    return row;
  }

  double rate_of(std::string_view cell, int column) const {
    const std::optional<double> rate = to_double(cell);
    if (!rate || (*rate != 0 && (*rate < kMinRelativeRate || *rate > kMaxRelativeRate)))
      refuse(cell, column,
             fmt::format("a rate, 0 or {:g} to {:g}", kMinRelativeRate, kMaxRelativeRate));
    return *rate;
  }

  [[noreturn]] void refuse(std::string_view cell, int column, const std::string& allowed) const {
    throw BadInput(fmt::format("{} {}:{}: found '{}' in column {}; allowed: {}", kOption, file_,
                               line_, trimmed(cell).substr(0, kMaxShown), column + 1, allowed));
  }

  const std::string& file_;
  int line_ = 0;
  int columns_ = 0;
};

}  // namespace

double RateMatrix::sum_of(int source) const {
  double sum = 0;
  for (const auto& [destination, rate] : rows[source]) sum += rate;
  return sum;
}

double RateMatrix::largest_sum() const {
  double largest = 0;
  for (int source = 0; source < nodes(); ++source) largest = std::max(largest, sum_of(source));
  return largest;
}

RateMatrix read_rate_matrix(const std::string& file) { return MatrixReader(file).read(); }

}  // namespace fredsim
