// SPDX-License-Identifier: Apache-2.0
#include "optimize/time_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fredsim {
namespace {

void add_weight(TimeBranch& branch, std::size_t term, double weight) {
  if (branch.weights.size() <= term) branch.weights.resize(term + 1, 0.0);
  branch.weights[term] += weight;
}

// Ratio of `bytes` to `term`; 0: they are not proportional.
double proportion(const std::vector<double>& bytes, const std::vector<double>& term) {
  constexpr double kNear = 1e-12;
  const auto largest = std::ranges::max_element(bytes) - bytes.begin();
  if (!(term[largest] > 0)) return 0;
  const double factor = bytes[largest] / term[largest];
  for (std::size_t d = 0; d < bytes.size(); ++d)
    if (std::abs(bytes[d] - factor * term[d]) > kNear * bytes[largest]) return 0;
  return factor;
}

}  // namespace

void TimeModel::add_to(TimeBranch& branch, const std::vector<double>& bytes, double times) {
  if (std::ranges::all_of(bytes, [](double b) { return b == 0; })) return;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const double factor = proportion(bytes, terms_[t]);
    if (factor > 0) return add_weight(branch, t, factor * times);
  }
  terms_.push_back(bytes);
  add_weight(branch, terms_.size() - 1, times);
}

void TimeModel::add(const std::vector<TimeBranch>& branches) {
  if (branches.size() == 1) {
    serial_.constant_ns += branches[0].constant_ns;
    for (std::size_t t = 0; t < branches[0].weights.size(); ++t)
      add_weight(serial_, t, branches[0].weights[t]);
    return;
  }
  const auto same = std::ranges::find(steps_, branches, &TimeStep::branches);
  if (same != steps_.end()) {
    ++same->times;
  } else {
    steps_.push_back({.times = 1, .branches = branches});
  }
}

void TimeModel::add(const TimeModel& other, double times) {
  const auto own = [&](const TimeBranch& of_other) {
    TimeBranch branch{.constant_ns = of_other.constant_ns};
    for (std::size_t t = 0; t < of_other.weights.size(); ++t)
      if (of_other.weights[t] > 0) add_to(branch, other.terms_[t], of_other.weights[t]);
    return branch;
  };
  const TimeBranch serial = own(other.serial_);
  serial_.constant_ns += times * serial.constant_ns;
  for (std::size_t t = 0; t < serial.weights.size(); ++t)
    add_weight(serial_, t, times * serial.weights[t]);
  for (const TimeStep& step : other.steps_) {
    TimeStep& mine = steps_.emplace_back();
    mine.times = times * step.times;
    for (const TimeBranch& branch : step.branches) mine.branches.push_back(own(branch));
  }
}

double TimeModel::branch_ns(const TimeBranch& branch, const std::vector<double>& terms_ns) const {
  double ns = branch.constant_ns;
  for (std::size_t t = 0; t < branch.weights.size(); ++t)
    if (branch.weights[t] > 0) ns += branch.weights[t] * terms_ns[t];
  return ns;
}

double TimeModel::time_ns(const std::vector<double>& gbps) const {
  std::vector<double> terms_ns(terms_.size(), 0.0);
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      if (terms_[t][d] == 0) continue;
      terms_ns[t] = std::max(terms_ns[t], gbps[d] > 0 ? terms_[t][d] / gbps[d]
                                                      : std::numeric_limits<double>::infinity());
    }
  }
  double ns = branch_ns(serial_, terms_ns);
  for (const TimeStep& step : steps_) {
    double most = 0;
    for (const TimeBranch& branch : step.branches)
      most = std::max(most, branch_ns(branch, terms_ns));
    ns += step.times * most;
  }
  return ns;
}

std::vector<double> TimeModel::bytes() const {
  std::vector<double> all(dimensions_, 0.0);
  const auto add_branch = [&](const TimeBranch& branch, double times) {
    for (std::size_t t = 0; t < branch.weights.size(); ++t)
      for (std::size_t d = 0; d < dimensions_; ++d)
        all[d] += times * branch.weights[t] * terms_[t][d];
  };
  add_branch(serial_, 1);
  for (const TimeStep& step : steps_)
    for (const TimeBranch& branch : step.branches) add_branch(branch, step.times);
  return all;
}

}  // namespace fredsim
