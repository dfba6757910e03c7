// SPDX-License-Identifier: Apache-2.0
#include "optimize/linear_program.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fredsim {
namespace {

constexpr double kLinearZero = 1e-9;

// Columns: variables, slacks, artificials, the bounds last. Rows: constraints, the reduced costs
// last.
class SimplexTable {
 public:
  SimplexTable(std::size_t variables, std::span<const LinearRow> rows) : variables_(variables) {
    const std::size_t slacks =
        std::ranges::count_if(rows, [](const auto& r) { return r.relation != Relation::kEqual; });
    artificial_ = variables + slacks;
    columns_ = artificial_ + rows.size();
    std::size_t slack = variables;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const LinearRow& row = rows[r];
      if (row.weights.size() != variables) throw std::logic_error("a row of another length");
      double scale = 0;
      for (const double w : row.weights) scale = std::max(scale, std::abs(w));
      if (scale == 0) scale = 1;
      if (row.bound < 0) scale = -scale;
      std::vector<double>& entries = table_.emplace_back(columns_ + 1, 0.0);
      for (std::size_t v = 0; v < variables; ++v) entries[v] = row.weights[v] / scale;
      if (row.relation != Relation::kEqual)
        entries[slack++] = (row.relation == Relation::kAtMost ? 1.0 : -1.0) * (scale < 0 ? -1 : 1);
      entries[artificial_ + r] = 1;
      entries[columns_] = row.bound / scale;
      largest_ = std::max(largest_, entries[columns_]);
      basis_.push_back(artificial_ + r);
    }
  }

  bool find_feasible() {
    std::vector<double> cost(columns_, 0.0);
    std::fill(cost.begin() + static_cast<std::ptrdiff_t>(artificial_), cost.end(), 1.0);
    solve(cost, columns_);
    if (-costs_[columns_] > kLinearZero * std::max(1.0, largest_)) return false;
    for (std::size_t r = 0; r < table_.size(); ++r) {  // artificials at zero: out, where they can
      if (basis_[r] < artificial_) continue;
      for (std::size_t c = 0; c < artificial_; ++c) {
        if (std::abs(table_[r][c]) <= kLinearZero) continue;
        pivot(r, c);
        break;
      }
    }
    return true;
  }

  // False: without bound.
  bool improve(std::span<const double> cost) {
    std::vector<double> all(columns_, 0.0);
    std::ranges::copy(cost, all.begin());
    return solve(all, artificial_);
  }

  std::vector<double> values() const {
    std::vector<double> found(variables_, 0.0);
    for (std::size_t r = 0; r < table_.size(); ++r)
      if (basis_[r] < variables_) found[basis_[r]] = std::max(0.0, table_[r][columns_]);
    return found;
  }

 private:
  void pivot(std::size_t row, std::size_t column) {
    std::vector<double>& entries = table_[row];
    const double by = entries[column];
    for (double& e : entries) e /= by;
    const auto clear = [&](std::vector<double>& other) {
      const double times = other[column];
      if (times == 0) return;
      for (std::size_t c = 0; c <= columns_; ++c) other[c] -= times * entries[c];
      other[column] = 0;
    };
    for (std::size_t r = 0; r < table_.size(); ++r)
      if (r != row) clear(table_[r]);
    if (!costs_.empty()) clear(costs_);
    basis_[row] = column;
  }

  // Columns before `usable` may enter.
  bool solve(const std::vector<double>& cost, std::size_t usable) {
    costs_ = cost;
    costs_.push_back(0);
    for (std::size_t r = 0; r < table_.size(); ++r) {
      const double times = costs_[basis_[r]];
      for (std::size_t c = 0; c <= columns_ && times != 0; ++c) costs_[c] -= times * table_[r][c];
    }
    while (true) {
      std::size_t column = 0;
      while (column < usable && costs_[column] >= -kLinearZero) ++column;
      if (column == usable) return true;
      std::size_t row = table_.size();
      for (std::size_t r = 0; r < table_.size(); ++r) {
        if (table_[r][column] <= kLinearZero) continue;
        if (row == table_.size()) {
          row = r;
          continue;
        }
        const double ratio = table_[r][columns_] / table_[r][column];
        const double best = table_[row][columns_] / table_[row][column];
        if (ratio < best || (ratio == best && basis_[r] < basis_[row])) row = r;
      }
      if (row == table_.size()) return false;
      pivot(row, column);
    }
  }

  std::size_t variables_, artificial_ = 0, columns_ = 0;
  double largest_ = 0;
  std::vector<std::vector<double>> table_;
  std::vector<double> costs_;
  std::vector<std::size_t> basis_;
};

}  // namespace

LinearSolution minimise(std::span<const double> cost, std::span<const LinearRow> rows) {
  SimplexTable table(cost.size(), rows);
  LinearSolution solution;
  solution.is_feasible = table.find_feasible();
  if (!solution.is_feasible) return solution;
  solution.is_bounded = table.improve(cost);
  solution.values = table.values();
  for (std::size_t v = 0; v < cost.size(); ++v) solution.cost += cost[v] * solution.values[v];
  return solution;
}

std::vector<LinearRow> clashing_rows(std::size_t variables, std::span<const LinearRow> rows) {
  const std::vector<double> none(variables, 0.0);
  std::vector<LinearRow> left(rows.begin(), rows.end());
  for (std::size_t r = 0; r < left.size();) {
    std::vector<LinearRow> without = left;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(r));
    if (minimise(none, without).is_feasible) {
      ++r;
    } else {
      left = std::move(without);
    }
  }
  return left;
}

}  // namespace fredsim
