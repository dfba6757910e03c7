// SPDX-License-Identifier: Apache-2.0
#include "report/optimum_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "report/json.h"
#include "report/table_fields.h"
#include "results/fields/optimum.h"
#include "results/json_object.h"

namespace fredsim {
namespace {

std::string dollars_text(double dollars) {
  return dollars < 1e6 ? fmt::format("{:.4g} $", dollars) : fmt::format("{:.4g} M$", dollars / 1e6);
}

}  // namespace

TitledTable optimum_table(const OptimumSetup& setup, const OptimumResult& result) {
  using Bandwidth = OptimumResult::Bandwidth;
  std::vector<Field<Bandwidth>> fields{
      {{.label = "dimension", .align = Align::kLeft, .name = "dimension"},
       [](const Bandwidth& b) { return b.dimension; }},
      {{.label = "block", .align = Align::kLeft, .name = "block"},
       [](const Bandwidth& b) { return b.block; }},
      {{.label = "bandwidth", .unit = "GB/s", .name = "bandwidth_gbps"},
       [](const Bandwidth& b) { return number_cell(b.gbps, 2); }},
      {{.label = "share", .unit = "%", .name = "share_percent"},
       [&](const Bandwidth& b) { return number_cell(100 * b.gbps / setup.total_gbps, 2); }}};
  if (setup.has_cost)
    fields.push_back({{.label = "cost", .unit = "$ per GB/s", .name = "cost_dollars_per_gbps"},
                      [](const Bandwidth& b) { return number_cell(b.dollars, 2); }});
  return {fmt::format("{}, {} NPUs: bandwidth of an NPU for the least {} of {}", setup.fabric,
                      setup.npus, setup.has_cost ? "time x cost" : "time",
                      fmt::join(setup.workloads, ", ")),
          table_of(fields, result.bandwidths)};
}

std::string optimum_summary(const OptimumSetup& setup, const OptimumResult& result) {
  std::string text = fmt::format("Time {:.6g} ms", result.time_ns / 1e6);
  if (setup.has_cost) text += fmt::format(", network {}", dollars_text(result.dollars));
  if (result.equal_over_optimum)
    text += fmt::format("; {} of equal bandwidths {:.4g} times as much",
                        setup.has_cost ? "time x cost" : "time", *result.equal_over_optimum);
  return text + fmt::format(". {} evaluations{}.", result.evaluations,
                            result.converged ? "" : ", its limit: not converged, the best so far");
}

std::string optimum_legend(const OptimumSetup& setup) {
  return setup.is_flow ? "Times by flows without calibration; a local optimum, found by a search "
                         "without derivatives."
                       : "Times by a model: a collective takes its longest bytes / bandwidth, "
                         "without latency; the global optimum.";
}

std::string optimum_json(const Origin& origin, const OptimumSetup& setup,
                         const OptimumResult& result) {
  using Json = nlohmann::ordered_json;
  Json bandwidths = Json::array();
  for (const OptimumResult::Bandwidth& b : result.bandwidths) {
    JsonObject<fields::kOptimumBandwidth> one{
        {"dimension", b.dimension}, {"block", b.block}, {"gbps", b.gbps}};
    if (setup.has_cost) one.set("cost", b.dollars);
    bandwidths.push_back(one);
  }
  JsonObject<fields::kOptimum> optimum{{"bandwidths", std::move(bandwidths)},
                                       {"objective", result.objective},
                                       {"time_ns", result.time_ns}};
  if (setup.has_cost) optimum.set("cost", result.dollars);
  optimum.add({{"equal_over_optimum",
                result.equal_over_optimum ? Json(*result.equal_over_optimum) : Json()},
               {"converged", result.converged},
               {"evaluations", result.evaluations}});
  JsonObject<fields::kOptimumDocument> json;
  json.add(document_of(origin));
  json.add({{"config", setup.config},
            {"settings", settings_json(setup.settings)},
            {"machine", machine_json(setup.machine)},
            {"fabric", setup.fabric},
            {"npus", setup.npus},
            {"engine", setup.is_flow ? "flow" : "model"},
            {"for", setup.has_cost ? "time_cost" : "time"},
            {"accounting", setup.accounting},
            {"total_gbps", setup.total_gbps},
            {"constraints", setup.constraints},
            {"workloads", setup.workloads},
            {"weights", setup.weights},
            {"optimum", std::move(optimum)}});
  return text_of(json);
}

}  // namespace fredsim
