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
#include "workload/stage_layers.h"
#include "workload/worker_graph.h"

namespace fredsim {
namespace {

class InferenceBuilder : private WorkerGraph {
 public:
  InferenceBuilder(const TransformerShape& shape, const InferenceOptions& options,
                   const ComputeSpeed& speed, const Topology& topology,
                   std::optional<ExpertLayers> experts)
      : WorkerGraph(options.strategy, options.npus, topology, options.algorithm, options.split,
                    std::move(experts)),
        shape_(shape),
        options_(options),
        speed_(speed) {
    const auto contexts = static_cast<std::uint64_t>(sequence_.cp);
    const auto parts = static_cast<std::uint64_t>(strategy_.dp) / contexts * options.microbatches;
    work_.sequences = options.batch / parts;
    work_.tokens = is_prefill() ? options.context / contexts : 1;
    lanes_.assign(static_cast<std::size_t>(options.overlap), workers_);
  }

  TaskGraph build() {
    for (iteration_ = 0; iteration_ < options_.steps; ++iteration_) {
      work_.context = is_prefill() ? 0 : options_.context + static_cast<std::uint64_t>(iteration_);
      for (int m = 0; m < static_cast<int>(options_.microbatches); m += options_.overlap)
        for (int stage = 0; stage < strategy_.pp; ++stage) pass(stage, m);
    }
    return std::move(graph_);
  }

  using WorkerGraph::routing;

 private:
  bool is_prefill() const { return options_.phase == InferencePhase::kPrefill; }
  std::uint64_t activation_bytes(std::uint64_t tokens) const {
    return bytes_of(static_cast<double>(tokens * shape_.hidden),
                    speed_.npu.value_bytes.activations);
  }

  // ---- microbatches at a stage

  // Runs all microbatches that share the stage, from `first` on.
  void pass(int stage, int first) {
    const std::uint64_t tokens = work_.sequences * work_.tokens;
    const auto in_turn = [&](const auto& visit) {
      for (int lane = 0; lane < options_.overlap; ++lane) {
        enter(lane);
        visit(first + lane);
      }
    };
    // Without workers along MP attention sends nothing behind it, and its turn goes on up to
    // dispatch.
    const bool reduces = strategy_.mp > 1;
    in_turn([&](int microbatch) { receive_inputs(stage, microbatch); });
    for (int l = first_layer(stage); l < first_layer(stage + 1); ++l) {
      const bool routes = shape_.has_experts(l);
      in_turn([&](int) {
        attend(stage, l, tokens);
        if (routes && !reduces) dispatch_tokens(stage, expert_pass(l, tokens));
      });
      if (routes && reduces) in_turn([&](int) { dispatch_tokens(stage, expert_pass(l, tokens)); });
      in_turn([&](int) { routes ? combine(stage, l, tokens) : run_mlp(stage, l, tokens); });
    }
    in_turn([&](int microbatch) { pass_on(stage, microbatch); });
  }

  // Dependencies of the microbatches of a lane are its own.
  void enter(int lane) {
    std::swap(lanes_[lane_], workers_);
    std::swap(lanes_[lane], workers_);
    lane_ = lane;
  }

  void receive_inputs(int stage, int microbatch) {
    if (stage > 0) receive(stage - 1, stage, microbatch);
    if (stage == 0 && iteration_ > 0 && !is_prefill() && strategy_.pp > 1)
      receive(strategy_.pp - 1, 0, microbatch);
  }

  void pass_on(int stage, int microbatch) {
    const bool is_last = stage + 1 == strategy_.pp;
    const std::uint64_t tokens = work_.sequences * work_.tokens;
    if (!is_last)
      return send(stage, stage + 1, activation_bytes(tokens) / transfer_parts(), microbatch);
    head(stage);
    if (!is_prefill() && strategy_.pp > 1 && iteration_ + 1 < options_.steps)
      send(stage, 0, work_.sequences * kTokenBytes, microbatch);
  }

  GroupBytes outputs_of(std::uint64_t tokens) const {
    return [this, tokens](const Members&) { return activation_bytes(tokens); };
  }

  void attend(int stage, int l, std::uint64_t tokens) {
    const std::string name = fmt::format("attention {}", l);
    if (!sequence_.is_split()) {
      compute(stage, name, attention_ps(speed_, shape_, work_, strategy_.mp));
      return reduce(stage, name + " reduction", tokens);
    }
    const auto block = [this, tokens](const Members&) {
      return tokens * kv_bytes(shape_, strategy_.mp, speed_.npu.value_bytes);
    };
    const auto attention = [this](int, const HalfPart& part) {
      return part.kind == HalfPart::Kind::kAll
                 ? attention_ps(speed_, shape_, work_, strategy_.mp)
                 : ring_attention_ps(speed_, shape_, work_, strategy_.mp, part);
    };
    run_half(stage, {.name = name,
                     .is_attention = true,
                     .picoseconds = attention,
                     .along_mp = outputs_of(tokens),
                     .along_cp = block});
  }

  void run_mlp(int stage, int l, std::uint64_t tokens) {
    const std::string name = fmt::format("mlp {}", l);
    const double ps = mlp_ps(speed_, shape_, work_, strategy_.mp);
    if (!sequence_.is_split()) {
      compute(stage, name, ps);
      return reduce(stage, name + " reduction", tokens);
    }
    run_half(stage, {.name = name,
                     .picoseconds = [ps](int, const HalfPart&) { return ps; },
                     .along_mp = outputs_of(tokens)});
  }

  ExpertPass expert_pass(int l, std::uint64_t tokens) const {
    return {.shape = shape_,
            .speed = speed_,
            .layer = l - shape_.dense_layers,
            .tokens = [tokens](int) { return tokens; },
            .name = fmt::format("{}", l)};
  }

  // Adds combine; afterwards each worker along MP gathers all tokens again, unless the tokens are
  // split anyway.
  void combine(int stage, int l, std::uint64_t tokens) {
    combine_tokens(stage, expert_pass(l, tokens));
    if (strategy_.mp > 1 && !sequence_.sp)
      wait_for(stage, along_mp(stage, Collective::kAllGather, outputs_of(tokens),
                               fmt::format("experts {} all-gather", l)));
  }

  // Adds the logits, on the workers that have the last tokens of the sequences; split tokens are
  // gathered first.
  void head(int stage) {
    const auto last_tokens = [this](const Members& group) {
      return context_rank_of(group.front()) == 0 ? activation_bytes(work_.sequences) : 0;
    };
    if (sequence_.sp)
      wait_for(stage, along_mp(stage, Collective::kAllGather, last_tokens, "last tokens' gather"));
    for_all(stage, [&](int w) {
      if (context_rank_of(w) == 0)
        WorkerGraph::compute(w, "head", head_ps(speed_, shape_, work_, strategy_.mp));
    });
  }

  int first_layer(int stage) const {
    return first_layer_of_inference(shape_.layers, strategy_.pp, stage);
  }

  void compute(int stage, const std::string& name, double picoseconds) {
    for_all(stage, [&](int w) { WorkerGraph::compute(w, name, picoseconds); });
  }

  // ---- along MP

  void reduce(int stage, const std::string& name, std::uint64_t tokens) {
    if (strategy_.mp > 1)
      wait_for(stage, along_mp(stage, Collective::kAllReduce, outputs_of(tokens), name));
  }

  // ---- between stages

  void send(int from, int to, std::uint64_t bytes, int microbatch) {
    const bool is_forward = to > from;
    std::vector<Members> others;
    if (is_forward)
      for (int stage = 0; stage + 1 < strategy_.pp; ++stage)
        if (stage != from)
          std::ranges::move(activations(stage, stage + 1, all_replicas()).groups,
                            std::back_inserter(others));
    const Transfer own =
        is_forward ? activations(from, to, all_replicas())
                   : Transfer{Collective::kMulticast, transfers(from, to, all_replicas())};
    const int operation = add_operation(
        own.collective, own.groups, others, [bytes](const Members&) { return bytes; },
        Dimension::kPp, is_forward ? "activations to the next stage" : "tokens to the first stage");
    sent_[{from, microbatch}] = operation;
    for (const auto& [w, part, rank] : senders(operation, from, all_replicas()))
      add(w, part_of(operation, part, rank, TimeCategory::kPp, so_far(w)));
  }

  // Receives the transfer of this step or, at the first stage, of the step before.
  void receive(int from, int to, int microbatch) {
    receive_all(from, to, all_replicas(), sent_.at({from, microbatch}));
  }

  const TransformerShape& shape_;
  const InferenceOptions& options_;
  const ComputeSpeed& speed_;
  InferenceWork work_;                       // work of a microbatch
  std::map<std::pair<int, int>, int> sent_;  // by stage and microbatch: the latest operation
  std::vector<std::vector<Worker>> lanes_;   // workers of the microbatches that are not at work
  int lane_ = 0;                             // the one that is
};

std::uint64_t replicas_of(const InferenceOptions& o) {
  return static_cast<std::uint64_t>(o.strategy.dp / o.split.cp);
}

void check_memory(const TransformerShape& shape, const InferenceOptions& o,
                  const ComputeSpeed& speed, const Topology& topology,
                  const std::optional<ExpertLayers>& experts) {
  const ValueBytes& values = speed.npu.value_bytes;
  std::uint64_t weights = 0, layers = 0;  // stage with the most of each
  for (int stage = 0; stage < o.strategy.pp; ++stage) {
    const int first = first_layer_of_inference(shape.layers, o.strategy.pp, stage);
    const int end = first_layer_of_inference(shape.layers, o.strategy.pp, stage + 1);
    const std::uint64_t ends = (stage == 0 ? 1 : 0) + (stage + 1 == o.strategy.pp ? 1 : 0);
    std::uint64_t own = ends * vocabulary_bytes(shape, o.strategy.mp, values);
    for (int l = first; l < end; ++l)
      own += shape.has_experts(l) ? experts->weight_bytes(l - shape.dense_layers, values)
                                  : layer_weight_bytes(shape, o.strategy.mp, values);
    weights = std::max(weights, own);
    layers = std::max(layers, static_cast<std::uint64_t>(end - first));
  }
  const std::uint64_t sequences = o.batch / replicas_of(o);
  const std::uint64_t tokens =
      o.context / static_cast<std::uint64_t>(o.split.cp) +
      (o.phase == InferencePhase::kDecode ? static_cast<std::uint64_t>(o.steps) : 0);
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
  check_workers(o.strategy, topology, o.split);
  if (o.strategy.pp > shape.layers)
    throw BadInput(fmt::format("--pp: found {}; allowed: 1 to {}, the layers of {}", o.strategy.pp,
                               shape.layers, name));
  if (static_cast<std::uint64_t>(o.strategy.mp) > shape.heads)
    throw BadInput(fmt::format("--mp: found {}; allowed: 1 to {}, the attention heads of {}",
                               o.strategy.mp, shape.heads, name));
  if (o.microbatches % static_cast<std::uint64_t>(o.overlap) != 0)
    throw BadInput(fmt::format(
        "--microbatches: found {} together with --overlap microbatches={}; allowed: a multiple of "
        "{}",
        o.microbatches, o.overlap, o.overlap));
  const std::uint64_t unit = replicas_of(o) * o.microbatches;
  if (o.batch % unit != 0 || o.batch == 0)
    throw BadInput(
        fmt::format("--batch: found {} sequences; allowed: a multiple of {}, the {} "
                    "microbatches of all {} replicas",
                    o.batch, unit, o.microbatches, replicas_of(o)));
  const bool is_prefill = o.phase == InferencePhase::kPrefill;
  if (o.split.cp > 1 && !is_prefill)
    throw BadInput(fmt::format(
        "--cp: found {} together with decode; allowed: with prefill, or in training. A step "
        "of decode has one token of each sequence",
        o.split.cp));
  check_split_tokens(o.split, o.strategy, is_prefill ? o.context : o.batch / unit);
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
