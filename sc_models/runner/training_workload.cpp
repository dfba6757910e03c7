// SPDX-License-Identifier: Apache-2.0
// Workload in a training report (TrainingJobs::workload()), and its idealisations.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "runner/detail/npu_memory.h"
#include "runner/training_jobs.h"
#include "workload/sequence_split.h"
#include "workload/stage_layers.h"
#include "workload/transformer_shape.h"

namespace fredsim {

TrainedWorkload TrainingJobs::workload() const {
  TrainedWorkload workload{
      .name = name(),
      .model_file = asked_.source == Source::kModelFile ? asked_.workload : "",
      .given = given(),
      .parameters = model_.parameters(),
      .strategy = to_string(asked_.training.strategy, asked_.split),
      .algorithm = asked_.source == Source::kText
                       ? text_algorithms(text_, asked_.training.algorithm)
                       : asked_.training.algorithm,
      .idealised = idealised(),
      .warnings = warnings(),
      .foreign_keys = asked_.foreign_keys,
  };
  if (asked_.is_model())
    workload.layers_per_stage =
        asked_.inference
            ? layers_per_stage_of_inference(model_.transformer->layers, asked_.training.strategy.pp)
            : layers_per_stage(model_, asked_.training);
  if (rate_ > 0) workload.compute_rate = rate_;
  if (asked_.fit) workload.fit = {asked_.fit->word, asked_.fit->speedup, fit_runs_};
  return workload;
}

std::string TrainingJobs::given() const {
  if (asked_.source == Source::kText) {
    return fmt::format("{}, {} layers, {} iterations", to_string(text_.type), text_.layers.size(),
                       asked_.training.iterations);
  }
  if (asked_.source != Source::kTraces) return "";
  std::string text = fmt::format("traces, {} ranks, {} nodes", traces_.paths.size(), traces_.nodes);
  if (traces_.dependencies == TraceDependencies::kData)
    text +=
        asked_.dependencies ? ", data dependencies alone" : ", recorded: data dependencies alone";
  if (traces_.missing_callers > 0)
    text += fmt::format(" ({} control dependencies name nodes that are not there)",
                        traces_.missing_callers);
  if (traces_.restored > 0)
    text += fmt::format(", {} operations of GPUs ordered by their begins", traces_.restored);
  return text;
}

bool TrainingJobs::is_launched_at_once() const {
  return std::ranges::any_of(machines_, [](const TrainedMachine& entry) {
    return entry.config.compute.collective_overhead_ps == 0;
  });
}

// Adds the effects of values that are not FP16.
void TrainingJobs::add_values(std::vector<std::string>& idealised) const {
  if (!asked_.is_model()) return;
  for (const TrainedMachine& entry : machines_) {
    const ValueBytes& values = entry.config.compute.value_bytes;
    if (values == ValueBytes{}) continue;
    idealised.emplace_back("FLOP/s are those of npu.peak, whatever npu.value_bytes is");
    if (values.activations != ValueBytes{}.activations && !model_.states_sizes)
      idealised.push_back(fmt::format(
          "all-reduces of activations carry {:g} B for each, in which FP16 values are added up",
          values.activations));
    return;  // once, for the first such machine
  }
}

// Adds work that differs from the share of each NPU.
void TrainingJobs::add_shares(std::vector<std::string>& idealised) const {
  if (asked_.rules.replays_communication)
    idealised.emplace_back(
        "communications take the time that they took in the recording, with their waits for other "
        "ranks, and nothing crosses the network");
  for (const TrainedMachine& entry : machines_) {
    const std::size_t npus = entry.config.topology.npus.size();
    if (asked_.source == Source::kTraces && traces_.paths.size() > npus)
      idealised.push_back(fmt::format("{} runs ranks {} to {} on its I/O controllers",
                                      name_of(entry.config), npus, traces_.paths.size() - 1));
  }
  if (traces_.untimed > 0)
    idealised.push_back(fmt::format(
        "{} of {} computations, loads and stores of the traces have no time, and take "
        "{}",
        traces_.untimed, traces_.computations,
        asked_.rules.untimed_ps == 0 ? "none" : format_time_ps(asked_.rules.untimed_ps)));
  if (asked_.source == Source::kText)
    for (const TrainedMachine& entry : machines_)
      if (const std::string text = text_left_out(text_, layout_on(entry.config.topology));
          !text.empty() && std::ranges::count(idealised, text) == 0)
        idealised.push_back(text);
  if (!asked_.is_model() || !model_.transformer) return;
  const int mp = asked_.training.strategy.mp;
  const std::uint64_t heads = model_.transformer->heads;
  if (heads % static_cast<std::uint64_t>(mp) != 0)
    idealised.push_back(
        fmt::format("attention takes each of the {} MP workers as long as one with {} of the {} "
                    "heads{}",
                    mp, share_of_workers(heads, mp), heads,
                    asked_.inference ? "" : ", and each holds an equal share of its weights"));
  if (!asked_.inference && asked_.training.recompute == Recompute::kFull && mp > 1)
    idealised.emplace_back(
        "what halves of a layer send each other along MP is not sent again when they are computed "
        "again");
}

std::vector<std::string> TrainingJobs::idealised() const {
  std::vector<std::string> all;
  const auto communicates = [](const TrainingResult& result) {
    return result.run.operations && result.run.operations->complete > 0;
  };
  if (std::ranges::any_of(results_, communicates))
    all.emplace_back(is_launched_at_once()
                         ? "a collective begins when its last rank has come, without a packet, and "
                           "is launched in no time"
                         : "a collective begins when its last rank has come, without a packet");
  if (std::ranges::any_of(results_, [](const TrainingResult& result) {
        return result.packet_order == "recurring";
      }))
    all.emplace_back(kRecurringOrder);
  add_values(all);
  add_shares(all);
  if (asked_.experts.ep > 1)
    all.emplace_back("ranks know without a packet how many tokens come to their experts");
  if (asked_.inference) all.emplace_back("tokens are chosen from their logits in no time");
  if (asked_.inference && asked_.inference->overlap > 1)
    all.emplace_back("communication takes nothing of the computing and the memory beside it");
  if (asked_.split.cp > 1)
    all.emplace_back(asked_.inference
                         ? "workers of a context merge their steps of attention in no time"
                         : "workers of a context merge their steps of attention, and add gradients "
                           "of keys and values, in no time");
  const TrainingOptions training = training_options();
  if (!asked_.is_training()) return all;
  if (asked_.split.sp) all.emplace_back("gradients of norms are not reduced along MP");
  if (training.iterations > 1 && std::ranges::any_of(machines_, [](const TrainedMachine& entry) {
        const Topology& topology = entry.config.topology;
        return topology.has_blocks() && !topology.io_controllers.empty();
      }))
    all.emplace_back("I/O controllers of systems load no input, which is on the NPUs");
  for (const auto& [ratio, dimension] :
       {std::pair(training.compression.mp, "MP"), std::pair(training.compression.dp, "DP"),
        std::pair(training.compression.pp, "PP")})
    if (ratio > 1)
      all.push_back(
          fmt::format("communication along {} carries 1/{:g} of its bytes, compressed in no time; "
                      "values are not changed",
                      dimension, ratio));
  if (training.every > 1)
    all.push_back(
        fmt::format("replicas of different nodes meet in one of {} iterations, which changes what "
                    "is learnt; values are not changed",
                    training.every));
  if (asked_.kind == TrainingQuestion::kStreaming) {
    all.emplace_back("I/O controllers update the weights in no time");
  } else if (training.optimizer == Optimizer::kNone) {
    all.emplace_back("parameters are updated in no time");
  }
  return all;
}

std::vector<std::string> TrainingJobs::warnings() const {
  const TrainingOptions training = training_options();
  if (!asked_.is_training() || training.limits_memory) return {};
  for (const TrainedMachine& entry : machines_) {
    const NpuCompute& npu = entry.config.compute;
    if (const auto beyond = memory_beyond(npu_memory(model_, training, npu), npu))
      return {*beyond};  // the first one is enough
  }
  return {};
}

}  // namespace fredsim
