// SPDX-License-Identifier: Apache-2.0
// Stationary weights on the NPUs: all microbatches forward, stage by stage, then all of them
// backward (GPipe).
#include "workload/execution.h"
#include "workload/training_options.h"

namespace fredsim {
namespace {

class Stationary final : public ExecutionKind {
 public:
  std::string_view name() const override { return "stationary"; }
  bool keeps_weights() const override { return true; }

  std::vector<LayerRange> ranges(const ModelShape& model, const TrainingOptions& options,
                                 int stage) const override {
    return {stages_of(model, options.strategy.pp)[stage]};
  }

  void run(Passes& passes, const TrainingOptions& options) const override {
    passes.wait_for_input();
    for (int stage = 0; stage < options.strategy.pp; ++stage) passes.forward_and_backward(stage);
  }

  Memory memory(std::uint64_t parameters, const TrainingOptions& options) const override {
    return {.weights = parameters,
            .gradients = options.gradients->memory({.parameters = parameters,
                                                    .buffer = options.bucket_bytes,
                                                    .replicas = options.strategy.dp,
                                                    .overlaps = options.overlaps()})};
  }

  std::uint64_t transfers(const ModelShape& /*model*/,
                          const TrainingOptions& options) const override {
    return 2 * (static_cast<std::uint64_t>(options.strategy.pp) - 1);
  }
  std::uint64_t streams(const ModelShape& /*model*/, const TrainingOptions& /*options*/,
                        const Topology& /*topology*/) const override {
    return 0;
  }
};

}  // namespace

const ExecutionKind& stationary_execution() {
  static const Stationary kExecution;
  return kExecution;
}

}  // namespace fredsim
