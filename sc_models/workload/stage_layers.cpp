// SPDX-License-Identifier: Apache-2.0
#include "workload/stage_layers.h"

#include "workload/execution.h"

namespace fredsim {

std::vector<LayerRange> ranges_of_stage(const ModelShape& model, const TrainingOptions& options,
                                        int stage) {
  return execution_of(options).ranges(model, options, stage);
}

ModelShape cut_recomputation(ModelShape model, const TrainingOptions& options) {
  for (int stage = 0; stage < options.strategy.pp; ++stage)
    for (const LayerRange& range : ranges_of_stage(model, options, stage))
      if (range.end > range.first) model.layers[range.end - 1].joins_next = false;
  return model;
}

int first_layer_of_inference(int layers, int stages, int stage) { return layers * stage / stages; }

std::vector<double> layers_per_stage(const ModelShape& model, const TrainingOptions& options) {
  constexpr double kHalf = 0.5;
  std::vector<double> layers;
  for (int stage = 0; stage < options.strategy.pp; ++stage) {
    int own = 0;
    for (const LayerRange& range : ranges_of_stage(model, options, stage))
      own += range.end - range.first;
    layers.push_back(model.transformer ? kHalf * own : own);
  }
  return layers;
}

std::vector<double> layers_per_stage_of_inference(int layers, int stages) {
  std::vector<double> found;
  for (int stage = 0; stage < stages; ++stage)
    found.push_back(first_layer_of_inference(layers, stages, stage + 1) -
                    first_layer_of_inference(layers, stages, stage));
  return found;
}

}  // namespace fredsim
