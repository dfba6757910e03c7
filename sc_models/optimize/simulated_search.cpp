// SPDX-License-Identifier: Apache-2.0
#include "optimize/simulated_search.h"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <new>

namespace fredsim {
namespace {

// Directions that keep all equalities.
std::vector<std::vector<double>> free_directions(const AllocationSpace& space) {
  std::vector<std::vector<double>> rows;
  for (const LinearRow& row : space.rows())
    if (row.relation == Relation::kEqual) rows.push_back(row.weights);
  const std::size_t n = space.size();
  std::vector<int> pivot_row(n, -1);
  std::size_t used = 0;
  for (std::size_t c = n; c-- > 0 && used < rows.size();) {
    const auto largest = std::max_element(
        rows.begin() + static_cast<std::ptrdiff_t>(used), rows.end(),
        [&](const auto& a, const auto& b) { return std::abs(a[c]) < std::abs(b[c]); });
    if (std::abs((*largest)[c]) < 1e-9) continue;
    std::swap(*largest, rows[used]);
    const double by = rows[used][c];
    for (double& w : rows[used]) w /= by;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double times = rows[r][c];
      if (r == used || times == 0) continue;
      for (std::size_t i = 0; i < n; ++i) rows[r][i] -= times * rows[used][i];
    }
    pivot_row[c] = static_cast<int>(used++);
  }
  std::vector<std::vector<double>> directions;
  for (std::size_t free = 0; free < n; ++free) {
    if (pivot_row[free] >= 0) continue;
    std::vector<double>& direction = directions.emplace_back(n, 0.0);
    direction[free] = 1;
    for (std::size_t c = 0; c < n; ++c)
      if (pivot_row[c] >= 0) direction[c] = -rows[pivot_row[c]][free];
  }
  return directions;
}

class FreeSearch {
 public:
  FreeSearch(const std::function<double(const std::vector<double>&)>& objective,
             const AllocationSpace& space, const SimulatedSearch& search)
      : objective_(objective),
        space_(space),
        search_(search),
        centre_(space.centre()),
        directions_(free_directions(space)) {
    best_.objective = std::numeric_limits<double>::infinity();
  }

  Optimum run() {
    if (directions_.empty()) {
      evaluate(centre_);
      best_.converged = true;
      return best_;
    }
    const double first_step = 0.1;
    bool is_done = search_.start.empty() || from(search_.start, first_step);
    is_done = from(centre_, first_step) && is_done;
    is_done = from(std::vector<double>(best_.gbps), 0.02) && is_done;
    best_.converged = is_done;
    return best_;
  }

 private:
  // Coordinates from the centre, in units of the total.
  std::vector<double> coordinates(const std::vector<double>& gbps) const {
    std::vector<double> found;
    for (const auto& direction : directions_) {
      const auto free = std::ranges::find(direction, 1.0) - direction.begin();
      found.push_back((gbps[free] - centre_[free]) / space_.total());
    }
    return found;
  }

  std::vector<double> allocation(const double* x) const {
    std::vector<double> gbps = centre_;
    for (std::size_t v = 0; v < directions_.size(); ++v)
      for (std::size_t d = 0; d < gbps.size(); ++d)
        gbps[d] += directions_[v][d] * x[v] * space_.total();
    return allowed(std::move(gbps));
  }

  // Moves an allocation towards the centre, as far as needed.
  std::vector<double> allowed(std::vector<double> gbps) const {
    constexpr double kLeastPart = 1e-4;  // share of the total, for every dimension
    double share = 1;
    const auto shrink = [&](double at_centre, double there) {  // requires both to be at least 0
      if (there < 0 && at_centre > there) share = std::min(share, at_centre / (at_centre - there));
    };
    for (std::size_t d = 0; d < gbps.size(); ++d) {
      const double least = std::min(kLeastPart * space_.total(), centre_[d]);
      shrink(centre_[d] - least, gbps[d] - least);
    }
    for (const LinearRow& row : space_.rows()) {
      if (row.relation == Relation::kEqual) continue;
      const double sign = row.relation == Relation::kAtLeast ? 1 : -1;
      double at_centre = -sign * row.bound, there = at_centre;
      for (std::size_t d = 0; d < gbps.size(); ++d) {
        at_centre += sign * row.weights[d] * centre_[d];
        there += sign * row.weights[d] * gbps[d];
      }
      shrink(std::max(0.0, at_centre), there);
    }
    for (std::size_t d = 0; d < gbps.size(); ++d)
      gbps[d] = centre_[d] + share * (gbps[d] - centre_[d]);
    return gbps;
  }

  double evaluate(const std::vector<double>& gbps) {
    ++best_.evaluations;
    const double value = objective_(gbps);
    if (value < best_.objective) {
      best_.objective = value;
      best_.gbps = gbps;
    }
    return value;
  }

  static double asked(unsigned /*n*/, const double* x, double* /*gradient*/, void* of) {
    auto& self = *static_cast<FreeSearch*>(of);
    try {
      return self.evaluate(self.allocation(x)) / self.scale_;
    } catch (...) {  // not through C
      self.error_ = std::current_exception();
      nlopt_force_stop(self.running_);
      return 0;
    }
  }

  // True: it came to an end by itself.
  bool from(const std::vector<double>& gbps, double first_step) {
    if (best_.evaluations >= search_.max_evaluations) return false;
    std::vector<double> x = coordinates(gbps);
    scale_ = std::max(evaluate(allocation(x.data())), std::numeric_limits<double>::min());
    if (best_.evaluations >= search_.max_evaluations) return false;
    const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> search(
        nlopt_create(NLOPT_LN_COBYLA, static_cast<unsigned>(x.size())), &nlopt_destroy);
    if (!search) throw std::bad_alloc();
    running_ = search.get();
    nlopt_set_min_objective(search.get(), &asked, this);
    nlopt_set_initial_step1(search.get(), first_step);
    nlopt_set_xtol_abs1(search.get(), search_.tolerance / 4);
    nlopt_set_maxeval(search.get(), static_cast<int>(search_.max_evaluations - best_.evaluations));
    double least = 0;
    const nlopt_result result = nlopt_optimize(search.get(), x.data(), &least);
    if (error_) std::rethrow_exception(error_);
    return result != NLOPT_MAXEVAL_REACHED;
  }

  const std::function<double(const std::vector<double>&)>& objective_;
  const AllocationSpace& space_;
  const SimulatedSearch& search_;
  const std::vector<double> centre_;
  const std::vector<std::vector<double>> directions_;
  Optimum best_;
  double scale_ = 1;
  nlopt_opt running_ = nullptr;
  std::exception_ptr error_;
};

}  // namespace

Optimum least_simulated(const std::function<double(const std::vector<double>&)>& objective,
                        const AllocationSpace& space, const SimulatedSearch& search) {
  space.check();
  return FreeSearch(objective, space, search).run();
}

}  // namespace fredsim
