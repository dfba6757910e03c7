// SPDX-License-Identifier: Apache-2.0
#include "workload/inference_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "workload/expert_time.h"
#include "workload/expert_workers.h"

namespace fredsim {
namespace {

class InferenceBuilder : private ExpertWorkers {
 public:
  InferenceBuilder(const TransformerShape& shape, const InferenceOptions& options,
                   const ComputeSpeed& speed, const Topology& topology,
                   std::optional<ExpertLayers> experts)
      : ExpertWorkers(options.strategy, options.npus, topology, options.algorithm,
                      std::move(experts)),
        shape_(shape),
        options_(options),
        speed_(speed) {
    const auto parts = static_cast<std::uint64_t>(strategy_.dp) * options.microbatches;
    work_.sequences = options.batch / parts;
    work_.tokens = is_prefill() ? options.context : 1;
  }

  TaskGraph build() {
    for (iteration_ = 0; iteration_ < options_.steps; ++iteration_) {
      work_.context = is_prefill() ? 0 : options_.context + static_cast<std::uint64_t>(iteration_);
      for (int m = 0; m < static_cast<int>(options_.microbatches); ++m)
        for (int stage = 0; stage < strategy_.pp; ++stage) pass(stage, m);
    }
    return std::move(graph_);
  }

  using ExpertWorkers::routing;

 private:
  bool is_prefill() const { return options_.phase == InferencePhase::kPrefill; }
  std::uint64_t activation_bytes(std::uint64_t tokens) const {
    return bytes_of(static_cast<double>(tokens * shape_.hidden),
                    speed_.npu.value_bytes.activations);
  }

  // ---- a microbatch at a stage

  void pass(int stage, int microbatch) {
    const bool is_last = stage + 1 == strategy_.pp;
    const std::uint64_t tokens = work_.sequences * work_.tokens;
    if (stage > 0) receive(stage - 1, stage, microbatch);
    if (stage == 0 && iteration_ > 0 && !is_prefill() && strategy_.pp > 1)
      receive(strategy_.pp - 1, 0, microbatch);
    for (int l = first_layer(stage); l < first_layer(stage + 1); ++l) {
      compute(stage, fmt::format("attention {}", l),
              attention_ps(speed_, shape_, work_, strategy_.mp));
      reduce(stage, fmt::format("attention {} reduction", l), tokens);
      if (shape_.has_experts(l)) {
        run_experts(stage, {.shape = shape_,
                            .speed = speed_,
                            .layer = l,
                            .tokens = [tokens](int) { return tokens; },
                            .name = fmt::format("{}", l)});
        along_mp(Collective::kAllGather, stage, fmt::format("experts {} all-gather", l), tokens);
        continue;
      }
      compute(stage, fmt::format("mlp {}", l), mlp_ps(speed_, shape_, work_, strategy_.mp));
      reduce(stage, fmt::format("mlp {} reduction", l), tokens);
    }
    if (!is_last) return send(stage, stage + 1, activation_bytes(tokens), microbatch);
    compute(stage, "head", head_ps(speed_, shape_, work_, strategy_.mp));
    if (!is_prefill() && strategy_.pp > 1 && iteration_ + 1 < options_.steps)
      send(stage, 0, work_.sequences * kTokenBytes, microbatch);
  }

  int first_layer(int stage) const { return shape_.layers * stage / strategy_.pp; }

  void compute(int stage, const std::string& name, double picoseconds) {
    for_all(stage, [&](int w) { WorkerGraph::compute(w, name, picoseconds); });
  }

  // ---- along MP

  void reduce(int stage, const std::string& name, std::uint64_t tokens) {
    along_mp(Collective::kAllReduce, stage, name, tokens);
  }

  void along_mp(Collective collective, int stage, const std::string& name, std::uint64_t tokens) {
    if (strategy_.mp == 1) return;
    const std::vector<Members> own = groups(Dimension::kMp, stage, false);
    const auto bytes = [&](const Members&) { return activation_bytes(tokens); };
    const int operation = add_operation(collective, own, groups(Dimension::kMp, stage, true), bytes,
                                        Dimension::kMp, name);
    for (int part = 0; part < std::ssize(own); ++part)
      for (int rank = 0; rank < strategy_.mp; ++rank) {
        Worker& at = workers_[own[part][rank]];
        at.pending = {add(own[part][rank], part_of(operation, part, rank, TimeCategory::kMp,
                                                   so_far(own[part][rank])))};
      }
  }

  // ---- between stages

  void send(int from, int to, std::uint64_t bytes, int microbatch) {
    std::vector<Members> others;
    if (to > from)
      for (int stage = 0; stage + 1 < strategy_.pp; ++stage)
        if (stage != from)
          std::ranges::move(transfers(stage, stage + 1, all_replicas()),
                            std::back_inserter(others));
    const int operation = add_operation(
        Collective::kMulticast, transfers(from, to, all_replicas()), others,
        [bytes](const Members&) { return bytes; }, Dimension::kPp,
        to > from ? "activations to the next stage" : "tokens to the first stage");
    sent_[{from, microbatch}] = operation;
    for (int dp = 0; dp < strategy_.dp; ++dp) {
      const int w = worker(0, dp, from);
      add(w, part_of(operation, dp, 0, TimeCategory::kPp, so_far(w)));
    }
  }

  // Receives what was sent in this step or, to the first stage, in the one before.
  void receive(int from, int to, int microbatch) {
    const int operation = sent_.at({from, microbatch});
    for (int dp = 0; dp < strategy_.dp; ++dp)
      for (int mp = 0; mp < strategy_.mp; ++mp) {
        const int w = worker(mp, dp, to);
        const auto [before, is_first] = workers_[w].received.try_emplace(from, -1);
        std::vector<int> after;
        if (!is_first) after.push_back(before->second);
        before->second =
            add(w, part_of(operation, dp, mp + 1, TimeCategory::kPp, std::move(after)));
        workers_[w].pending.push_back(before->second);
      }
  }

  const TransformerShape& shape_;
  const InferenceOptions& options_;
  const ComputeSpeed& speed_;
  InferenceWork work_;                       // work of a microbatch
  std::map<std::pair<int, int>, int> sent_;  // by stage and microbatch: the latest operation
};

void check_memory(const TransformerShape& shape, const InferenceOptions& o,
                  const ComputeSpeed& speed, const Topology& topology,
                  const std::optional<ExpertLayers>& experts) {
  const ValueBytes& values = speed.npu.value_bytes;
  std::uint64_t weights = 0, layers = 0;  // of the stage with the most of each
  for (int stage = 0; stage < o.strategy.pp; ++stage) {
    const int first = shape.layers * stage / o.strategy.pp;
    const int end = shape.layers * (stage + 1) / o.strategy.pp;
    const std::uint64_t ends = (stage == 0 ? 1 : 0) + (stage + 1 == o.strategy.pp ? 1 : 0);
    std::uint64_t own = ends * vocabulary_bytes(shape, o.strategy.mp, values);
    for (int l = first; l < end; ++l)
      own += shape.has_experts(l) ? experts->weight_bytes(l - shape.dense_layers, values)
                                  : layer_weight_bytes(shape, o.strategy.mp, values);
    weights = std::max(weights, own);
    layers = std::max(layers, static_cast<std::uint64_t>(end - first));
  }
  const std::uint64_t sequences = o.batch / static_cast<std::uint64_t>(o.strategy.dp);
  const std::uint64_t tokens =
      o.context + (o.phase == InferencePhase::kDecode ? static_cast<std::uint64_t>(o.steps) : 0);
  const double cache = static_cast<double>(sequences) * static_cast<double>(tokens) *
                       static_cast<double>(layers * kv_bytes(shape, o.strategy.mp, values));
  if (static_cast<double>(weights) + cache <= static_cast<double>(speed.npu.memory_bytes)) return;
  constexpr double kGb = 1e9;
  throw BadInput(fmt::format(
      "--batch, --context: found {} sequences per replica of {} tokens, whose KV cache takes "
      "{:.1f} "
      "GB of an NPU beside {:.1f} GB of weights; allowed: {:.1f} GB together, npu.memory of {}",
      sequences, tokens, cache / kGb, static_cast<double>(weights) / kGb,
      static_cast<double>(speed.npu.memory_bytes) / kGb, topology.name));
}

void check(const TransformerShape& shape, const InferenceOptions& o, const std::string& name,
           const Topology& topology) {
  check_workers(o.strategy, topology);
  if (o.strategy.pp > shape.layers)
    throw BadInput(fmt::format("--pp: found {}; allowed: 1 to {}, the layers of {}", o.strategy.pp,
                               shape.layers, name));
  if (static_cast<std::uint64_t>(o.strategy.mp) > shape.heads)
    throw BadInput(fmt::format("--mp: found {}; allowed: 1 to {}, the attention heads of {}",
                               o.strategy.mp, shape.heads, name));
  const std::uint64_t unit = static_cast<std::uint64_t>(o.strategy.dp) * o.microbatches;
  if (o.batch % unit != 0 || o.batch == 0)
    throw BadInput(
        fmt::format("--batch: found {} sequences; allowed: a multiple of {}, the {} "
                    "microbatches of all {} replicas",
                    o.batch, unit, o.microbatches, o.strategy.dp));
}

}  // namespace

TaskGraph inference_graph(const std::string& name, const TransformerShape& shape,
                          const InferenceOptions& options, const ComputeSpeed& speed,
                          const Topology& topology, ExpertRouting* routing) {
  check(shape, options, name, topology);
  const std::optional<ExpertLayers> experts =
      expert_layers(name, &shape, options.strategy, options.experts);
  check_memory(shape, options, speed, topology, experts);
  InferenceBuilder builder(shape, options, speed, topology, experts);
  TaskGraph graph = builder.build();
  if (routing != nullptr) *routing = builder.routing();
  return graph;
}

}  // namespace fredsim
