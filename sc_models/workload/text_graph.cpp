// SPDX-License-Identifier: Apache-2.0
#include "workload/text_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "collective/algorithm.h"
#include "plan/members.h"
#include "plan/parallelism.h"
#include "workload/operation_shapes.h"
#include "workload/text_groups.h"
#include "workload/text_pipeline.h"

namespace fredsim {
namespace {

bool is_dlrm(TextWorkloadType type) {
  return type == TextWorkloadType::kHybridDlrm || type == TextWorkloadType::kHybridDlrmEnhanced;
}

// Builder of the lists of tasks of the stages. The NPUs of a stage do the same: a task has the same
// number at each.
class TextBuilder {
 public:
  TextBuilder(const TextWorkload& workload, const std::string& path,
              const TextGraphOptions& options, const Topology& topology)
      : workload_(workload),
        options_(options),
        topology_(topology),
        layout_(text_layout(workload, path, options.mp, static_cast<int>(topology.npus.size()),
                            topology.name)) {
    for (int s = 0; s < layout_.stages; ++s)
      stages_.push_back({.first_npu = s * layout_.stage_npus(),
                         .steps = text_steps(workload, s, layout_.stages),
                         .updated = std::vector<int>(workload.layers.size(), kNone)});
    if (topology.failed.any()) members_of(topology, identity_placement(layout_.npus));
    for (iteration_ = 0; iteration_ < options_.iterations; ++iteration_)
      for (Stage& stage : stages_) iterate(stage);
    iteration_ = options_.iterations - 1;
    for (Stage& stage : stages_)
      for (std::size_t l = 0; l < stage.updated.size(); ++l) update(stage, static_cast<int>(l));
  }

  TaskGraph build() {
    for (const Stage& stage : stages_) {
      for (int npu = 0; npu < layout_.stage_npus(); ++npu) {
        TaskRank& rank = graph_.ranks.emplace_back();
        rank.member = stage.first_npu + npu;
        rank.tasks.reserve(stage.tasks.size());
        for (const StageTask& own : stage.tasks) {
          Task& task = rank.tasks.emplace_back(own.task);
          if (task.computes()) continue;
          task.part = own.span.part_of(npu);
          task.rank = own.span.rank_of(npu) + own.first_rank;
        }
      }
    }
    return std::move(graph_);
  }

  GraphSize size() const {
    GraphSize size{.operations = graph_.operations.size()};
    for (const Stage& stage : stages_) {
      const auto npus = static_cast<std::uint64_t>(layout_.stage_npus());
      size.tasks += npus * stage.tasks.size();
      for (const StageTask& own : stage.tasks) size.dependencies += npus * own.task.after.size();
    }
    for (const GraphOperation& operation : graph_.operations)
      size.parts += graph_.shapes[operation.shape].work.size();
    return size;
  }

 private:
  static constexpr int kNone = -1;

  struct StageTask {
    Task task;
    GroupSpan span{};    // communication: its groups, over the NPUs of the stage
    int first_rank = 0;  // of the NPUs of the stage in these groups
  };
  struct Stage {
    int first_npu = 0;
    std::vector<TextStep> steps{};  // of the forward pass
    std::vector<StageTask> tasks{};
    int last = kNone;             // the latest computation
    int embedding = kNone;        // DLRM: operation that sends embeddings
    std::vector<int> pending{};   // dependencies of the next computation
    std::vector<int> received{};  // the latest task of data from another stage
    std::vector<int> updated{};   // by layer: what its update waits for; none: it is over
  };

  void iterate(Stage& stage) {
    if (workload_.type == TextWorkloadType::kMicro) return micro(stage);
    const bool is_inference = workload_.type == TextWorkloadType::kDistributedInference ||
                              workload_.mode.value_or(0) == 1;
    forward(stage);
    if (!is_inference) backward(stage);
  }

  // ---- tasks

  const TextLayer& layer(int l) const { return workload_.layers[l]; }

  static int add(Stage& stage, StageTask task) {
    stage.tasks.push_back(std::move(task));
    return static_cast<int>(stage.tasks.size()) - 1;
  }

  void compute(Stage& stage, const std::string& name, std::uint64_t ns) {
    constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
    const auto product = static_cast<Uint128>(ns) * topology_.clock_hz;
    const auto cycles = (product + kNsPerSecond - 1) / kNsPerSecond;
    stage.last = add(stage, {{.label = shapes_.label(name),
                              .iteration = iteration_,
                              .cycles = static_cast<std::uint64_t>(cycles),
                              .after = std::exchange(stage.pending, {})}});
  }

  CollectiveSpec spec_of(Collective collective, std::vector<int> group, std::uint64_t bytes,
                         int vc) const {
    return {.collective = collective,
            .group = std::move(group),
            .bytes = bytes,
            .algorithm = algorithm_with(collective, options_.algorithm),
            .vc = vc,
            .matrix = {}};
  }

  // Adds a communication after the latest computation; none: no communication.
  int communicate(Stage& stage, int l, const TextPass& pass, TextSide side,
                  const std::string& name) {
    const GroupSpan span = text_span(layout_, layer(l).type, side, pass.group);
    if (!pass.collective || span.size == 1) return kNone;
    const TimeCategory category = pass.group == TextGroup::kExperts          ? TimeCategory::kEp
                                  : pass.group == TextGroup::kExpertReplicas ? TimeCategory::kDp
                                  : side == TextSide::kModel                 ? TimeCategory::kMp
                                                                             : TimeCategory::kDp;
    std::vector<std::vector<int>> groups(
        static_cast<std::size_t>(layout_.stage_npus() / span.size));
    for (int npu = 0; npu < layout_.stage_npus(); ++npu)
      groups[span.part_of(npu)].push_back(stage.first_npu + npu);
    OperationShape shape;
    for (std::vector<int>& group : groups)
      shape.work.push_back(spec_of(collective_of(*pass.collective), std::move(group), pass.bytes,
                                   category == TimeCategory::kDp ? kDp : kMp));
    return add(stage, {{.category = category,
                        .label = shapes_.label(name),
                        .iteration = iteration_,
                        .operation = shapes_.add(std::move(shape), name),
                        .after = {stage.last}},
                       span});
  }

  static void wait_for(Stage& stage, int task) {
    if (task != kNone) stage.pending.push_back(task);
  }

  // ---- between stages

  // Operation of a transfer from every NPU of a stage to its place in the next one; added when the
  // first of the two needs it.
  int transfer(const TextStep& step, bool is_forward) {
    const auto [at, is_new] =
        transfers_.try_emplace({iteration_, is_forward, step.microbatch, step.place}, kNone);
    if (!is_new) return at->second;
    const int from = (step.place + (is_forward ? 0 : 1)) % layout_.stages;
    const int to = (step.place + (is_forward ? 1 : 0)) % layout_.stages;
    OperationShape shape;
    for (int npu = 0; npu < layout_.stage_npus(); ++npu) {
      shape.work.push_back(spec_of(Collective::kUnicast,
                                   {stages_[from].first_npu + npu, stages_[to].first_npu + npu},
                                   *workload_.pp_bytes, kPp));
      // Messages of their own: switches need not route all pairs at once.
      shape.work.back().algorithm = "direct";
    }
    at->second = shapes_.add(std::move(shape), name_of_transfer(is_forward));
    return at->second;
  }
  static std::string name_of_transfer(bool is_forward) {
    return is_forward ? "activations to the next stage" : "gradients to the stage before";
  }

  int pass_on(Stage& stage, const TextStep& step, bool is_forward, bool is_sender,
              std::vector<int> after) {
    return add(stage, {{.category = TimeCategory::kPp,
                        .label = shapes_.label(name_of_transfer(is_forward)),
                        .iteration = iteration_,
                        .operation = transfer(step, is_forward),
                        .after = std::move(after)},
                       {},
                       is_sender ? 0 : 1});
  }

  void send(Stage& stage, const TextStep& step, bool is_forward) {
    std::vector<int> after = stage.pending;
    if (stage.last != kNone) after.push_back(stage.last);
    pass_on(stage, step, is_forward, true, std::move(after));
  }
  // The next computation waits for what arrives.
  void receive(Stage& stage, const TextStep& step, bool is_forward) {
    stage.received = {pass_on(stage, step, is_forward, false, stage.received)};
    wait_for(stage, stage.received.front());
  }

  // ---- passes

  void update(Stage& stage, int l) {
    if (stage.updated[l] == kNone) return;
    wait_for(stage, std::exchange(stage.updated[l], kNone));
    compute(stage, layer(l).name + " update", layer(l).update_ns);
  }

  void forward_of(Stage& stage, int l) {
    const std::string name = layer(l).name + " forward";
    compute(stage, name, layer(l).forward.compute_ns);
    const int sent = communicate(stage, l, layer(l).forward, TextSide::kModel, name);
    // Bottom MLP of a DLRM: does not need the output of the embedding.
    if (is_dlrm(layer(l).type) && l == 0 && workload_.last_bottom_layer > 0) {
      stage.embedding = sent;
    } else {
      wait_for(stage, sent);
    }
    if (l == workload_.last_bottom_layer) wait_for(stage, std::exchange(stage.embedding, kNone));
  }

  void forward(Stage& stage) {
    for (const TextStep& step : stage.steps) {
      if (step.kind == TextStep::Kind::kReceive) {
        receive(stage, step, true);
      } else if (step.kind == TextStep::Kind::kSend) {
        send(stage, step, true);
      } else {
        update(stage, step.line);
        forward_of(stage, step.line);
      }
    }
  }

  void backward(Stage& stage) {
    for (auto at = stage.steps.rbegin(); at != stage.steps.rend(); ++at) {
      const TextStep& step = *at;
      if (step.kind == TextStep::Kind::kReceive) {
        send(stage, step, false);
      } else if (step.kind == TextStep::Kind::kSend) {
        receive(stage, step, false);
      } else {
        backward_of(stage, step.line);
      }
    }
  }

  void backward_of(Stage& stage, int l) {
    if (std::ranges::count(workload_.recomputations, l) > 0) recompute(stage, l);
    const GroupSpan data = text_span(layout_, layer(l).type, TextSide::kData);
    const bool weights_first = data.size == layout_.stage_npus();
    if (weights_first) weight_gradient(stage, l);
    int input = kNone;
    if (l > 0 || layer(l).input_gradient.collective) input = input_gradient(stage, l);
    if (!weights_first) weight_gradient(stage, l);
    wait_for(stage, input);
  }

  void recompute(Stage& stage, int l) {
    const auto after = std::ranges::upper_bound(workload_.checkpoints, l);
    for (int k = after == workload_.checkpoints.begin() ? 0 : *std::prev(after); k <= l; ++k)
      forward_of(stage, k);
  }

  int input_gradient(Stage& stage, int l) {
    const std::string name = layer(l).name + " input gradient";
    compute(stage, name, layer(l).input_gradient.compute_ns);
    return communicate(stage, l, layer(l).input_gradient, TextSide::kModel, name);
  }

  void weight_gradient(Stage& stage, int l) {
    const std::string name = layer(l).name + " weight gradient";
    compute(stage, name, layer(l).weight_gradient.compute_ns);
    const int sent = communicate(stage, l, layer(l).weight_gradient, TextSide::kData, name);
    stage.updated[l] = sent == kNone ? stage.last : sent;
  }

  void micro(Stage& stage) {
    for (int l = 0; l < std::ssize(workload_.layers); ++l) {
      weight_gradient(stage, l);
      wait_for(stage, std::exchange(stage.updated[l], kNone));
    }
  }

  const TextWorkload& workload_;
  TextGraphOptions options_;
  const Topology& topology_;
  TextLayout layout_;
  TaskGraph graph_;
  OperationShapes shapes_{graph_};
  int iteration_ = 0;
  std::vector<Stage> stages_;
  std::map<std::tuple<int, bool, int, int>, int> transfers_;  // operations
};

}  // namespace

std::string text_algorithms(const TextWorkload& workload, const std::string& algorithm) {
  std::set<std::string> others;
  for (const TextLayer& layer : workload.layers) {
    for (const TextPass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      if (!pass->collective) continue;
      const Collective collective = collective_of(*pass->collective);
      if (const std::string taken = algorithm_with(collective, algorithm); taken != algorithm)
        others.insert(fmt::format("{} by {}", to_string(collective), taken));
    }
  }
  if (others.empty()) return algorithm;
  return fmt::format("{}; {}", algorithm, fmt::join(others, ", "));
}

TaskGraph text_graph(const TextWorkload& workload, const std::string& path,
                     const TextGraphOptions& options, const Topology& topology) {
  return TextBuilder(workload, path, options, topology).build();
}

GraphSize text_graph_size(const TextWorkload& workload, const std::string& path,
                          const TextGraphOptions& options, const Topology& topology) {
  return TextBuilder(workload, path, options, topology).size();
}

}  // namespace fredsim
