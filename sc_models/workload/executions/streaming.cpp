// SPDX-License-Identifier: Apache-2.0
// Streaming of weights from the I/O controllers (workload/weight_streams.h): groups of layers go
// through the wafer one after the other, all microbatches forward through each; backward in reverse
// order. The NPUs update nothing: gradients leave, and the controllers update the weights.
#include "workload/execution.h"
#include "workload/training_options.h"

namespace fredsim {
namespace {

void run_group(Passes& passes, const TrainingOptions& options, int group, Pass pass) {
  const int round = passes.begin(group, pass);
  passes.stream(WeightStreams::Direction::kLoad);
  const int stages = options.strategy.pp;
  const int last = stages - 1, last_group = passes.layer_groups() - 1;
  const bool is_forward = pass == Pass::kForward;
  const int step = is_forward ? 1 : last;  // around the stages
  for (int i = 0; i < stages; ++i) {
    const int stage = is_forward ? i : last - i;
    const bool is_first_layer = group == 0 && stage == 0;
    const bool is_last_layer = group == last_group && stage == last;
    const int before = (stage + stages - step) % stages;
    const int next = (stage + step) % stages;
    for (int m = 0; m < static_cast<int>(options.microbatches); ++m) {
      // The first stage of the pass receives the transfer of the last one in the round before.
      if (!(is_forward ? is_first_layer : is_last_layer) && before != stage)
        passes.receive(before, stage, m, i == 0 ? round - 1 : round);
      passes.run_layers(stage, m);
      if (!(is_forward ? is_last_layer : is_first_layer) && next != stage)
        passes.send(stage, next, m);
    }
  }
  passes.computed();
  if (!is_forward) passes.stream(WeightStreams::Direction::kGradients);
}

class Streaming final : public ExecutionKind {
 public:
  std::string_view name() const override { return "streaming"; }
  bool keeps_weights() const override { return false; }

  // Ranges of a stage: one of every group.
  std::vector<LayerRange> ranges(const ModelShape& model, const TrainingOptions& options,
                                 int stage) const override {
    const int stages = options.strategy.pp;
    std::vector<LayerRange> found;
    const int groups = streamed_groups(model, stages, options.stream_layers);
    for (int g = 0; g < groups; ++g)
      found.push_back(streamed_group(model, stages, options.stream_layers, g)[stage]);
    return found;
  }

  void run(Passes& passes, const TrainingOptions& options) const override {
    passes.wait_for_input();
    for (int g = 0; g < passes.layer_groups(); ++g) run_group(passes, options, g, Pass::kForward);
    for (int g = passes.layer_groups() - 1; g >= 0; --g)
      run_group(passes, options, g, Pass::kBackward);
  }

  Memory memory(std::uint64_t parameters, const TrainingOptions& options) const override {
    const auto groups = static_cast<std::uint64_t>(options.overlaps() ? options.stream_groups : 1);
    const std::uint64_t own = parameters * groups;
    return {.weights = own, .gradients = {.gradients = own * kGradientBytes}};
  }

  std::uint64_t transfers(const ModelShape& model, const TrainingOptions& options) const override {
    const int pp = options.strategy.pp;
    const int groups = streamed_groups(model, pp, options.stream_layers);
    return pp == 1 ? 0 : 2 * (static_cast<std::uint64_t>(groups * pp) - 1);
  }

  // Streams of a group: weights forward, weights backward, and gradients.
  std::uint64_t streams(const ModelShape& model, const TrainingOptions& options,
                        const Topology& topology) const override {
    constexpr int kTimes = 3;
    const int groups = streamed_groups(model, options.strategy.pp, options.stream_layers);
    const int shards = shards_of(options.stream, options.strategy);
    return static_cast<std::uint64_t>(kTimes * groups * deals_of(topology, shards));
  }
};

}  // namespace

const ExecutionKind& streaming_execution() {
  static const Streaming kExecution;
  return kExecution;
}

}  // namespace fredsim
