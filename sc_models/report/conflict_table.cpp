// SPDX-License-Identifier: Apache-2.0
#include "report/conflict_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "report/table_fields.h"

namespace fredsim {

namespace {

constexpr double kZ95 = 1.959963984540054;  // 97.5 % of a normal distribution lie below

Cell percent(double rate) { return percent_cell(rate, 3); }

}  // namespace

Interval wilson_95(std::uint64_t successes, std::uint64_t trials) {
  assert(trials > 0 && successes <= trials);
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n;
  const double z2 = kZ95 * kZ95;
  const double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kZ95 / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  // The ends are exactly 0 and 1 here; rounding must not move them.
  return {successes == 0 ? 0 : std::max(0.0, centre - half),
          successes == trials ? 1 : std::min(1.0, centre + half)};
}

TitledTable conflict_table(const ConflictSetup& setup, std::span<const ConflictPoint> points) {
  std::vector<Field<ConflictPoint>> fields;
  const auto of_setup = [&](const char* name, const std::string& text) {
    fields.push_back({{.label = name, .name = name, .shown = Shown::kOnlyInCsv},
                      [text](const ConflictPoint&) { return text; }});
  };
  const auto of_point = [&](Column column, std::function<Cell(const ConflictPoint&)> cell) {
    fields.push_back({std::move(column), std::move(cell)});
  };
  const auto interval = [](const ConflictPoint& p) { return wilson_95(p.conflicts, p.trials); };
  of_setup("ports", fmt::to_string(setup.ports));
  of_setup("kind", setup.kind);
  of_setup("trials", fmt::to_string(setup.trials));
  of_setup("seed", fmt::to_string(setup.seed));
  of_point({.label = "flows", .name = "flows"},
           [](const ConflictPoint& p) { return fmt::to_string(p.flows); });
  of_point({.label = "m", .name = "middle"},
           [](const ConflictPoint& p) { return fmt::to_string(p.middle); });
  of_point({.label = "conflicts", .name = "conflicts"},
           [](const ConflictPoint& p) { return count_cell(p.conflicts); });
  of_point({.label = "rate", .name = "conflict_rate"}, [](const ConflictPoint& p) {
    return percent(static_cast<double>(p.conflicts) / static_cast<double>(p.trials));
  });
  of_point(
      {.label = "95 % interval from", .header = {"95 % interval", "from"}, .name = "wilson_95_low"},
      [&](const ConflictPoint& p) { return percent(interval(p).low); });
  of_point({.label = "95 % interval to", .header = {"", "to"}, .name = "wilson_95_high"},
           [&](const ConflictPoint& p) { return percent(interval(p).high); });
  const auto is_short = [&](const ConflictPoint& p) { return p.trials < setup.trials; };
  if (std::ranges::any_of(points, is_short)) {
    of_point({.label = "sets", .align = Align::kLeft, .name = "sets"},
             [&](const ConflictPoint& p) -> Cell {
               const std::string sets = fmt::to_string(p.trials);
               return {is_short(p) ? "incomplete, " + sets : sets, sets};
             });
  }
  return {fmt::format("Fred_m({}), random sets of flows of kind {}, {} sets each, seed {}",
                      setup.ports, setup.kind, setup.trials, setup.seed),
          table_of(fields, std::vector(points.begin(), points.end()))};
}

}  // namespace fredsim
