// SPDX-License-Identifier: Apache-2.0
#include "report/strategy_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/port_mask.h"
#include "base/text_width.h"
#include "report/table_fields.h"
#include "results/document.h"
#include "results/fields/routing.h"
#include "results/json_object.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kDimensions{Dimension::kMp, Dimension::kDp, Dimension::kPp};

enum class Outcome : std::uint8_t { kRouted, kUplinks, kConflict, kUndecided };

Outcome outcome_of(const StrategyCheck& check) {
  if (!check.obstacle) return Outcome::kRouted;
  switch (check.obstacle->kind) {
    case Obstacle::Kind::kFlows:
      return Outcome::kConflict;
    case Obstacle::Kind::kGaveUp:
      return Outcome::kUndecided;
    default:
      return Outcome::kUplinks;
  }
}

std::string name_of(Outcome outcome) {
  constexpr std::array<std::string_view, 4> kNames{"routed", "uplinks", "conflict", "undecided"};
  return std::string(kNames[static_cast<std::size_t>(outcome)]);
}

// Outcomes of the strategies of one dimension.
struct Counts {
  std::array<int, 4> of{};  // index: Outcome
  int checked = 0;
  const StrategyCheck* first_failure = nullptr;
  int count(Outcome outcome) const { return of[static_cast<std::size_t>(outcome)]; }
};

Counts count(const StrategyRun& run, Dimension dimension) {
  Counts counts;
  for (const StrategyCheck& check : run.checks) {
    if (check.dimension != dimension) continue;
    ++counts.checked;
    ++counts.of[static_cast<std::size_t>(outcome_of(check))];
    if (check.obstacle && counts.first_failure == nullptr) counts.first_failure = &check;
  }
  return counts;
}

std::string group_text(const StrategyCheck& check, int group) {
  return fmt::format("group {} on NPUs {}", group, fmt::join(check.groups[group], ","));
}

std::string failure_text(int middle, const StrategyCheck& check) {
  const Obstacle& obstacle = *check.obstacle;
  std::string text = fmt::format("m = {}, {}, the first: {}, {} of its {} groups\n", middle,
                                 to_string(check.dimension), to_string(check.strategy),
                                 check.culprits.size(), check.groups.size());
  for (const int group : check.culprits) text += fmt::format("  {}\n", group_text(check, group));
  text += obstacle.chiplet.empty() ? fmt::format("  {}\n", obstacle.why)
                                   : fmt::format("  {}: {}\n", obstacle.chiplet, obstacle.why);
  for (const Obstacle::PartFlow& flow : obstacle.flows)
    text += fmt::format("    flow {} is of group {}\n", to_string(flow.flow), flow.part);
  return text;
}

std::vector<int> ports_in(std::uint32_t mask) {
  std::vector<int> ports;
  for_each_port(mask, [&](int port) { ports.push_back(port); });
  return ports;
}

JsonObject<fields::kFailure> failure_json(const StrategyCheck& check) {
  const Obstacle& obstacle = *check.obstacle;
  Json groups = Json::array();
  for (const int group : check.culprits) {
    groups.push_back(
        JsonObject<fields::kFailureGroup>{{"group", group}, {"npus", check.groups[group]}});
  }
  JsonObject<fields::kFailure> json{{"strategy", to_string(check.strategy)},
                                    {"outcome", name_of(outcome_of(check))},
                                    {"why", obstacle.why},
                                    {"groups", std::move(groups)}};
  if (obstacle.chiplet.empty()) return json;
  Json flows = Json::array();
  for (const Obstacle::PartFlow& flow : obstacle.flows) {
    flows.push_back(JsonObject<fields::kFailureFlow>{{"group", flow.part},
                                                     {"inputs", ports_in(flow.flow.inputs)},
                                                     {"outputs", ports_in(flow.flow.outputs)}});
  }
  json.add({{"chiplet", obstacle.chiplet}, {"level", obstacle.level}, {"flows", std::move(flows)}});
  return json;
}

constexpr const char* kLegend =
    "All groups of a dimension run at the same time, as one in-switch phase; strategies in which "
    "the dimension is 1 do not count. Too few uplinks: no choice gives every group its own, "
    "whatever the switches can route. Conflict: such choices exist, but none has a routing in "
    "which every flow has one colour per level. Undecided: the search took too long.";

constexpr const char* kIncomplete =
    "On trees of more than two levels not all choices are searched: a group whose chiplets have no "
    "chiplet above in common takes the same uplink number at each of them.";

// Outcomes of the strategies for some values of m, one line each.
TextTable lines_of(std::span<const StrategyRun> runs) {
  std::vector<Column> columns{{"strategy", "", Align::kLeft}};
  for (const StrategyRun& run : runs) {
    for (const Dimension dimension : kDimensions) {
      const std::string name = to_string(dimension);
      const std::string m = fmt::format("m = {}", run.middle);
      columns.push_back({.label = fmt::format("{}, {}", m, name),
                         .align = Align::kLeft,
                         .header = {dimension == Dimension::kMp ? m : "", name}});
    }
  }
  std::map<std::array<int, 3>, std::vector<Cell>> rows;  // mp, dp, pp -> cells
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const StrategyCheck& check : runs[r].checks) {
      const Strategy& s = check.strategy;
      std::vector<Cell>& cells = rows[{s.mp, s.dp, s.pp}];
      cells.resize(columns.size(), "");
      cells[0] = to_string(s);
      cells[1 + 3 * r + static_cast<std::size_t>(check.dimension)] = name_of(outcome_of(check));
    }
  }
  TextTable table(std::move(columns));
  for (auto& [strategy, cells] : rows) table.add_row(std::move(cells));
  return table;
}

// Returns true if no strategy's name would have to be cut.
bool fits(const TextTable& table, std::size_t columns) {
  std::istringstream lines(table.to_string());
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest <= columns;
}

// Leading columns of the rows of both tables for programs.
std::vector<Column> columns_of_setup() {
  std::vector<Column> columns;
  for (const char* name : {"config", "settings", "fabric", "placement", "npus"})
    columns.push_back({.label = name, .name = name, .shown = Shown::kOnlyInCsv});
  return columns;
}

std::vector<Cell> cells_of_setup(const StrategyReport& report) {
  return {report.config, settings_text(report.settings.all), report.fabric, report.placement,
          fmt::to_string(report.npus)};
}

}  // namespace

std::string strategy_legend(const StrategyReport& report) {
  return report.complete ? kLegend : fmt::format("{} {}", kLegend, kIncomplete);
}

TitledTable strategy_summary(const StrategyReport& report) {
  std::vector<Column> columns = columns_of_setup();
  const std::vector<Column> own{
      {.label = "m", .name = "middle"},
      {.label = "dimension", .align = Align::kLeft, .name = "dimension"},
      {.label = "strategies", .name = "checked"},
      {.label = "routed", .name = "routed"},
      {.label = "too few uplinks", .header = {"too few", "uplinks"}, .name = "too_few_uplinks"},
      {.label = "conflict", .name = "conflicts"},
      {.label = "undecided", .rank = 1, .name = "undecided"}};
  columns.insert(columns.end(), own.begin(), own.end());
  TextTable table(std::move(columns));
  for (const StrategyRun& run : report.runs) {
    for (const Dimension dimension : kDimensions) {
      const Counts counts = count(run, dimension);
      std::vector<Cell> cells = cells_of_setup(report);
      cells.emplace_back(fmt::to_string(run.middle));
      cells.emplace_back(to_string(dimension));
      cells.emplace_back(fmt::to_string(counts.checked));
      for (const Outcome outcome :
           {Outcome::kRouted, Outcome::kUplinks, Outcome::kConflict, Outcome::kUndecided})
        cells.emplace_back(fmt::to_string(counts.count(outcome)));
      table.add_row(std::move(cells));
    }
  }
  std::string incomplete;
  for (const StrategyRun& run : report.runs) {
    if (run.done < report.strategies)
      incomplete += fmt::format("; m = {} incomplete, {} of them", run.middle, run.done);
  }
  return {fmt::format("{}: {} strategies of at most {} workers, placement {}{}",
                      with_settings(report.fabric, report.settings.own), report.strategies,
                      report.npus, report.placement, incomplete),
          std::move(table)};
}

std::string strategy_failures(const StrategyReport& report) {
  std::string text;
  for (const StrategyRun& run : report.runs) {
    for (const Dimension dimension : kDimensions) {
      const Counts counts = count(run, dimension);
      if (counts.first_failure == nullptr) continue;
      text += (text.empty() ? "" : "\n") + failure_text(run.middle, *counts.first_failure);
    }
  }
  return text;
}

std::vector<TitledTable> strategy_lines(const StrategyReport& report, std::size_t columns) {
  std::vector<TitledTable> tables;
  std::span<const StrategyRun> left = report.runs;
  while (!left.empty()) {
    std::size_t count = left.size();
    while (count > 1 && !fits(lines_of(left.first(count)), columns)) --count;
    tables.push_back({"", lines_of(left.first(count))});
    left = left.subspan(count);
  }
  return tables;
}

TitledTable strategy_rows(const StrategyReport& report) {
  std::vector<Column> columns = columns_of_setup();
  for (const char* name : {"strategy", "mp", "dp", "pp", "middle", "dimension", "outcome", "why"})
    columns.push_back({.label = name, .name = name});
  TextTable table(std::move(columns));
  for (const StrategyRun& run : report.runs) {
    for (const StrategyCheck& check : run.checks) {
      const Strategy& s = check.strategy;
      std::vector<Cell> cells = cells_of_setup(report);
      for (const std::string& text :
           {to_string(s), fmt::to_string(s.mp), fmt::to_string(s.dp), fmt::to_string(s.pp),
            fmt::to_string(run.middle), std::string(to_string(check.dimension)),
            name_of(outcome_of(check)), check.obstacle ? check.obstacle->why : std::string()})
        cells.emplace_back(text);
      table.add_row(std::move(cells));
    }
  }
  return {"", std::move(table)};
}

std::string strategy_json(const Origin& origin, const StrategyReport& report) {
  Json runs = Json::array();
  for (const StrategyRun& run : report.runs) {
    for (const Dimension dimension : kDimensions) {
      const Counts counts = count(run, dimension);
      Json failures = Json::array();
      for (const StrategyCheck& check : run.checks) {
        if (check.dimension == dimension && check.obstacle) failures.push_back(failure_json(check));
      }
      JsonObject<fields::kStrategyRun> json{{"middle", run.middle},
                                            {"machine", machine_json(run.machine)},
                                            {"dimension", to_string(dimension)},
                                            {"checked", counts.checked},
                                            {"routed", counts.count(Outcome::kRouted)},
                                            {"too_few_uplinks", counts.count(Outcome::kUplinks)},
                                            {"conflicts", counts.count(Outcome::kConflict)},
                                            {"undecided", counts.count(Outcome::kUndecided)},
                                            {"failures", std::move(failures)}};
      if (run.done < report.strategies) json.set("incomplete", true);
      runs.push_back(json);
    }
  }
  JsonObject<fields::kStrategyDocument> json;
  json.add(document_of(origin));
  json.add({{"config", report.config},
            {"settings", settings_json(report.settings)},
            {"fabric", report.fabric},
            {"placement", report.placement},
            {"npus", report.npus},
            {"search_complete", report.complete},
            {"strategies", report.strategies},
            {"runs", std::move(runs)}});
  return text_of(json);
}

}  // namespace fredsim
