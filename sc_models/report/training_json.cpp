// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/result_json.h"
#include "results/fields/training.h"
#include "results/json_object.h"
#include "results/training_results.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

const std::string& stream_of(const TrainingSetup& setup, const TrainingResult& result) {
  return result.stream.empty() ? setup.stream : result.stream;
}

std::vector<std::string> idealised_of(const TrainingSetup& setup) {
  std::vector<std::string> all = setup.idealised;
  all.insert(all.end(), setup.warnings.begin(), setup.warnings.end());
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

JsonObject<fields::kTrainingRun> training_run_json(const TrainingSetup& setup,
                                                   const TrainingResult& result) {
  const RunResult& r = result.run;
  const auto asked = [&](const auto& value) { return setup.given.empty() ? Json(value) : Json(); };
  const auto trained = [&](const auto& value) { return setup.inference ? Json() : asked(value); };
  JsonObject<fields::kTrainingRun> json;
  json.add(run_head_json(r));
  json.add({{"seed", r.seed},
            {"workload", setup.workload},
            {"model_file", setup.model_file.empty() ? Json() : Json(setup.model_file)},
            {"parameters", asked(setup.parameters)},
            {"strategy", asked(setup.strategy)},
            {"layers_per_stage", asked(setup.layers_per_stage)}});
  if (setup.splits_tokens) json.set("sequence_parallel", true);
  json.add({{"placement", asked(result.placement)},
            {"placement_npus", asked(result.npus)},
            {"minibatch", trained(setup.minibatch)},
            {"microbatches", asked(setup.microbatches)},
            {"iterations", setup.iterations},
            {"algorithm", result.algorithm.empty() ? setup.algorithm : result.algorithm},
            {"accounting", trained(setup.accounting)},
            {"gradients", trained(setup.gradients)},
            {"compress", setup.compress.empty() ? Json() : Json(setup.compress)},
            {"optimizer", setup.optimizer.empty() ? Json() : Json(setup.optimizer)},
            {"recompute", trained(setup.recompute)},
            {"memory", trained(setup.limits_memory ? "limited" : "unlimited")}});
  if (result.memory) {
    json.set("npu_memory",
             JsonObject<fields::kNpuMemory>{{"weights_bytes", result.memory->weights},
                                            {"gradients_bytes", result.memory->gradients},
                                            {"optimizer_bytes", result.memory->optimizer},
                                            {"activations_bytes", result.memory->activations},
                                            {"expanded_bytes", result.memory->expanded}});
  }
  json.add({{"execution", trained(setup.execution)},
            {"stream", setup.stream.empty() ? Json() : Json(stream_of(setup, result))},
            {"stream_layers", setup.stream.empty() ? Json() : Json(setup.stream_layers)},
            {"compute_flops_per_s", setup.compute_rate ? Json(*setup.compute_rate) : Json()},
            {"idealised", idealised_of(setup)}});
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
  if (setup.inference) {
    JsonObject<fields::kInference> inference{{"phase", setup.inference->phase},
                                             {"batch", setup.inference->batch},
                                             {"context", setup.inference->context}};
    if (!setup.inference->overlap.empty()) inference.set("overlap", setup.inference->overlap);
    json.set("inference", inference);
  }
  if (setup.fit) {
    json.set("fit", JsonObject<fields::kFit>{{"config", setup.fit->config},
                                             {"speedup", setup.fit->speedup},
                                             {"runs", setup.fit->runs}});
  }
  json.add({{"cycles", r.cycles},
            {"time_ns", r.time_ns},
            {"iteration_ns", r.incomplete ? Json() : Json(result.iteration_ns)},
            {"iterations_ns", result.iterations_ns}});
  if (result.tokens) {
    if (setup.inference->phase == "prefill")
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
    json.set("energy_j_per_iteration", r.energy->missing.empty()
                                           ? Json(kJPerPj * r.energy->total / setup.iterations)
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

std::string training_json(const Origin& origin, const TrainingSetup& setup,
                          std::span<const TrainingResult> runs) {
  JsonObject<fields::kTrainingDocument> json;
  json.add(document_of(origin));
  Json objects = Json::array();
  for (const TrainingResult& run : runs) objects.push_back(training_run_json(setup, run));
  json.set("runs", std::move(objects));
  return text_of(json);
}

}  // namespace fredsim
