// SPDX-License-Identifier: Apache-2.0
// Workers of a task graph whose model may have experts (workload/expert_layers.h): the tasks of such a layer.
//
// A worker gates its tokens and dispatches them; computes the shared experts beside that; then its own experts, when all of their tokens
//   are there, and sends these back (combine), which the next layer waits for. Workers along MP have a share of the tokens each: whoever
//   calls gathers them again. Callers with several microbatches on an NPU compute other ones between the two halves, and behind them.
// The backward pass takes the same way with gradients, and computes twice as long.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workload/expert_layers.h"
#include "workload/sequence_graph.h"

namespace fredsim {

class ExpertWorkers : protected SequenceGraph {
 public:
  // So far, over all workers.
  ExpertRouting routing() const;

 protected:
  ExpertWorkers(const Strategy& strategy, std::vector<int> npus, const Topology& topology,
                const std::string& algorithm, const SequenceSplit& split,
                std::optional<ExpertLayers> experts)
      : SequenceGraph(strategy, std::move(npus), topology, algorithm, split),
        experts_(std::move(experts)) {}
  ~ExpertWorkers() = default;

  struct ExpertPass {
    const TransformerShape& shape;
    const ComputeSpeed& speed;
    int layer = 0;     // among those with experts
    double times = 1;  // times the forward computing
    std::function<std::uint64_t(int replica)> tokens;
    std::string name{};  // label, after the part's
  };
  void run_experts(int stage, const ExpertPass& pass);
  // Its halves: gates, dispatch and shared experts; the workers' own experts and combine.
  void dispatch_tokens(int stage, const ExpertPass& pass);
  void combine_tokens(int stage, const ExpertPass& pass);

  // Gradients that are reduced together: of dense layers along DP; of what every worker has of a layer of experts, its gate and shared
  // ones, by all workers of a stage; of experts, by those who have copies of them.
  enum class GradientKind : std::uint8_t { kDense, kCommon, kExperts };
  static constexpr int kGradientKinds = 3;
  std::vector<Members> gradient_groups(GradientKind kind, int stage, bool of_others) const;
  // Parameters of a worker.
  std::uint64_t gradient_parameters(GradientKind kind, const ModelLayer& layer,
                                    const TransformerShape* shape) const;

  const std::optional<ExpertLayers> experts_;

 private:
  ExpertLayers::Tokens tokens_of(const Members& group, const ExpertPass& pass) const;
  std::uint64_t tokens_at(int w, const ExpertPass& pass) const;
  // All-to-all of the groups of a stage, there or back; by worker its task.
  std::map<int, int> send_tokens(int stage, const ExpertPass& pass, bool back);

  std::uint64_t routed_ = 0, dropped_ = 0;
};

}  // namespace fredsim
