// SPDX-License-Identifier: Apache-2.0
#include "workload/graph_size.h"

#include <algorithm>
#include <map>
#include <vector>

#include "topology/faults.h"
#include "workload/detail/expert_time.h"
#include "workload/detail/input_loads.h"
#include "workload/detail/sequence_graph.h"
#include "workload/execution.h"
#include "workload/layer_ranges.h"

namespace fredsim {
namespace {

// A vector that grows has up to twice the room that it needs, three times as much while it moves.
constexpr double kGrowth = 1.7;
// The minimum that the heap gives; enough for most lists of dependencies.
constexpr double kAllocation = 32;

// Counts the tasks that training_graph.cpp builds.
class Training {
 public:
  Training(const ModelShape& model, const TrainingOptions& options, const Topology& topology)
      : model_(model), options_(options), execution_(execution_of(options)), topology_(topology) {
    const auto contexts = static_cast<std::uint64_t>(model.split.cp);
    const auto replicas = static_cast<std::uint64_t>(options.strategy.dp) / contexts;
    for (std::uint64_t r = 0; r < replicas; ++r) {
      const std::uint64_t samples =
          options.minibatch / replicas + (r < options.minibatch % replicas ? 1 : 0);
      const std::uint64_t filled = std::min(samples, options.microbatches);
      microbatches_ += filled * contexts;
      max_microbatches_ = std::max(max_microbatches_, filled);
    }
  }

  GraphSize count() {
    for (const LayerRange& stage : stages_of(model_, options_.strategy.pp)) add_stage(stage);
    if (pp() > 1) add_transfers(execution_.transfers(model_, options_));
    add_streams(execution_.streams(model_, options_, topology_));
    const auto iterations = static_cast<std::uint64_t>(options_.iterations);
    GraphSize all{iterations * size_.tasks, iterations * size_.dependencies,
                  iterations * size_.operations, iterations * size_.parts};
    if (iterations > 1) add_input(iterations, all);
    return all;
  }

 private:
  std::uint64_t mp() const { return static_cast<std::uint64_t>(options_.strategy.mp); }
  std::uint64_t dp() const { return static_cast<std::uint64_t>(options_.strategy.dp); }
  std::uint64_t pp() const { return static_cast<std::uint64_t>(options_.strategy.pp); }

  // Adds the input: an iteration waits for its loads, and these wait for the loads of the iteration
  // before.
  void add_input(std::uint64_t iterations, GraphSize& all) const {
    const std::vector<InputLoad> loads = input_loads(model_, options_, topology_);
    if (loads.empty()) return;
    std::map<int, std::uint64_t> of_worker;
    for (const InputLoad& load : loads)
      for (const int w : load.workers) ++of_worker[w];
    std::uint64_t tasks = loads.size(), waits = 0;
    for (const auto& [worker, own] : of_worker) {
      tasks += own;
      waits += own * own;
    }
    all.operations += iterations - 1;
    all.parts += (iterations - 1) * loads.size();
    all.tasks += (iterations - 1) * tasks;
    all.dependencies += (iterations - 1) * tasks;
    if (iterations > 2) all.dependencies += (iterations - 2) * waits;
  }

  // Adds operations: most of their tasks have one dependency and one dependent.
  void add_operations(std::uint64_t operations, std::uint64_t parts, std::uint64_t tasks) {
    size_.operations += operations;
    size_.parts += parts;
    size_.tasks += tasks;
    size_.dependencies += 2 * tasks;
  }

  void add_stage(const LayerRange& stage) {
    const auto layers = static_cast<std::uint64_t>(stage.end - stage.first);
    const auto has_experts = [this](int l) { return model_.layers[l].expert_layer >= 0; };
    std::uint64_t dense = layers;
    for (int l = stage.first; l < stage.end; ++l) {
      if (!has_experts(l)) continue;
      add_experts();
      --dense;
    }
    if (model_.split.is_split()) {
      for (int l = stage.first; l < stage.end; ++l)
        if (!has_experts(l)) add_halves(model_.layers[l]);
    } else {
      size_.tasks += 2 * dense * mp() * microbatches_;
      std::uint64_t reduced = 0;
      for (int l = stage.first; l < stage.end; ++l) reduced += model_.layers[l].reduces ? 1 : 0;
      if (mp() > 1) add_along_mp(2 * reduced);
    }
    if (!execution_.keeps_weights()) return;
    if (options_.optimizer != Optimizer::kNone) size_.tasks += 2 * mp() * dp();
    if (dp() > 1) add_gradients(stage);
    if (mp() * dp() > 1) add_expert_gradients(stage);
  }

  void add_along_mp(std::uint64_t times) {
    add_operations(times * max_microbatches_, times * microbatches_, times * mp() * microbatches_);
  }

  // Adds halves of a transformer's layer with split tokens, forward and backward.
  void add_halves(const ModelLayer& layer) {
    for (const Pass pass : {Pass::kForward, Pass::kBackward}) {
      const HalfCounts counts = half_counts(model_.split, layer.score_flops > 0, pass,
                                            options_.recompute == Recompute::kFull);
      size_.tasks += counts.computations * mp() * microbatches_;
      if (mp() > 1) add_along_mp(counts.along_mp);
      add_operations(counts.passed_on * max_microbatches_, counts.passed_on * mp() * microbatches_,
                     2 * counts.passed_on * mp() * microbatches_);
    }
  }

  // Adds gate, shared experts and experts, dispatch and combine, forward and backward.
  void add_experts() {
    const std::uint64_t parts = model_.transformer->shared_experts > 0 ? 3 : 2;
    const auto ep = static_cast<std::uint64_t>(options_.experts.ep);
    size_.tasks += 2 * parts * mp() * dp() * options_.microbatches;
    if (ep > 1) {
      const std::uint64_t exchanges = 4 * options_.microbatches;
      add_operations(exchanges, exchanges * mp() * dp() / ep, exchanges * mp() * dp());
    }
    if (mp() > 1 && !model_.split.sp) add_along_mp(2);
  }

  void add_gradients(const LayerRange& stage) {
    std::uint64_t bytes = 0, layers = 0;
    for (int l = stage.first; l < stage.end; ++l) {
      if (model_.layers[l].expert_layer >= 0) continue;
      const std::uint64_t own = (model_.layers[l].parameters * kGradientBytes + mp() - 1) / mp();
      bytes += own;
      layers += own > 0 ? 1 : 0;
    }
    const std::uint64_t sent = buffers_of(bytes, layers);
    if (options_.gradients->feeds_layers() && options_.optimizer != Optimizer::kNone)
      size_.tasks += 2 * (sent - 1) * mp() * dp();  // updated buffer by buffer
    for (int pass = 0; pass < options_.gradients->collectives(); ++pass)
      add_operations(sent, sent * mp(), sent * mp() * dp());
  }

  std::uint64_t buffers_of(std::uint64_t bytes, std::uint64_t layers) const {
    return options_.gradients->buffers(bytes, options_.bucket_bytes, layers);
  }

  // Adds gradients of gates and shared experts, reduced by all workers, and of experts, reduced by
  // workers with the same experts.
  void add_expert_gradients(const LayerRange& stage) {
    std::uint64_t layers = 0;
    for (int l = stage.first; l < stage.end; ++l)
      layers += model_.layers[l].expert_layer >= 0 ? 1 : 0;
    if (layers == 0) return;
    const std::uint64_t common = layers * common_expert_parameters(*model_.transformer);
    const std::uint64_t all =
        worker_parameters(model_, stage, options_.strategy.mp, options_.experts);
    std::uint64_t dense = 0;
    for (int l = stage.first; l < stage.end; ++l)
      if (model_.layers[l].expert_layer < 0) dense += model_.layers[l].parameters;
    const std::uint64_t experts = all - common - (dense + mp() - 1) / mp();
    const std::uint64_t of_common = buffers_of(common * kGradientBytes, layers);
    add_operations(of_common, of_common, of_common * mp() * dp());
    const auto ep = static_cast<std::uint64_t>(options_.experts.ep);
    if (mp() * dp() == ep) return;
    const std::uint64_t of_experts = buffers_of(experts * kGradientBytes, layers);
    add_operations(of_experts, of_experts * ep, of_experts * mp() * dp());
  }

  // Adds transfers between stages.
  void add_transfers(std::uint64_t times) {
    const bool by_share = model_.split.sp;
    add_operations(times * max_microbatches_, times * microbatches_ * (by_share ? mp() : 1),
                   times * microbatches_ * (by_share ? 2 * mp() : mp() + 1));
  }

  // Adds streams of weights and gradients.
  void add_streams(std::uint64_t streams) {
    if (streams == 0) return;
    const auto shards = static_cast<std::uint64_t>(shards_of(options_.stream, options_.strategy));
    const std::uint64_t members = mp() * dp() * pp() + io_controllers_left(topology_).size();
    add_operations(streams, streams * shards, streams * members);
  }

  const ModelShape& model_;
  const TrainingOptions& options_;
  const ExecutionKind& execution_;
  const Topology& topology_;
  std::uint64_t microbatches_ = 0;      // microbatches that have samples, of all replicas
  std::uint64_t max_microbatches_ = 0;  // max microbatches per replica
  GraphSize size_;                      // size of an iteration
};

}  // namespace

GraphSize training_graph_size(const ModelShape& model, const TrainingOptions& options,
                              const Topology& topology) {
  return Training(model, options, topology).count();
}

GraphSize inference_graph_size(const TransformerShape& shape, const InferenceOptions& options) {
  const auto mp = static_cast<std::uint64_t>(options.strategy.mp);
  const auto dp = static_cast<std::uint64_t>(options.strategy.dp);
  const auto pp = static_cast<std::uint64_t>(options.strategy.pp);
  const std::uint64_t passes = static_cast<std::uint64_t>(options.steps) * options.microbatches;
  const auto layers = static_cast<std::uint64_t>(shape.layers);
  const std::uint64_t contexts = static_cast<std::uint64_t>(options.split.cp);
  GraphSize size;
  const auto half = [&](bool is_attention) {
    return half_counts(options.split, is_attention, Pass::kForward, false);
  };
  const HalfCounts attention = half(true), mlp = half(false);
  // Gate and experts in place of an MLP, shared ones beside them; dispatch and combine, and an
  // all-gather where workers along MP have shares of the tokens for them alone.
  const auto experts = static_cast<std::uint64_t>(shape.expert_layers());
  const std::uint64_t dense = layers - experts;
  const std::uint64_t of_experts = shape.shared_experts > 0 ? 3 : 2;
  const std::uint64_t computations =
      passes * mp *
      ((layers * attention.computations + dense * mlp.computations + experts * of_experts) * dp +
       dp / contexts);
  size.tasks = computations;
  const auto add = [&](std::uint64_t operations, std::uint64_t parts, std::uint64_t ranks) {
    size.operations += operations;
    size.parts += operations * parts;
    size.tasks += operations * parts * ranks;
  };
  if (mp > 1)
    add(passes *
            (layers * attention.along_mp + dense * mlp.along_mp + (options.split.sp ? 0 : experts)),
        dp, mp);
  if (options.split.sp) add(passes, dp / contexts, mp);  // before the logits
  add(passes * layers * attention.passed_on, mp * dp, 2);
  const auto ep = static_cast<std::uint64_t>(options.experts.ep);
  if (ep > 1) add(passes * 2 * experts, mp * dp / ep, ep);
  // Decode sends tokens back to the first stage, but for the last step.
  const std::uint64_t back =
      options.phase == InferencePhase::kDecode && pp > 1 ? passes - options.microbatches : 0;
  const std::uint64_t sent = passes * (pp - 1);
  if (options.split.sp)
    add(sent, dp * mp, 2);
  else
    add(sent, dp, mp + 1);
  add(back, dp, mp + 1);
  // Computations wait for operations, and operations for computations, as in training.
  size.dependencies = 2 * (size.tasks - computations);
  return size;
}

std::uint64_t graph_bytes(const GraphSize& size) {
  constexpr double kOfTask = kGrowth * sizeof(Task) + kAllocation;
  constexpr double kOfOperation = kGrowth * sizeof(GraphOperation);
  // Dependencies that do not fit the minimum allocation.
  constexpr double kOfDependency = 4;
  return static_cast<std::uint64_t>(kOfTask * static_cast<double>(size.tasks) +
                                    kOfOperation * static_cast<double>(size.operations) +
                                    kOfDependency * static_cast<double>(size.dependencies));
}

std::uint64_t graph_run_bytes(const GraphSize& size) {
  // Sizes in graph_run.cpp: state and record of a task, and its dependents; its place in an
  // operation, and the number of incomplete issues.
  constexpr double kOfTask = 24 + 24 + 24 + kAllocation + 4 + 16;
  constexpr double kOfOperation = kGrowth * 120 + 2 * kAllocation;
  constexpr double kOfPart = 2 * (24 + kAllocation);
  return static_cast<std::uint64_t>(kOfTask * static_cast<double>(size.tasks) +
                                    kOfOperation * static_cast<double>(size.operations) +
                                    kOfPart * static_cast<double>(size.parts) +
                                    8 * static_cast<double>(size.dependencies));
}

}  // namespace fredsim
