// SPDX-License-Identifier: Apache-2.0
// Rates from every node to every other one, relative to the injection rate, as a file has them.
//
// File: comma-separated values, a line per source and a column per destination, in order of rank;
//   lines that are empty or begin with '#' do not count. Row s, column d: flits per cycle from s to d
//   at rate 1. Zeros on the diagonal, since no node sends to itself.
// Errors: BadInput with --pattern, the file, line and column, the value found and the allowed ones:
//   not a number, below 0, out of range, a rate to itself; rows of different lengths; more or fewer
//   rows than columns.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fredsim {

inline constexpr double kMinRelativeRate = 1e-5;  // smallest rate above 0
inline constexpr double kMaxRelativeRate = 1e6;

struct RateMatrix {
  std::string file;
  std::vector<std::vector<std::pair<int, double>>> rows;  // index: source; destinations with a rate

  int nodes() const { return static_cast<int>(rows.size()); }
  double sum_of(int source) const;
  double largest_sum() const;
};

RateMatrix read_rate_matrix(const std::string& file);

}  // namespace fredsim
