// SPDX-License-Identifier: Apache-2.0
// Cells of tables, and tables whose columns define their cells.
//
// Numbers are rounded for people, by column (base/table_numbers.h), and exact for programs;
// Cell{"-", ""} is a number that does not exist.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text_table.h"
#include "results/energy.h"

namespace fredsim {

inline Cell count_cell(std::uint64_t count) { return fmt::to_string(count); }
inline Cell no_cell() { return {"-", ""}; }
// `decimals`: minimum.
inline Cell number_cell(double value, int decimals) {
  return {TableNumber{value, decimals}, fmt::to_string(value)};
}
// Share in [0, 1], shown to people as a percentage.
inline Cell percent_cell(double share, int decimals = 1) {
  return {TableNumber{100 * share, decimals, " %"}, fmt::to_string(share)};
}
// Bytes; in CSV as a plain number, for people in the unit of the column.
inline Cell bytes_cell(std::uint64_t bytes) {
  return {TableNumber{static_cast<double>(bytes), 1}, fmt::to_string(bytes)};
}

// Stated error, rounded up, so that only an exact 0 is shown as 0.
inline Cell error_cell(double percent) {
  constexpr double kRounded = 1e-9;
  const double tenths = std::ceil(std::max(percent * 10 - kRounded, 0.0));
  return {fmt::format("{:.1f}", tenths / 10), fmt::to_string(percent)};
}

// Energy in pJ, or in a unit of `pj` pJ, over `per`; "-" if it is not known.
inline Cell energy_cell(const std::optional<EnergyResult>& energy, double per, double pj = 1) {
  if (!energy || !energy->missing.empty() || per <= 0) return no_cell();
  return number_cell(energy->total / pj / per, 3);
}

template <typename Row>
struct Field {
  Column column;
  std::function<Cell(const Row&)> cell;
};

template <typename Row>
TextTable table_of(const std::vector<Field<Row>>& fields, const std::vector<Row>& rows) {
  std::vector<Column> columns;
  columns.reserve(fields.size());
  for (const Field<Row>& field : fields) columns.push_back(field.column);
  TextTable table(std::move(columns));
  for (const Row& row : rows) {
    std::vector<Cell> cells;
    cells.reserve(fields.size());
    for (const Field<Row>& field : fields) cells.push_back(field.cell(row));
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace fredsim
