// SPDX-License-Identifier: Apache-2.0
// Small linear programs: a few variables, 0 or more each, and a few dozen rows.
//
// Method: simplex in a dense table, two phases, Bland's rule, so that it always ends. Rows are
//   scaled by their largest weight; what is
//   below 1e-9 of that is zero.
// Errors: std::logic_error for rows of another length than there are variables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fredsim {

enum class Relation : std::uint8_t { kAtMost, kEqual, kAtLeast };

struct LinearRow {
  std::vector<double> weights;
  Relation relation = Relation::kAtMost;
  double bound = 0;
  std::string text{};  // as a message names it
};

struct LinearSolution {
  bool is_feasible = false;
  bool is_bounded = true;
  std::vector<double> values{};
  double cost = 0;
};

// The least cost · values.
LinearSolution minimise(std::span<const double> cost, std::span<const LinearRow> rows);

// From rows that nothing satisfies, a set that would be satisfied without any one of its own, in
// their order.
std::vector<LinearRow> clashing_rows(std::size_t variables, std::span<const LinearRow> rows);

}  // namespace fredsim
