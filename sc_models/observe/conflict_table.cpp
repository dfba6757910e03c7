#include "observe/conflict_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "observe/text_table.h"

namespace fredsim {

namespace {

constexpr double kZ95 = 1.959963984540054;  // 97.5 % of a normal distribution lie below

std::string percent(double rate) { return fmt::format("{:.3f} %", 100 * rate); }

}  // namespace

Interval wilson_95(std::uint64_t successes, std::uint64_t trials) {
  assert(trials > 0 && successes <= trials);
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n;
  const double z2 = kZ95 * kZ95;
  const double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kZ95 / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  // The ends are 0 and 1 by definition there; rounding must not put them beside.
  return {successes == 0 ? 0 : std::max(0.0, centre - half),
          successes == trials ? 1 : std::min(1.0, centre + half)};
}

std::string conflict_table(const ConflictSetup& setup, std::span<const ConflictPoint> points) {
  TextTable table({{"flows", ""},
                   {"m", ""},
                   {"conflicts", ""},
                   {"rate", ""},
                   {"95 % interval", "from"},
                   {"", "to"}});
  for (const ConflictPoint& p : points) {
    const Interval interval = wilson_95(p.conflicts, setup.trials);
    table.add_row({fmt::to_string(p.flows), fmt::to_string(p.middle), fmt::to_string(p.conflicts),
                   percent(static_cast<double>(p.conflicts) / static_cast<double>(setup.trials)),
                   percent(interval.low), percent(interval.high)});
  }
  return fmt::format("Fred_m({}), random sets of flows of kind {}, {} sets each, seed {}\n\n{}",
                     setup.ports, setup.kind, setup.trials, setup.seed, table.to_string());
}

}  // namespace fredsim
