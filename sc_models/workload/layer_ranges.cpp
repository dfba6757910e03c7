// SPDX-License-Identifier: Apache-2.0
#include "workload/layer_ranges.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace fredsim {

std::uint64_t parameters_of(const ModelShape& model, const LayerRange& layers) {
  std::uint64_t parameters = 0;
  for (int l = layers.first; l < layers.end; ++l) parameters += model.layers[l].parameters;
  return parameters;
}

std::vector<LayerRange> stages_of(const ModelShape& model, int stages) {
  const int layers = static_cast<int>(model.layers.size());
  if (stages > layers)
    throw BadInput(fmt::format("--pp: found {}; allowed: 1 to {}, the layers of {}", stages, layers,
                               model.name));
  std::vector<LayerRange> ranges;
  const double total = model.flops();
  double sum = 0;
  int layer = 0;
  for (int stage = 0; stage < stages; ++stage) {
    const int first = layer;
    const double wanted = total * (stage + 1) / stages;
    const int max = layers - (stages - stage - 1);
    while (layer < max &&
           (layer == first || stage + 1 == stages || sum + model.layers[layer].flops / 2 < wanted))
      sum += model.layers[layer++].flops;
    ranges.push_back({first, layer});
  }
  return ranges;
}

std::vector<LayerRange> streamed_group(const ModelShape& model, int stages, int layers,
                                       int number) {
  const int all = static_cast<int>(model.layers.size());
  std::vector<LayerRange> ranges;
  for (int stage = 0; stage < stages; ++stage) {
    const int first = (number * stages + stage) * layers;
    ranges.push_back({std::min(first, all), std::min(first + layers, all)});
  }
  return ranges;
}

int streamed_groups(const ModelShape& model, int stages, int layers) {
  const int of_group = stages * layers;
  return (static_cast<int>(model.layers.size()) + of_group - 1) / of_group;
}

}  // namespace fredsim
