// SPDX-License-Identifier: Apache-2.0
#include "optimize/bandwidth_search.h"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>

namespace fredsim {
namespace {

constexpr double kSearchTolerance = 1e-10;  // variables, in proportion
constexpr double kAllowedViolation = 1e-8;  // share of the total
constexpr double kLeastShare = 1e-9;        // share of the total, in a dimension that carries bytes
constexpr double kGap = 1e-6;               // to the lower bound, of the time
constexpr int kMostRestarts = 12;

// Variables: bandwidths, then terms and steps, each as a multiple of its value at the start.
class ConvexProblem {
 public:
  ConvexProblem(const TimeModel& model, const AllocationSpace& space,
                const std::vector<LinearRow>& rows)
      : model_(model), space_(space), rows_(rows) {
    terms_ = model.dimensions();
    steps_ = terms_ + model.terms().size();
    variables_ = steps_ + model.steps().size();
    for (const LinearRow& row : rows_) (row.relation == Relation::kEqual ? equal_ : unequal_) += 1;
    for (const auto& term : model.terms())
      bounds_ += std::ranges::count_if(term, [](double b) { return b > 0; });
    for (const TimeStep& step : model.steps()) bounds_ += step.branches.size();
    for (std::size_t d = 0; d < terms_; ++d)
      is_used_.push_back(
          std::ranges::any_of(model.terms(), [&](const auto& term) { return term[d] > 0; }));
  }

  // Searches from an allocation; returns the best one found, including the start.
  Optimum solve(std::vector<double> gbps, std::uint64_t max_evaluations) {
    Optimum best{.gbps = gbps, .objective = value_of(gbps), .time_ns = 0};
    double bound = 0;
    for (int i = 0; i < kMostRestarts && best.evaluations < max_evaluations; ++i) {
      begin_at(gbps);
      run(gbps, max_evaluations - best.evaluations);
      best.evaluations += evaluations_;
      const double found = value_of(gbps);
      if (found < best.objective) {
        best.gbps = gbps;
        best.objective = found;
      }
      begin_at(std::isfinite(found) ? gbps : best.gbps);
      bound = std::max(bound, lower_bound(gbps));
      best.converged =
          std::isfinite(best.objective) && best.objective - bound <= kGap * best.objective;
      if (best.converged) break;
    }
    best.time_ns = best.objective;
    return best;
  }

 private:
  // Infinite: not allowed.
  double value_of(const std::vector<double>& gbps) const {
    for (const LinearRow& row : rows_) {
      double off = -row.bound;
      double size = std::abs(row.bound);
      for (std::size_t d = 0; d < gbps.size(); ++d) {
        off += row.weights[d] * gbps[d];
        size = std::max(size, std::abs(row.weights[d]) * space_.total());
      }
      if (row.relation == Relation::kAtLeast) off = -off;
      if (row.relation == Relation::kEqual) off = std::abs(off);
      if (off > kAllowedViolation * size) return std::numeric_limits<double>::infinity();
    }
    return model_.time_ns(gbps);
  }

  void begin_at(const std::vector<double>& gbps) {
    unit_.assign(variables_, 1.0);
    for (std::size_t d = 0; d < terms_; ++d)
      unit_[d] = std::max(gbps[d], kLeastShare * space_.total());
    for (std::size_t t = 0; t < model_.terms().size(); ++t) {
      double ns = 0;
      for (std::size_t d = 0; d < terms_; ++d) ns = std::max(ns, model_.terms()[t][d] / unit_[d]);
      unit_[terms_ + t] = ns;
    }
    for (std::size_t s = 0; s < model_.steps().size(); ++s) {
      double ns = 0;
      for (const TimeBranch& branch : model_.steps()[s].branches) {
        double own = branch.constant_ns;
        for (std::size_t t = 0; t < branch.weights.size(); ++t)
          own += branch.weights[t] * unit_[terms_ + t];
        ns = std::max(ns, own);
      }
      unit_[steps_ + s] = ns > 0 ? ns : 1;
    }
    // Weights of the variables in the objective, as shares of the time that depends on bandwidths.
    weights_.assign(variables_, 0.0);
    const TimeBranch& serial = model_.serial();
    for (std::size_t t = 0; t < serial.weights.size(); ++t)
      weights_[terms_ + t] = serial.weights[t] * unit_[terms_ + t];
    for (std::size_t s = 0; s < model_.steps().size(); ++s)
      weights_[steps_ + s] = model_.steps()[s].times * unit_[steps_ + s];
    scale_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    if (scale_ <= 0) scale_ = 1;
    for (double& w : weights_) w /= scale_;
  }

  void run(std::vector<double>& gbps, std::uint64_t max_evaluations) {
    evaluations_ = 0;
    std::vector<double> x(variables_, 1.0), low(variables_, 0.0);
    for (std::size_t d = 0; d < terms_; ++d)
      if (is_used_[d]) low[d] = kLeastShare * space_.total() / unit_[d];
    const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> search(
        nlopt_create(NLOPT_LD_SLSQP, static_cast<unsigned>(variables_)), &nlopt_destroy);
    if (!search) throw std::bad_alloc();
    nlopt_set_lower_bounds(search.get(), low.data());
    nlopt_set_min_objective(search.get(), &objective, this);
    const std::vector<double> near_bounds(bounds_ + unequal_, 1e-12), near_equal(equal_, 1e-12);
    if (bounds_ + unequal_ > 0)
      nlopt_add_inequality_mconstraint(search.get(), static_cast<unsigned>(bounds_ + unequal_),
                                       &inequalities, this, near_bounds.data());
    if (equal_ > 0)
      nlopt_add_equality_mconstraint(search.get(), static_cast<unsigned>(equal_), &equalities, this,
                                     near_equal.data());
    nlopt_set_xtol_rel(search.get(), kSearchTolerance);
    nlopt_set_maxeval(search.get(), static_cast<int>(std::min<std::uint64_t>(
                                        max_evaluations, std::numeric_limits<int>::max())));
    double least = 0;
    nlopt_optimize(search.get(), x.data(), &least);
    for (std::size_t d = 0; d < terms_; ++d) gbps[d] = x[d] * unit_[d];
  }

  // Returns a lower bound of the time and moves `gbps` to its minimum: a linear program with the
  // tangents of 1 / bandwidth at all allocations so far, which never exceed 1 / bandwidth.
  double lower_bound(std::vector<double>& gbps) {
    tangents_.emplace_back(unit_.begin(), unit_.begin() + static_cast<std::ptrdiff_t>(terms_));
    const std::size_t inverses = variables_, all = variables_ + terms_;
    std::vector<LinearRow> rows;
    const auto add_row = [&](Relation relation, double bound) -> LinearRow& {
      return rows.emplace_back(LinearRow{
          .weights = std::vector<double>(all, 0.0), .relation = relation, .bound = bound});
    };
    for (const LinearRow& row : rows_) {
      LinearRow& own = add_row(row.relation, row.bound);
      for (std::size_t d = 0; d < terms_; ++d) own.weights[d] = row.weights[d] * unit_[d];
    }
    for (const std::vector<double>& tangent : tangents_) {
      for (std::size_t d = 0; d < terms_; ++d) {
        if (!is_used_[d]) continue;
        const double at = tangent[d] / unit_[d];
        LinearRow& own = add_row(Relation::kAtLeast, 2 / at);
        own.weights[inverses + d] = 1;
        own.weights[d] = 1 / (at * at);
      }
    }
    for (std::size_t t = 0; t < model_.terms().size(); ++t) {
      for (std::size_t d = 0; d < terms_; ++d) {
        if (model_.terms()[t][d] == 0) continue;
        LinearRow& own = add_row(Relation::kAtLeast, 0);
        own.weights[terms_ + t] = 1;
        own.weights[inverses + d] = -model_.terms()[t][d] / unit_[d] / unit_[terms_ + t];
      }
    }
    for (std::size_t s = 0; s < model_.steps().size(); ++s) {
      for (const TimeBranch& branch : model_.steps()[s].branches) {
        LinearRow& own = add_row(Relation::kAtLeast, branch.constant_ns / unit_[steps_ + s]);
        own.weights[steps_ + s] = 1;
        for (std::size_t t = 0; t < branch.weights.size(); ++t)
          own.weights[terms_ + t] -= branch.weights[t] * unit_[terms_ + t] / unit_[steps_ + s];
      }
    }
    std::vector<double> cost = weights_;
    cost.resize(all, 0.0);
    const LinearSolution least = minimise(cost, rows);
    if (!least.is_feasible || !least.is_bounded) return 0;
    for (std::size_t d = 0; d < terms_; ++d) gbps[d] = (gbps[d] + least.values[d] * unit_[d]) / 2;
    return model_.serial().constant_ns + least.cost * scale_;
  }

  static double objective(unsigned n, const double* x, double* gradient, void* of) {
    auto& self = *static_cast<ConvexProblem*>(of);
    ++self.evaluations_;
    if (gradient != nullptr) std::ranges::copy(self.weights_, gradient);
    return std::inner_product(x, x + n, self.weights_.begin(), 0.0);
  }

  void linear(Relation relation, const double* x, double*& value, double*& gradient) const {
    for (const LinearRow& row : rows_) {
      if ((row.relation == Relation::kEqual) != (relation == Relation::kEqual)) continue;
      double size = std::abs(row.bound);
      for (std::size_t d = 0; d < terms_; ++d)
        size = std::max(size, std::abs(row.weights[d]) * unit_[d]);
      const double factor = (row.relation == Relation::kAtLeast ? -1 : 1) / size;
      *value = -factor * row.bound;
      for (std::size_t d = 0; d < terms_; ++d) {
        *value += factor * row.weights[d] * unit_[d] * x[d];
        if (gradient != nullptr) gradient[d] = factor * row.weights[d] * unit_[d];
      }
      ++value;
      if (gradient != nullptr) gradient += variables_;
    }
  }

  static void equalities(unsigned rows, double* value, unsigned /*n*/, const double* x,
                         double* gradient, void* of) {
    const auto& self = *static_cast<ConvexProblem*>(of);
    if (gradient != nullptr) std::fill(gradient, gradient + rows * self.variables_, 0.0);
    self.linear(Relation::kEqual, x, value, gradient);
  }

  static void inequalities(unsigned rows, double* value, unsigned /*n*/, const double* x,
                           double* gradient, void* of) {
    const auto& self = *static_cast<ConvexProblem*>(of);
    const std::vector<double>& unit = self.unit_;
    if (gradient != nullptr) std::fill(gradient, gradient + rows * self.variables_, 0.0);
    self.linear(Relation::kAtMost, x, value, gradient);
    const auto next = [&] {
      ++value;
      if (gradient != nullptr) gradient += self.variables_;
    };
    for (std::size_t t = 0; t < self.model_.terms().size(); ++t) {
      const std::size_t term = self.terms_ + t;
      for (std::size_t d = 0; d < self.terms_; ++d) {
        const double share = self.model_.terms()[t][d] / unit[d] / unit[term];
        if (share == 0) continue;
        *value = share / x[d] - x[term];
        if (gradient != nullptr) {
          gradient[d] = -share / (x[d] * x[d]);
          gradient[term] = -1;
        }
        next();
      }
    }
    for (std::size_t s = 0; s < self.model_.steps().size(); ++s) {
      const std::size_t step = self.steps_ + s;
      for (const TimeBranch& branch : self.model_.steps()[s].branches) {
        *value = branch.constant_ns / unit[step] - x[step];
        for (std::size_t t = 0; t < branch.weights.size(); ++t) {
          const double weight = branch.weights[t] * unit[self.terms_ + t] / unit[step];
          *value += weight * x[self.terms_ + t];
          if (gradient != nullptr) gradient[self.terms_ + t] = weight;
        }
        if (gradient != nullptr) gradient[step] = -1;
        next();
      }
    }
  }

  const TimeModel& model_;
  const AllocationSpace& space_;
  const std::vector<LinearRow>& rows_;
  std::size_t terms_ = 0, steps_ = 0, variables_ = 0;  // first of terms, first of steps, all
  std::size_t equal_ = 0, unequal_ = 0, bounds_ = 0;   // constraints
  std::vector<bool> is_used_;                          // dimensions
  std::vector<double> unit_, weights_;                 // by variable
  double scale_ = 1;
  std::vector<std::vector<double>> tangents_;  // bandwidths
  std::uint64_t evaluations_ = 0;
};

// Near the answer where all is equal to each other: by bytes.
std::vector<double> first_guess(const TimeModel& model, const AllocationSpace& space) {
  std::vector<double> gbps = model.bytes();
  double all = 0;
  for (const double b : gbps) all += b;
  for (double& b : gbps)
    b = space.total() *
        (all > 0 ? std::max(b / all, 1e-4) : 1.0 / static_cast<double>(gbps.size()));
  return gbps;
}

void check_sizes(const TimeModel& model, const AllocationSpace& space) {
  if (model.dimensions() != space.size()) throw std::logic_error("other dimensions");
  space.check();
}

}  // namespace

Optimum least_time(const TimeModel& model, const AllocationSpace& space,
                   std::uint64_t max_evaluations) {
  check_sizes(model, space);
  Optimum found =
      ConvexProblem(model, space, space.rows()).solve(first_guess(model, space), max_evaluations);
  if (std::isfinite(found.objective)) return found;
  found.gbps = space.centre();  // limit reached before any allowed allocation
  found.objective = found.time_ns = model.time_ns(found.gbps);
  return found;
}

Optimum least_time_cost(const TimeModel& model, const AllocationSpace& space,
                        const std::vector<double>& dollars, std::uint64_t max_evaluations) {
  check_sizes(model, space);
  if (dollars.size() != space.size()) throw std::logic_error("other costs");
  const auto cost_of = [&](const std::vector<double>& gbps) {
    double sum = 0;
    for (std::size_t d = 0; d < gbps.size(); ++d) sum += dollars[d] * gbps[d];
    return sum;
  };
  std::vector<double> negative = dollars;
  for (double& d : negative) d = -d;
  const double low = minimise(dollars, space.rows()).cost;
  const double high = -minimise(negative, space.rows()).cost;
  Optimum best = least_time(model, space, max_evaluations);
  best.objective = best.time_ns * cost_of(best.gbps);
  if (high - low <= 1e-9 * high) return best;
  std::uint64_t evaluations = best.evaluations;
  bool is_complete = true;
  std::vector<double> start = best.gbps;
  const auto at = [&](double cost) {
    if (evaluations >= max_evaluations) {
      is_complete = false;
      return std::numeric_limits<double>::infinity();
    }
    std::vector<LinearRow> rows = space.rows();
    rows.push_back({.weights = dollars, .relation = Relation::kEqual, .bound = cost});
    Optimum found = ConvexProblem(model, space, rows).solve(start, max_evaluations - evaluations);
    evaluations += found.evaluations;
    if (!std::isfinite(found.time_ns)) return found.time_ns;  // a dimension has no bandwidth left
    found.objective = found.time_ns * cost_of(found.gbps);
    if (found.objective < best.objective) {
      best = found;
      start = found.gbps;
    }
    return found.objective;
  };
  constexpr int kGrid = 24;
  const double ratio = std::log(high / low) / kGrid;
  const auto place = [&](double step) { return low * std::exp(ratio * step); };
  int least = 0;
  double of_least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kGrid; ++i) {
    const double value = at(i == kGrid ? high : place(i));
    if (value >= of_least) continue;
    of_least = value;
    least = i;
  }
  double from = std::max(0, least - 1), to = std::min(kGrid, least + 1);
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double left = to - golden * (to - from), right = from + golden * (to - from);
  double at_left = at(place(left)), at_right = at(place(right));
  while (ratio * (to - from) > 1e-7) {
    if (at_left < at_right) {
      to = right;
      right = left;
      at_right = at_left;
      left = to - golden * (to - from);
      at_left = at(place(left));
    } else {
      from = left;
      left = right;
      at_left = at_right;
      right = from + golden * (to - from);
      at_right = at(place(right));
    }
    if (evaluations >= max_evaluations) break;
  }
  best.converged = best.converged && is_complete;
  best.evaluations = evaluations;
  return best;
}

}  // namespace fredsim
