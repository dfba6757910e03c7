// SPDX-License-Identifier: Apache-2.0
#include "optimize/allocation_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace fredsim {

AllocationSpace::AllocationSpace(std::vector<std::string> dimensions, double total_gbps)
    : dimensions_(std::move(dimensions)), total_(total_gbps) {
  if (!(total_gbps > 0)) {
    throw BadInput(fmt::format("--total: found {:g} GB/s; allowed: more than 0 GB/s", total_gbps));
  }
  add(std::vector<double>(size(), 1.0), Relation::kEqual, total_gbps,
      fmt::format("--total {:g}GB/s", total_gbps));
}

int AllocationSpace::index_of(const std::string& dimension, const std::string& text) const {
  const auto found = std::ranges::find(dimensions_, dimension);
  if (found == dimensions_.end()) {
    throw BadInput(fmt::format("{}: found dimension '{}'; allowed: {}", text, dimension,
                               fmt::join(dimensions_, ", ")));
  }
  return static_cast<int>(found - dimensions_.begin());
}

void AllocationSpace::add(std::vector<double> weights, Relation relation, double bound,
                          const std::string& text) {
  rows_.push_back(
      {.weights = std::move(weights), .relation = relation, .bound = bound, .text = text});
}

void AllocationSpace::add_at_least(const std::string& dimension, double gbps,
                                   const std::string& text) {
  std::vector<double> weights(size(), 0.0);
  weights[index_of(dimension, text)] = 1;
  add(std::move(weights), Relation::kAtLeast, gbps, text);
}

void AllocationSpace::add_at_most(const std::string& dimension, double gbps,
                                  const std::string& text) {
  std::vector<double> weights(size(), 0.0);
  weights[index_of(dimension, text)] = 1;
  add(std::move(weights), Relation::kAtMost, gbps, text);
}

void AllocationSpace::add_sum(const std::vector<std::string>& dimensions, double gbps,
                              const std::string& text) {
  std::vector<double> weights(size(), 0.0);
  for (const std::string& dimension : dimensions) weights[index_of(dimension, text)] = 1;
  add(std::move(weights), Relation::kEqual, gbps, text);
}

void AllocationSpace::add_descending(const std::string& text) {
  for (std::size_t d = 0; d + 1 < size(); ++d) {
    std::vector<double> weights(size(), 0.0);
    weights[d] = 1;
    weights[d + 1] = -1;
    add(std::move(weights), Relation::kAtLeast, 0, text);
  }
}

void AllocationSpace::check() const {
  if (minimise(std::vector<double>(size(), 0.0), rows_).is_feasible) return;
  std::vector<std::string> texts;
  for (const LinearRow& row : clashing_rows(size(), rows_))
    if (std::ranges::find(texts, row.text) == texts.end()) texts.push_back(row.text);
  throw BadInput(fmt::format("found no allocation for {}; allowed: any without one of these",
                             fmt::join(texts, ", ")));
}

double AllocationSpace::violation(const std::vector<double>& gbps) const {
  double most = 0;
  for (const double own : gbps) most = std::max(most, -own);
  for (const LinearRow& row : rows_) {
    double sum = -row.bound;
    for (std::size_t d = 0; d < size(); ++d) sum += row.weights[d] * gbps[d];
    if (row.relation == Relation::kAtLeast) sum = -sum;
    if (row.relation == Relation::kEqual) sum = std::abs(sum);
    most = std::max(most, sum);
  }
  return most / total_;
}

std::vector<double> AllocationSpace::centre() const {
  // Adds a variable: the distance that every inequality keeps.
  std::vector<LinearRow> rows = rows_;
  for (LinearRow& row : rows) {
    row.weights.push_back(row.relation == Relation::kEqual     ? 0.0
                          : row.relation == Relation::kAtLeast ? -1.0
                                                               : 1.0);
  }
  for (std::size_t d = 0; d < size(); ++d) {
    LinearRow& row = rows.emplace_back();
    row.weights.assign(size() + 1, 0.0);
    row.weights[d] = 1;
    row.weights.back() = -1;
    row.relation = Relation::kAtLeast;
  }
  std::vector<double> cost(size() + 1, 0.0);
  cost.back() = -1;
  std::vector<double> found = minimise(cost, rows).values;
  found.pop_back();
  return found;
}

}  // namespace fredsim
