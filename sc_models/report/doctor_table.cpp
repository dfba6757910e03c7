// SPDX-License-Identifier: Apache-2.0
#include "report/doctor_table.h"

#include <fmt/format.h>

#include <optional>

#include "base/units.h"
#include "report/json.h"
#include "report/table_fields.h"
#include "results/fields/doctor.h"

namespace fredsim {
namespace {

struct LimitRow {
  std::string name{}, word{};
  std::optional<double> time_ns{};
  std::string lifted_by{}, note{};
};

std::vector<LimitRow> limit_rows(const Diagnosis& diagnosis) {
  std::vector<LimitRow> rows;
  for (const LiftedLimit& limit : diagnosis.limits) {
    const auto at = static_cast<std::size_t>(limit.limit);
    const bool is_marked = limit.time_ns && !limit.is_calibrated;
    rows.push_back({fmt::format("{}{}", kLimitNames[at], is_marked ? "*" : ""),
                    std::string(kLimitWords[at]), limit.time_ns, limit.lifted_by, limit.note});
  }
  rows.push_back({"all together*", "all", diagnosis.all_ns, "",
                  diagnosis.network_bound_ns > 0 ? "what remains over the bound" : "what remains"});
  return rows;
}

Cell of_time(const LimitRow& row, double numerator, bool over, int digits) {
  if (!row.time_ns || numerator <= 0) return no_cell();
  return number_cell(over ? *row.time_ns / numerator : numerator / *row.time_ns, digits);
}

}  // namespace

TitledTable doctor_table(const DoctorSetup& setup, const Diagnosis& diagnosis) {
  constexpr int kDigits = 2;
  const double bound = diagnosis.network_bound_ns;
  const std::vector<Field<LimitRow>> fields{
      {{.label = "size", .unit = "bytes", .name = "size_bytes", .shown = Shown::kOnlyInCsv},
       [&](const LimitRow&) { return count_cell(diagnosis.size_bytes); }},
      {{.label = "limit", .align = Align::kLeft, .name = "limit"},
       [](const LimitRow& row) -> Cell {
         return {row.name, row.word};
       }},
      {{.label = "factor", .name = "factor"},
       [&](const LimitRow& row) { return of_time(row, diagnosis.time_ns, false, kDigits); }},
      {{.label = "x bound", .name = "time_over_network_bound"},
       [&](const LimitRow& row) { return of_time(row, bound, true, kDigits); }},
      {{.label = "lifted by", .align = Align::kLeft, .name = "lifted_by"},
       [](const LimitRow& row) -> Cell {
         const std::string& text = row.lifted_by.empty() ? row.note : row.lifted_by;
         return {text.empty() ? "-" : text, row.lifted_by};
       }},
      {{.label = "time", .unit = "ns", .name = "time_ns", .shown = Shown::kNotInText},
       [](const LimitRow& row) { return row.time_ns ? number_cell(*row.time_ns, 1) : no_cell(); }}};
  const std::string above = bound > 0 ? fmt::format("{} x the network's bound of {} ns",
                                                    number_text(diagnosis.time_ns / bound, kDigits),
                                                    number_text(bound, 1))
                                      : std::string("bound of the network not known");
  return {
      fmt::format("{}, {} of {} by {}, {} ranks\n{} ns{}, {}", setup.fabric, diagnosis.collective,
                  format_size(diagnosis.size_bytes), diagnosis.algorithm, diagnosis.ranks,
                  number_text(diagnosis.time_ns, 1), diagnosis.is_calibrated ? "" : "*", above),
      table_of(fields, limit_rows(diagnosis))};
}

std::string doctor_json(const Origin& origin, const DoctorSetup& setup,
                        std::span<const Diagnosis> diagnoses) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const Diagnosis& one : diagnoses) {
    const auto over_bound = [&](double time) {
      return one.network_bound_ns > 0 ? Json(time / one.network_bound_ns) : Json();
    };
    Json limits = Json::array();
    for (const LiftedLimit& limit : one.limits) {
      limits.push_back(JsonObject<fields::kLiftedLimit>{
          {"limit", kLimitWords[static_cast<std::size_t>(limit.limit)]},
          {"time_ns", limit.time_ns ? Json(*limit.time_ns) : Json()},
          {"factor", limit.time_ns ? Json(one.factor(*limit.time_ns)) : Json()},
          {"calibrated", limit.is_calibrated},
          {"lifted_by", limit.lifted_by},
          {"note", limit.note}});
    }
    all.push_back(JsonObject<fields::kDiagnosis>{
        {"collective", one.collective},
        {"algorithm", one.algorithm},
        {"ranks", one.ranks},
        {"size_bytes", one.size_bytes},
        {"time_ns", one.time_ns},
        {"calibrated", one.is_calibrated},
        {"network_bound_ns", one.network_bound_ns > 0 ? Json(one.network_bound_ns) : Json()},
        {"time_over_network_bound", over_bound(one.time_ns)},
        {"limits", std::move(limits)},
        {"all_lifted_ns", one.all_ns},
        {"all_lifted_factor", one.factor(one.all_ns)},
        {"all_lifted_over_network_bound", over_bound(one.all_ns)}});
  }
  JsonObject<fields::kDoctorDocument> json;
  json.add(document_of(origin));
  json.add({{"config", setup.config},
            {"settings", settings_json(setup.settings)},
            {"machine", machine_json(setup.machine)},
            {"fabric", setup.fabric},
            {"engine", "flow"},
            {"diagnoses", std::move(all)}});
  return text_of(json);
}

}  // namespace fredsim
