// SPDX-License-Identifier: Apache-2.0
// Allowed allocations of bandwidth per NPU to the dimensions of a system, or to the levels of a
// tree.
//
// Constraints: the allocations add up to the total; optionally bounds of dimensions, sums of some
//   dimensions, and a descending order.
// Units: GB/s of an NPU, per direction.
// Errors: BadInput for an unknown dimension and for a total of 0 or less; from check(), if no
//   allocation is allowed, with the constraints that clash.
#pragma once

#include <string>
#include <vector>

#include "optimize/linear_program.h"

namespace fredsim {

class AllocationSpace {
 public:
  AllocationSpace(std::vector<std::string> dimensions, double total_gbps);

  // `text`: the constraint as the user gave it, for messages.
  void add_at_least(const std::string& dimension, double gbps, const std::string& text);
  void add_at_most(const std::string& dimension, double gbps, const std::string& text);
  void add_sum(const std::vector<std::string>& dimensions, double gbps, const std::string& text);
  // Constraint: each dimension gets at least as much as the next one.
  void add_descending(const std::string& text);
  void check() const;

  const std::vector<std::string>& dimensions() const { return dimensions_; }
  std::size_t size() const { return dimensions_.size(); }
  double total() const { return total_; }
  const std::vector<LinearRow>& rows() const { return rows_; }
  // Largest violation of a constraint, as a share of the total; 0: the allocation is allowed.
  double violation(const std::vector<double>& gbps) const;
  // Centre of the allowed region: maximises the smallest distance to any bound.
  std::vector<double> centre() const;

 private:
  int index_of(const std::string& dimension, const std::string& text) const;
  void add(std::vector<double> weights, Relation relation, double bound, const std::string& text);

  std::vector<std::string> dimensions_;
  double total_;
  std::vector<LinearRow> rows_;
};

}  // namespace fredsim
