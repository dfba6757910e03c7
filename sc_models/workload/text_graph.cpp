// SPDX-License-Identifier: Apache-2.0
#include "workload/text_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/int128.h"
#include "collective/algorithm.h"
#include "plan/members.h"
#include "plan/parallelism.h"
#include "workload/operation_shapes.h"
#include "workload/text_groups.h"

namespace fredsim {
namespace {

using Groups = std::vector<std::vector<int>>;  // NPUs

Groups groups_of(const GroupSpan& span, int npus) {
  Groups groups(static_cast<std::size_t>(npus / span.size));
  const int set = span.size * span.stride;  // NPUs of the groups that are among each other
  for (int npu = 0; npu < npus; ++npu)
    groups[npu / set * span.stride + npu % span.stride].push_back(npu);
  return groups;
}

bool is_dlrm(TextWorkloadType type) {
  return type == TextWorkloadType::kHybridDlrm || type == TextWorkloadType::kHybridDlrmEnhanced;
}
class TextBuilder {
 public:
  TextBuilder(const TextWorkload& workload, const std::string& path,
              const TextGraphOptions& options, const Topology& topology)
      : workload_(workload),
        options_(options),
        topology_(topology),
        npus_(static_cast<int>(topology.npus.size())),
        mp_(text_model_group(workload, path, options.mp, npus_, topology.name)),
        updated_(workload.layers.size(), kNone) {
    for (int npu = 0; npu < npus_; ++npu) graph_.ranks.push_back({npu, {}});
    if (topology.failed.any()) members_of(topology, identity_placement(npus_));
  }

  TaskGraph build() {
    for (iteration_ = 0; iteration_ < options_.iterations; ++iteration_) {
      if (workload_.type == TextWorkloadType::kMicro) {
        micro();
        continue;
      }
      forward();
      if (workload_.type != TextWorkloadType::kDistributedInference) backward();
    }
    iteration_ = options_.iterations - 1;
    for (std::size_t l = 0; l < updated_.size(); ++l) update(static_cast<int>(l));
    return std::move(graph_);
  }

 private:
  // Every NPU does the same: a task has the same number at each.
  static constexpr int kNone = -1;

  Groups model_groups(TextWorkloadType type) const {
    return groups_of(text_model_span(type, npus_, mp_), npus_);
  }
  Groups data_groups(TextWorkloadType type) const {
    return groups_of(text_data_span(type, npus_, mp_), npus_);
  }

  // ---- tasks

  const TextLayer& layer(int l) const { return workload_.layers[l]; }

  int add(const Task& task) {
    for (TaskRank& rank : graph_.ranks) rank.tasks.push_back(task);
    return static_cast<int>(graph_.ranks.front().tasks.size()) - 1;
  }

  void compute(const std::string& name, std::uint64_t ns) {
    constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
    const auto product = static_cast<Uint128>(ns) * topology_.clock_hz;
    const auto cycles = (product + kNsPerSecond - 1) / kNsPerSecond;
    last_ = add({.label = shapes_.label(name),
                 .iteration = iteration_,
                 .cycles = static_cast<std::uint64_t>(cycles),
                 .after = std::exchange(pending_, {})});
  }

  // Adds a communication after the latest computation; none: no communication.
  int communicate(const TextPass& pass, const Groups& groups, TimeCategory category,
                  const std::string& name) {
    if (!pass.collective || groups.front().size() == 1) return kNone;
    OperationShape shape;
    for (const std::vector<int>& group : groups) {
      const Collective collective = collective_of(*pass.collective);
      shape.work.push_back({.collective = collective,
                            .group = group,
                            .bytes = pass.bytes,
                            .algorithm = algorithm_with(collective, options_.algorithm),
                            .vc = category == TimeCategory::kMp ? kMp : kDp,
                            .matrix = {}});
    }
    const int task = add({.category = category,
                          .label = shapes_.label(name),
                          .iteration = iteration_,
                          .operation = shapes_.add(std::move(shape), name),
                          .after = {last_}});
    for (int g = 0; g < std::ssize(groups); ++g) {
      for (int r = 0; r < std::ssize(groups[g]); ++r) {
        Task& own = graph_.ranks[groups[g][r]].tasks.back();
        own.part = g;
        own.rank = r;
      }
    }
    return task;
  }

  void wait_for(int task) {
    if (task != kNone) pending_.push_back(task);
  }

  // ---- passes

  void update(int l) {
    if (updated_[l] == kNone) return;
    wait_for(std::exchange(updated_[l], kNone));
    compute(layer(l).name + " update", layer(l).update_ns);
  }

  void forward_of(int l) {
    compute(layer(l).name + " forward", layer(l).forward.compute_ns);
    const int sent = communicate(layer(l).forward, model_groups(layer(l).type), TimeCategory::kMp,
                                 layer(l).name + " forward");
    // Bottom MLP of a DLRM: does not need the output of the embedding.
    if (is_dlrm(layer(l).type) && l == 0 && workload_.last_bottom_layer > 0) {
      embedding_ = sent;
    } else {
      wait_for(sent);
    }
    if (l == workload_.last_bottom_layer) wait_for(std::exchange(embedding_, kNone));
  }

  void forward() {
    for (int l = 0; l < std::ssize(workload_.layers); ++l) {
      update(l);
      forward_of(l);
    }
  }

  void backward() {
    for (int l = static_cast<int>(workload_.layers.size()) - 1; l >= 0; --l) {
      if (std::ranges::count(workload_.recomputations, l)) recompute(l);
      const bool weights_first = data_groups(layer(l).type).size() == 1;
      if (weights_first) weight_gradient(l);
      int input = kNone;
      if (l > 0 || layer(l).input_gradient.collective) input = input_gradient(l);
      if (!weights_first) weight_gradient(l);
      wait_for(input);
    }
  }

  void recompute(int l) {
    const auto after = std::ranges::upper_bound(workload_.checkpoints, l);
    for (int k = after == workload_.checkpoints.begin() ? 0 : *std::prev(after); k <= l; ++k) {
      forward_of(k);
    }
  }

  int input_gradient(int l) {
    const std::string name = layer(l).name + " input gradient";
    compute(name, layer(l).input_gradient.compute_ns);
    return communicate(layer(l).input_gradient, model_groups(layer(l).type), TimeCategory::kMp,
                       name);
  }

  void weight_gradient(int l) {
    const std::string name = layer(l).name + " weight gradient";
    compute(name, layer(l).weight_gradient.compute_ns);
    const int sent =
        communicate(layer(l).weight_gradient, data_groups(layer(l).type), TimeCategory::kDp, name);
    updated_[l] = sent == kNone ? last_ : sent;
  }

  void micro() {
    for (int l = 0; l < std::ssize(workload_.layers); ++l) {
      weight_gradient(l);
      wait_for(std::exchange(updated_[l], kNone));
    }
  }

  const TextWorkload& workload_;
  TextGraphOptions options_;
  const Topology& topology_;
  int npus_;
  int mp_;
  TaskGraph graph_;
  OperationShapes shapes_{graph_};
  int iteration_ = 0;
  int last_ = kNone;          // the latest computation
  int embedding_ = kNone;     // DLRM: operation that sends embeddings
  std::vector<int> pending_;  // dependencies of the next computation
  std::vector<int> updated_;  // by layer: what its update waits for; none: it is over
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

}  // namespace fredsim
