// SPDX-License-Identifier: Apache-2.0
#include "report/training_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "report/detail/result_json.h"
#include "report/fields/training.h"
#include "report/json.h"
#include "results/json_object.h"
#include "results/option_row.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> idealised_of(const TrainedWorkload& workload) {
  std::vector<std::string> all = workload.idealised;
  all.insert(all.end(), workload.warnings.begin(), workload.warnings.end());
  return all;
}

Json time_breakdown_json(const TrainingResult& result) {
  JsonObject<fields::kTimeBreakdown> json;
  for (const auto& [category, ns] : result.breakdown_ns) json.set_named(category, ns);
  return json;
}

// Parts are off by as much of the iteration as iterations themselves (docs/studies/flow_error.md).
Json part_errors_json(const TrainingResult& result) {
  const std::optional<FlowErrorResult>& error = result.run.flow->error;
  JsonObject<fields::kPartError> json;
  for (const auto& [category, ns] : result.breakdown_ns)
    json.set_named(category,
                   error && ns > 0 ? Json(error->mean_percent * result.iteration_ns / ns) : Json());
  return json;
}

Json critical_path_json(const TrainingResult& result) {
  JsonObject<fields::kCriticalPath> json;
  for (const auto& [category, ns] : result.critical_path_ns) json.set_named(category, ns);
  return json;
}

Json ranks_json(const TrainingResult& result) {
  Json ranks = Json::array();
  for (const TrainedRank& rank : result.ranks) {
    ranks.push_back(JsonObject<fields::kRank>{{"member", rank.member},
                                              {"end_ns", rank.end_ns},
                                              {"compute_ns", rank.compute_ns},
                                              {"memory_ns", rank.memory_ns},
                                              {"exposed_communication_ns", rank.exposed_ns},
                                              {"bubble_ns", rank.bubble_ns}});
  }
  return ranks;
}

template <const fields::Object& kObject>
void add_options(const TrainingQuestion& asked, fields::TrainingRows rows,
                 JsonObject<kObject>& json) {
  for (const OptionRow<TrainingQuestion>& row : rows) {
    if (row.text.key.empty()) continue;
    Json value = stated(row, asked, asked.kind);
    if (!value.is_discarded()) json.set_named(row.text.key, std::move(value));
  }
}

JsonObject<fields::kTrainingRun> training_run_json(const TrainingQuestion& asked,
                                                   const TrainedWorkload& workload,
                                                   const TrainingResult& result) {
  const RunResult& r = result.run;
  const auto of_model = [&](const auto& value) { return asked.is_model() ? Json(value) : Json(); };
  JsonObject<fields::kTrainingRun> json;
  json.add(run_head_json(r));
  json.add({{"seed", r.seed},
            {"workload", workload.name},
            {"model_file", workload.model_file.empty() ? Json() : Json(workload.model_file)},
            {"parameters", of_model(workload.parameters)},
            {"strategy", of_model(workload.strategy)},
            {"layers_per_stage", of_model(workload.layers_per_stage)}});
  add_options(asked, fields::kSequenceRows, json);
  json.add({{"placement", of_model(result.placement)}, {"placement_npus", of_model(result.npus)}});
  add_options(asked, fields::kSampleRows, json);
  add_options(asked, fields::kMethodRows, json);
  json.set("algorithm", result.algorithm.empty() ? workload.algorithm : result.algorithm);
  if (result.memory) {
    json.set("npu_memory",
             JsonObject<fields::kNpuMemory>{{"weights_bytes", result.memory->weights},
                                            {"gradients_bytes", result.memory->gradients},
                                            {"optimizer_bytes", result.memory->optimizer},
                                            {"activations_bytes", result.memory->activations},
                                            {"expanded_bytes", result.memory->expanded}});
  }
  add_options(asked, fields::kExecutionRows, json);
  if (!result.stream.empty()) json.set("stream", result.stream);
  json.add({{"compute_flops_per_s", workload.compute_rate ? Json(*workload.compute_rate) : Json()},
            {"idealised", idealised_of(workload)}});
  if (!result.words.empty()) json.set("workload_words", result.words);
  if (!workload.foreign_keys.empty()) {
    Json keys = Json::array();
    for (const ForeignKey& key : workload.foreign_keys)
      keys.push_back(JsonObject<fields::kForeignKey>{
          {"key", key.key}, {"found", key.found}, {"use", key.use}, {"says", key.says}});
    json.set("astra_keys", std::move(keys));
  }
  if (result.experts) {
    const ExpertUse& experts = *result.experts;
    json.set("experts", JsonObject<fields::kExperts>{
                            {"ep", experts.ep},
                            {"router", experts.router},
                            {"placement", experts.placement},
                            {"slots", experts.slots > 0 ? Json(experts.slots) : Json()},
                            {"capacity", experts.capacity > 0 ? Json(experts.capacity) : Json()},
                            {"routed", experts.routed},
                            {"dropped", experts.dropped},
                            {"imbalance", experts.imbalance}});
  }
  if (asked.inference) {
    JsonObject<fields::kInference> inference;
    add_options(asked, fields::kPhaseRows, inference);
    json.set("inference", inference);
  }
  if (workload.fit) {
    json.set("fit", JsonObject<fields::kFit>{{"config", workload.fit->config},
                                             {"speedup", workload.fit->speedup},
                                             {"runs", workload.fit->runs}});
  }
  json.add({{"cycles", r.cycles},
            {"time_ns", r.time_ns},
            {"iteration_ns", r.incomplete ? Json() : Json(result.iteration_ns)},
            {"iterations_ns", result.iterations_ns}});
  if (result.tokens) {
    if (asked.inference->phase == InferencePhase::kPrefill)
      json.set("time_to_first_token_ns", result.tokens->pass_ns);
    else
      json.set("time_per_token_ns", result.tokens->pass_ns);
    json.set("tokens_per_s", result.tokens->tokens_per_s);
  }
  if (!result.packet_order.empty()) json.set("packet_order", result.packet_order);
  if (result.is_best_base) json.set("best_base", true);
  if (result.speedup) json.set("speedup", *result.speedup);
  if (result.speedup_best_base) json.set("speedup_best_base", *result.speedup_best_base);
  json.set("breakdown_ns", r.incomplete ? Json() : time_breakdown_json(result));
  if (r.flow) json.set("breakdown_error_percent", part_errors_json(result));
  json.add({{"critical_path_ns", r.incomplete ? Json() : critical_path_json(result)},
            {"ranks", ranks_json(result)}});
  json.set("payload", r.payload);
  if (r.flow) {
    json.set("engine", "flow");
    json.set("error", flow_error_json(*r.flow));
  }
  if (r.collective_overhead_ns > 0) json.set("collective_overhead_ns", r.collective_overhead_ns);
  if (!r.skew.empty()) json.set("skew", r.skew);
  if (r.incomplete) {
    json.set("incomplete", true);
    json.set("delivered_bytes", r.delivered_bytes);
  }
  if (r.operations) json.set("operations", operations_json(*r.operations));
  if (r.slices > 0) json.set("slices", slices_json(r));
  if (r.system) json.set("system", system_json(*r.system));
  json.set("skipped", skipped_json(r));
  json.set("traffic", traffic_json(r));
  if (r.energy) {
    json.set("energy", energy_json(*r.energy));
    constexpr double kJPerPj = 1e-12;
    json.set("energy_j_per_iteration",
             r.energy->missing.empty() ? Json(kJPerPj * r.energy->total / asked.training.iterations)
                                       : Json());
  }
  json.set("links", links_json(r.links));
  json.set("switches", switches_json(r.switches));
  json.set("layout", layout_json(r.layout));
  json.set("wall_s", r.wall_s);
  json.set("sim_cycles_per_s", r.sim_cycles_per_s);
  return json;
}

}  // namespace

std::string training_json(const Origin& origin, const TrainingQuestion& asked,
                          const TrainedWorkload& workload, std::span<const TrainingResult> runs) {
  JsonObject<fields::kTrainingDocument> json;
  json.add(document_of(origin));
  Json objects = Json::array();
  for (const TrainingResult& run : runs) objects.push_back(training_run_json(asked, workload, run));
  json.set("runs", std::move(objects));
  return text_of(json);
}

}  // namespace fredsim
