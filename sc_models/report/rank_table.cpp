// SPDX-License-Identifier: Apache-2.0
#include "report/rank_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <utility>

#include "report/json.h"
#include "report/table_fields.h"
#include "results/fields/ranks.h"

namespace fredsim {
namespace {

struct RankRow {
  int rank = 0;
  const RankPart* part = nullptr;
  double share = 0;  // cost relative to the total
};

std::vector<RankRow> rank_rows(const RankForecast& forecast) {
  const double total =
      std::accumulate(forecast.parts.begin(), forecast.parts.end(), 0.0,
                      [](double sum, const RankPart& part) { return sum + part.cost_ns; });
  std::vector<RankRow> rows;
  for (const RankPart& part : forecast.parts) {
    rows.push_back({static_cast<int>(rows.size()), &part, total > 0 ? part.cost_ns / total : 0});
  }
  return rows;
}

// "1,3"; a long list is cut.
std::string neighbour_text(const std::vector<int>& neighbours) {
  constexpr std::size_t kMax = 6;
  if (neighbours.empty()) return "-";
  if (neighbours.size() <= kMax) return fmt::format("{}", fmt::join(neighbours, ","));
  return fmt::format("{},... ({})", fmt::join(neighbours.begin(), neighbours.begin() + 3, ","),
                     neighbours.size());
}

template <class Count>
Field<RankRow> count_of(Column column, Count RankPart::*member) {
  return {std::move(column),
          [member](const RankRow& row) { return fmt::to_string(row.part->*member); }};
}

}  // namespace

TitledTable rank_part_table(const RankSetup& setup, const RankForecast& forecast) {
  const std::vector<Field<RankRow>> fields{
      {{.label = "rank", .name = "rank"},
       [](const RankRow& row) { return fmt::to_string(row.rank); }},
      count_of({.label = "nodes", .rank = 1, .name = "nodes"}, &RankPart::nodes),
      count_of({.label = "switches", .name = "switches"}, &RankPart::switches),
      count_of({.label = "NPUs", .name = "npus"}, &RankPart::npus),
      {{.label = "cost", .unit = "ns/cycle", .name = "cost_ns"},
       [](const RankRow& row) { return number_cell(row.part->cost_ns, 0); }},
      {{.label = "share", .name = "cost_share"},
       [](const RankRow& row) { return percent_cell(row.share); }},
      count_of({.label = "links out", .header = {"links", "out"}, .name = "links_out"},
               &RankPart::links_out),
      count_of(
          {.label = "flits per window", .header = {"flits", "/window"}, .name = "flits_per_window"},
          &RankPart::flits_per_window),
      count_of(
          {.label = "bytes per window", .header = {"bytes", "/window"}, .name = "bytes_per_window"},
          &RankPart::bytes_per_window),
      {{.label = "neighbours", .align = Align::kLeft, .rank = 2, .name = "neighbours"},
       [](const RankRow& row) -> Cell {
         return {neighbour_text(row.part->neighbours),
                 fmt::format("{}", fmt::join(row.part->neighbours, " "))};
       }}};
  const std::string window =
      forecast.look_ahead == 0
          ? std::string("no link crosses")
          : fmt::format("window (look-ahead) of {} cycles", forecast.look_ahead);
  return {fmt::format("{} on {} rank{}, {}, {} lane{}: {}", setup.fabric, forecast.parts.size(),
                      forecast.parts.size() == 1 ? "" : "s", setup.model, setup.lanes,
                      setup.lanes == 1 ? "" : "s", window),
          table_of(fields, rank_rows(forecast))};
}

TitledTable rank_forecast_table(std::span<const RankForecast> forecasts) {
  const std::vector<Field<RankForecast>> fields{
      {{.label = "ranks", .name = "ranks"},
       [](const RankForecast& f) { return fmt::to_string(f.parts.size()); }},
      {{.label = "look-ahead", .unit = "cycles", .name = "look_ahead_cycles"},
       [](const RankForecast& f) {
         return f.look_ahead == 0 ? no_cell() : count_cell(f.look_ahead);
       }},
      {{.label = "largest part", .header = {"largest part", "ns/cycle"}, .name = "max_cost_ns"},
       [](const RankForecast& f) { return number_cell(f.max_cost_ns, 0); }},
      {{.label = "above mean", .name = "imbalance"},
       [](const RankForecast& f) { return percent_cell(f.imbalance); }},
      {{.label = "exchange", .unit = "ns/cycle", .name = "exchange_ns"},
       [](const RankForecast& f) { return number_cell(f.exchange_ns, 0); }},
      {{.label = "together", .unit = "ns/cycle", .name = "cycle_ns"},
       [](const RankForecast& f) { return number_cell(f.cycle_ns(), 0); }},
      {{.label = "speed-up", .name = "speedup"},
       [](const RankForecast& f) { return number_cell(f.speedup, 2); }}};
  return {"Predicted by a model, not simulated",
          table_of(fields, std::vector(forecasts.begin(), forecasts.end()))};
}

std::string rank_legend(const RankSetup& setup) {
  return fmt::format(
      "Cost: processor time of a cycle at load, from node costs measured in all-reduces. Flits and "
      "bytes: max per window. Model: the largest part, plus in a window {} ns per neighbour, {} "
      "per flit and {} per byte; one core per rank.",
      setup.exchange.message_ns, setup.exchange.flit_ns, setup.exchange.byte_ns);
}

std::string ranks_json(const Origin& origin, const RankSetup& setup,
                       std::span<const RankForecast> forecasts) {
  using Json = nlohmann::ordered_json;
  const RankForecast& first = forecasts.front();
  Json parts = Json::array();
  for (const RankRow& row : rank_rows(first)) {
    parts.push_back(
        JsonObject<fields::kRankPart>{{"rank", row.rank},
                                      {"nodes", row.part->nodes},
                                      {"switches", row.part->switches},
                                      {"npus", row.part->npus},
                                      {"cost_ns", row.part->cost_ns},
                                      {"cost_share", row.share},
                                      {"links_out", row.part->links_out},
                                      {"neighbours", row.part->neighbours},
                                      {"flits_per_window", row.part->flits_per_window},
                                      {"bytes_per_window", row.part->bytes_per_window}});
  }
  Json predicted = Json::array();
  for (const RankForecast& forecast : forecasts) {
    predicted.push_back(JsonObject<fields::kRankForecast>{
        {"ranks", forecast.parts.size()},
        {"look_ahead_cycles", forecast.look_ahead == 0 ? Json() : Json(forecast.look_ahead)},
        {"max_cost_ns", forecast.max_cost_ns},
        {"imbalance", forecast.imbalance},
        {"exchange_ns", forecast.exchange_ns},
        {"cycle_ns", forecast.cycle_ns()},
        {"speedup", forecast.speedup}});
  }
  JsonObject<fields::kRankDocument> json;
  json.add(document_of(origin));
  json.add({{"config", setup.config},
            {"settings", settings_json(setup.settings)},
            {"machine", machine_json(setup.machine)},
            {"fabric", setup.fabric},
            {"model", setup.model},
            {"lanes", setup.lanes},
            {"ranks", first.parts.size()},
            {"message_ns", setup.exchange.message_ns},
            {"flit_ns", setup.exchange.flit_ns},
            {"byte_ns", setup.exchange.byte_ns},
            {"parts", std::move(parts)},
            {"forecasts", std::move(predicted)}});
  return text_of(json);
}

}  // namespace fredsim
