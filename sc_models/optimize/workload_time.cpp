// SPDX-License-Identifier: Apache-2.0
#include "optimize/workload_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "optimize/detail/dimension_bytes.h"
#include "workload/text_groups.h"

namespace fredsim {
namespace {

class TextTimes {
 public:
  TextTimes(const std::string& path, const SystemSizes& system, const TextLayout& layout)
      : path_(path), system_(system), layout_(layout), model_(system.sizes.size()) {}

  void add_pass(const TextLayer& layer, const TextPass& pass, TextSide side, TimeBranch& branch,
                double times = 1) {
    const GroupSpan span = text_span(layout_, layer.type, side, pass.group);
    branch.constant_ns += static_cast<double>(pass.compute_ns);
    if (!pass.collective || span.size == 1) return;
    const std::vector<int> extents = group_extents(system_.sizes, span, path_);
    model_.add_to(branch,
                  dimension_bytes(collective_of(*pass.collective), static_cast<double>(pass.bytes),
                                  extents, path_),
                  times);
  }

  void add_layer(const TextLayer& layer, Accounting accounting, bool is_inference) {
    TimeBranch forward;
    const bool is_twice = layer.type == TextWorkloadType::kHybridTransformerFwdInBckwd;
    add_pass(layer, layer.forward, TextSide::kModel, forward, is_twice ? 2 : 1);
    model_.add({forward});
    if (is_inference) return;
    TimeBranch input, weights;
    add_pass(layer, layer.input_gradient, TextSide::kModel, input);
    add_pass(layer, layer.weight_gradient, TextSide::kData, weights);
    if (accounting == Accounting::kSerial) {
      model_.add({input});
      model_.add({weights});
      return;
    }
    weights.constant_ns += static_cast<double>(layer.input_gradient.compute_ns);
    model_.add({input, weights});
  }

  const TimeModel& model() const { return model_; }

 private:
  const std::string& path_;
  const SystemSizes& system_;
  TextLayout layout_;
  TimeModel model_;
};

}  // namespace

int SystemSizes::npus() const {
  int all = 1;
  for (const int size : sizes) all *= size;
  return all;
}

TimeModel text_time(const TextWorkload& workload, const std::string& path, int mp,
                    Accounting accounting, const SystemSizes& system) {
  const TextLayout layout = text_layout(workload, path, mp, system.npus(), system.name);
  if (layout.stages > 1)
    throw BadInput(
        fmt::format("{}: pp: found {}; allowed: 1, or a number that does not divide the "
                    "NPUs: this estimate has no stages",
                    path, layout.stages));
  TextTimes times(path, system, layout);
  const bool is_inference =
      workload.type == TextWorkloadType::kDistributedInference || workload.mode.value_or(0) == 1;
  for (const TextLayer& layer : workload.layers) times.add_layer(layer, accounting, is_inference);
  return times.model();
}

TimeModel model_time(const ModelShape& shape, const TrainingOptions& options,
                     const ComputeSpeed& speed, const SystemSizes& system) {
  const ModelShape model = at_value_bytes(shape, speed.npu.value_bytes);
  const Strategy& strategy = options.strategy;
  if (strategy.workers() != system.npus()) {
    throw BadInput(
        fmt::format("--mp, --dp, --pp: found {}, {} workers; allowed: {}, the NPUs of {}",
                    to_string(strategy), strategy.workers(), system.npus(), system.name));
  }
  const std::string& what = model.name;
  const auto extents = [&](int size, int stride) {
    return group_extents(system.sizes, {.size = size, .stride = stride}, what);
  };
  const std::vector<int> along_mp = extents(strategy.mp, 1);
  const std::vector<int> along_pp = extents(strategy.pp, strategy.mp);
  const std::vector<int> along_dp = extents(strategy.dp, strategy.mp * strategy.pp);
  const auto samples = static_cast<double>(options.minibatch) / strategy.dp;
  const auto microbatches = static_cast<double>(options.microbatches);
  // A stage, with its bubbles.
  const double share = (microbatches + strategy.pp - 1) / microbatches / strategy.pp;
  TimeModel times(system.sizes.size());
  TimeBranch forward, backward, gradients;
  std::uint64_t input = model.sample_bytes;
  double most_output = 0;
  for (const ModelLayer& layer : model.layers) {
    for (const Pass pass : {Pass::kForward, Pass::kBackward}) {
      TimeBranch& branch = pass == Pass::kForward ? forward : backward;
      branch.constant_ns += share * 1e-3 * microbatches *
                            compute_ps(speed, layer, input, pass, samples / microbatches,
                                       strategy.mp, options.recompute);
      if (layer.reduces)
        times.add_to(
            branch,
            dimension_bytes(Collective::kAllReduce,
                            static_cast<double>(layer.output_bytes) * samples, along_mp, what),
            share);
    }
    input = layer.output_bytes;
    most_output = std::max(most_output, static_cast<double>(layer.output_bytes));
  }
  std::vector<double> between(system.sizes.size(), 0.0);
  for (std::size_t d = 0; d < between.size(); ++d)
    if (along_pp[d] > 1) between[d] = most_output * samples / microbatches;
  times.add_to(forward, between, microbatches + strategy.pp - 2);
  times.add_to(backward, between, microbatches + strategy.pp - 2);
  times.add_to(gradients, dimension_bytes(Collective::kAllReduce,
                                          static_cast<double>(model.parameters() * kGradientBytes) /
                                              (strategy.mp * strategy.pp),
                                          along_dp, what));
  times.add({forward});
  if (options.accounting == Accounting::kSerial || gradients.weights.empty()) {
    times.add({backward});
    times.add({gradients});
  } else {
    times.add({backward, gradients});
  }
  return times;
}

TimeModel collective_time(Collective collective, double bytes, const SystemSizes& system) {
  TimeModel times(system.sizes.size());
  TimeBranch one;
  times.add_to(one, dimension_bytes(collective, bytes, system.sizes, to_string(collective)));
  times.add({one});
  return times;
}

}  // namespace fredsim
