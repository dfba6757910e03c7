// SPDX-License-Identifier: Apache-2.0
// Finds the compute rate at which training has the speed-up of --fit.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/error.h"
#include "runner/training_jobs.h"

namespace fredsim {
namespace {

// A fit ends at this relative tolerance of the speed-up, or after a max number of pairs of runs.
constexpr double kFitTolerance = 0.0005;
constexpr int kMaxFitRuns = 8;
constexpr double kFirstFitRate = 1e16;  // FLOP/s

}  // namespace

bool TrainingJobs::fit() {
  const double wanted = asked_.fit->speedup;
  rate_ = kFirstFitRate;
  double speedup = 0;
  std::optional<FitPoint> before;
  while (fit_runs_ < kMaxFitRuns) {
    std::optional<TrainingResult> base = train(machines_.front());
    if (!base || base->run.incomplete) return false;
    std::optional<TrainingResult> other = train(machines_[place_of(asked_.fit->machine)]);
    if (!other || other->run.incomplete) return false;
    ++fit_runs_;
    speedup = base->iteration_ns / other->iteration_ns;
    if (std::abs(speedup / wanted - 1) <= kFitTolerance) {
      of_fit_ = {{0, std::move(base)}, {place_of(asked_.fit->machine), std::move(other)}};
      return true;
    }
    const FitPoint now{rate_, base->iteration_ns, other->iteration_ns};
    const double next = before ? rate_for_speedup(wanted, *before, now)
                               : rate_for_speedup(wanted, rate_, *base, *other);
    before = now;
    if (next <= 0)
      throw BadInput(fmt::format(
          "--fit: found '{}={:g}'; allowed: a speed-up between 1 and that of the communication "
          "alone, which a compute rate can give",
          asked_.fit->word, wanted));
    rate_ = next;
  }
  throw RunFailed(
      fmt::format("--fit: no compute rate found for {}={:g} in {} runs, the last one gave {:.4f}",
                  asked_.fit->word, wanted, fit_runs_, speedup));
}

}  // namespace fredsim
