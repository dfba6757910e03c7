#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/result_json.h"
#include "results/training_results.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

const std::string& stream_of(const TrainingSetup& setup, const TrainingResult& result) {
  return result.stream.empty() ? setup.stream : result.stream;
}

Json run_json(const TrainingSetup& setup, const TrainingResult& result) {
  const RunResult& r = result.run;
  const auto asked = [&](const auto& value) { return setup.given.empty() ? Json(value) : Json(); };
  const auto trained = [&](const auto& value) { return setup.inference ? Json() : asked(value); };
  Json json = run_head_json(r);
  json.update({{"seed", r.seed},
               {"workload", setup.workload},
               {"model_file", setup.model_file.empty() ? Json() : Json(setup.model_file)},
               {"parameters", asked(setup.parameters)},
               {"strategy", asked(setup.strategy)},
               {"placement", asked(result.placement)},
               {"placement_npus", asked(result.npus)},
               {"minibatch", trained(setup.minibatch)},
               {"microbatches", asked(setup.microbatches)},
               {"iterations", setup.iterations},
               {"algorithm", result.algorithm.empty() ? setup.algorithm : result.algorithm},
               {"accounting", trained(setup.accounting)},
               {"gradients", trained(setup.gradients)},
               {"optimizer", setup.optimizer.empty() ? Json() : Json(setup.optimizer)},
               {"execution", trained(setup.execution)},
               {"stream", setup.stream.empty() ? Json() : Json(stream_of(setup, result))},
               {"stream_layers", setup.stream.empty() ? Json() : Json(setup.stream_layers)},
               {"compute_flops_per_s", setup.compute_rate ? Json(*setup.compute_rate) : Json()},
               {"idealised", setup.idealised}});
  if (setup.inference) {
    json["inference"] = {{"phase", setup.inference->phase},
                         {"batch", setup.inference->batch},
                         {"context", setup.inference->context}};
  }
  if (setup.fit) {
    json["fit"] = {
        {"config", setup.fit->config}, {"speedup", setup.fit->speedup}, {"runs", setup.fit->runs}};
  }
  json.update({{"cycles", r.cycles},
               {"time_ns", r.time_ns},
               {"iteration_ns", r.incomplete ? Json() : Json(result.iteration_ns)},
               {"iterations_ns", result.iterations_ns}});
  if (result.tokens) {
    const bool is_prefill = setup.inference->phase == "prefill";
    json[is_prefill ? "time_to_first_token_ns" : "time_per_token_ns"] = result.tokens->pass_ns;
    json["tokens_per_s"] = result.tokens->tokens_per_s;
  }
  if (result.has_pace) json["packet_order"] = "paced";
  if (result.is_best_base) json["best_base"] = true;
  if (result.speedup) json["speedup"] = *result.speedup;
  if (result.speedup_best_base) json["speedup_best_base"] = *result.speedup_best_base;
  json["breakdown_ns"] = r.incomplete ? Json() : Json::object();
  for (const auto& [category, ns] : result.breakdown_ns) json["breakdown_ns"][category] = ns;
  json["critical_path_ns"] = r.incomplete ? Json() : Json::object();
  for (const auto& [category, ns] : result.critical_path_ns)
    json["critical_path_ns"][category] = ns;
  json["ranks"] = Json::array();
  for (const TrainedRank& rank : result.ranks) {
    json["ranks"].push_back({{"member", rank.member},
                             {"end_ns", rank.end_ns},
                             {"compute_ns", rank.compute_ns},
                             {"memory_ns", rank.memory_ns},
                             {"exposed_communication_ns", rank.exposed_ns},
                             {"bubble_ns", rank.bubble_ns}});
  }
  json["payload"] = r.payload;
  if (r.incomplete) {
    json["incomplete"] = true;
    json["delivered_bytes"] = r.delivered_bytes;
  }
  if (r.operations) json["operations"] = operations_json(*r.operations);
  if (r.slices > 0) json["slices"] = slices_json(r);
  json["skipped"] = skipped_json(r);
  json["traffic"] = traffic_json(r);
  json["links"] = links_json(r.links);
  json["switches"] = switches_json(r.switches);
  json["layout"] = layout_json(r.layout);
  json["wall_s"] = r.wall_s;
  json["sim_cycles_per_s"] = r.sim_cycles_per_s;
  return json;
}

}  // namespace

std::string training_json(const Origin& origin, const TrainingSetup& setup,
                          std::span<const TrainingResult> runs) {
  Json json = document_of(origin);
  json["runs"] = Json::array();
  for (const TrainingResult& run : runs) json["runs"].push_back(run_json(setup, run));
  return text_of(json);
}

}  // namespace fredsim
