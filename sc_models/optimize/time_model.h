// SPDX-License-Identifier: Apache-2.0
// Time of a workload as a function of the bandwidth of each dimension: a sum of maxima, convex.
//
// A term is a collective: its bytes in each dimension. The dimensions work on its chunks in
//   parallel, so it takes the maximum of bytes / bandwidth. A step takes as long as its longest
//   branch, which is a constant plus a sum of terms; steps are serial. Latencies are left out.
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
  // Adds a collective to a branch, `times` of it. Collectives in proportion share a term.
  void add_to(TimeBranch& branch, const std::vector<double>& bytes, double times = 1);
  // Adds a step of its own; a single branch is added to the serial part.
  void add(const std::vector<TimeBranch>& branches);
  // Adds all of another model `times` times.
  void add(const TimeModel& other, double times);

  double time_ns(const std::vector<double>& gbps) const;

  const std::vector<std::vector<double>>& terms() const { return terms_; }
  const TimeBranch& serial() const { return serial_; }
  const std::vector<TimeStep>& steps() const { return steps_; }
  // Total bytes of each dimension.
  std::vector<double> bytes() const;

 private:
  double branch_ns(const TimeBranch& branch, const std::vector<double>& terms_ns) const;

  std::size_t dimensions_;
  std::vector<std::vector<double>> terms_{};  // bytes by dimension
  TimeBranch serial_{};
  std::vector<TimeStep> steps_{};
};

}  // namespace fredsim
