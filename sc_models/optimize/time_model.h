// SPDX-License-Identifier: Apache-2.0
// Time of a workload as a function of the bandwidth of each dimension: a sum of maxima, convex.
//
// A term is a collective: its bytes in each dimension; the dimensions work at the same time on
//   chunks of it, so it takes the longest of
//   bytes / bandwidth. A step takes the longest of its branches, each a constant and some terms one
//   after the other; steps follow each
//   other. Latencies are left out.
// Units: bytes and GB/s, so ns.
// Source: Won et al., LIBRA, ISPASS 2024, §IV.
#pragma once

#include <cstddef>
#include <vector>

namespace fredsim {

struct TimeBranch {
  double constant_ns = 0;
  std::vector<double> weights{};  // by term; missing ones are 0
  bool operator==(const TimeBranch&) const = default;
};

struct TimeStep {
  double times = 1;
  std::vector<TimeBranch> branches{};  // two or more
};

class TimeModel {
 public:
  explicit TimeModel(std::size_t dimensions) : dimensions_(dimensions) {}

  std::size_t dimensions() const { return dimensions_; }
  // Into a branch: a collective, `times` of it. Collectives in proportion share a term.
  void add_to(TimeBranch& branch, const std::vector<double>& bytes, double times = 1);
  // A step of its own; one branch alone is added to what comes one after the other.
  void add(const std::vector<TimeBranch>& branches);
  // All of another one, so many times.
  void add(const TimeModel& other, double times);

  double time_ns(const std::vector<double>& gbps) const;

  const std::vector<std::vector<double>>& terms() const { return terms_; }
  const TimeBranch& serial() const { return serial_; }
  const std::vector<TimeStep>& steps() const { return steps_; }
  // By dimension: bytes of everything.
  std::vector<double> bytes() const;

 private:
  double branch_ns(const TimeBranch& branch, const std::vector<double>& terms_ns) const;

  std::size_t dimensions_;
  std::vector<std::vector<double>> terms_{};  // bytes by dimension
  TimeBranch serial_{};
  std::vector<TimeStep> steps_{};
};

}  // namespace fredsim
