// SPDX-License-Identifier: Apache-2.0
#include "study/study_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "report/table_output.h"
#include "results/fields/sweep.h"
#include "results/json_object.h"
#include "study/detail/run_values.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

Json texts_json(const std::vector<PointValue>& values) {
  Json json = Json::object();
  for (const auto& [axis, value] : values) json[axis->name] = value->text;
  return json;
}

Json row_json(const StudyRow& row) {
  const StudyPoint& point = row.point;
  const bool is_done = row.outcome.is_done;
  const JsonObject<fields::kSweepPoint> json{
      {"point", row.hash},
      {"command", point.work->command},
      {"machine", point.machine->file},
      {"settings", texts_json(point.settings)},
      {"options", texts_json(point.options)},
      {"seed", point.seed == nullptr ? Json() : Json::parse(point.seed->text)},
      {"status", is_done ? "done" : "failed"},
      {"message", is_done ? Json() : Json(row.outcome.message)},
      {"results", is_done ? row.outcome.results : Json::object()}};
  return json;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string field_text(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : dumped(value);
}

void add_unique(const std::string& name, std::vector<std::string>& names) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// A column of the CSV: where its value is in the JSON of a row.
struct Place {
  std::string key;
  std::string inner{};  // key in the object; empty: the value itself
  std::string name() const { return inner.empty() ? key : key + "." + inner; }
  const Json* find(const Json& row) const {
    const Json& value = row.at(key);
    if (inner.empty()) return &value;
    const auto found = value.find(inner);
    return found == value.end() ? nullptr : &*found;
  }
};

// All possible columns of the rows: single keys, and for the objects every name in the order of the
// study and of the results.
std::vector<Place> places_of(std::span<const StudyRow> rows) {
  std::vector<std::string> settings, options, results;
  std::vector<const fields::Object*> documents;
  for (const StudyRow& row : rows) {
    for (const PointValue& one : row.point.settings) add_unique(one.axis->name, settings);
    for (const PointValue& one : row.point.options) add_unique(one.axis->name, options);
    const fields::Object* const document = row.point.work->document;
    if (std::ranges::find(documents, document) != documents.end()) continue;
    documents.push_back(document);
    for (const std::string& name : run_value_names(*document)) add_unique(name, results);
  }
  std::vector<Place> places;
  for (const fields::Field& field : fields::kSweepPointFields) {
    const std::string key(field.key);
    const std::vector<std::string>* const inner = key == "settings"  ? &settings
                                                  : key == "options" ? &options
                                                  : key == "results" ? &results
                                                                     : nullptr;
    if (inner == nullptr) {
      places.push_back({key});
      continue;
    }
    for (const std::string& name : *inner) places.push_back({key, name});
  }
  return places;
}

}  // namespace

std::string study_lines(std::span<const StudyRow> rows) {
  std::string text;
  for (const StudyRow& row : rows) text += dumped(row_json(row)) + "\n";
  return text;
}

std::string study_csv(std::span<const StudyRow> rows) {
  std::vector<Json> values;
  values.reserve(rows.size());
  for (const StudyRow& row : rows) values.push_back(row_json(row));
  std::vector<Place> places = places_of(rows);
  std::erase_if(places, [&](const Place& place) {
    return !rows.empty() && std::ranges::none_of(values, [&](const Json& row) {
      const Json* const value = place.find(row);
      return value != nullptr && !value->is_null();
    });
  });
  std::vector<Column> columns;
  for (const Place& place : places)
    columns.push_back({.label = place.name(), .name = place.name()});
  TextTable table(std::move(columns));
  for (const Json& row : values) {
    std::vector<Cell> cells;
    cells.reserve(places.size());
    for (const Place& place : places) {
      const Json* const value = place.find(row);
      cells.emplace_back("", value == nullptr ? "" : field_text(*value));
    }
    table.add_row(std::move(cells));
  }
  return TableOutput(TableFormat::kCsv, {}).table({.heading = "", .table = std::move(table)});
}

std::string study_json(const Origin& origin, const std::string& study, std::size_t missing,
                       std::span<const StudyRow> rows) {
  Json points = Json::array();
  for (const StudyRow& row : rows) points.push_back(row_json(row));
  JsonObject<fields::kSweepDocument> json;
  json.add(document_of(origin));
  json.add({{"study", study}, {"missing", missing}, {"points", std::move(points)}});
  return dumped(json.json()) + "\n";
}

}  // namespace fredsim
