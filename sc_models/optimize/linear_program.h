// SPDX-License-Identifier: Apache-2.0
// Small linear programs: a few variables, 0 or more each, and a few dozen rows.
//
// Method: two-phase simplex in a dense table with Bland's rule, so that it terminates. Rows are
//   scaled by their largest weight; values below 1e-9 of it count as zero.
// Errors: std::logic_error for rows whose length is not the number of variables.
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
  std::string text{};  // text of the constraint, for messages
};

struct LinearSolution {
  bool is_feasible = false;
  bool is_bounded = true;
  std::vector<double> values{};
  double cost = 0;
};

// Minimum of cost · values.
LinearSolution minimise(std::span<const double> cost, std::span<const LinearRow> rows);

// Irreducible infeasible subset of rows that have no solution, in their order: satisfiable without
// any one of its rows.
std::vector<LinearRow> clashing_rows(std::size_t variables, std::span<const LinearRow> rows);

}  // namespace fredsim
