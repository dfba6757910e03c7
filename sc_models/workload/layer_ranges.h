// SPDX-License-Identifier: Apache-2.0
// Ranges of a model's layers: the stages of a pipeline, or the groups of streaming.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/model_shape.h"

namespace fredsim {

struct LayerRange {
  int first = 0, end = 0;
};

std::uint64_t parameters_of(const ModelShape& model, const LayerRange& layers);

// Stages with FLOPs as even as whole layers allow, a layer each at least. Errors: BadInput for more
// stages than layers.
std::vector<LayerRange> stages_of(const ModelShape& model, int stages);

// Streaming: layers of group `number` by stage, the next `layers` of the model each. The last group
// may have fewer, or none for the last stages.
std::vector<LayerRange> streamed_group(const ModelShape& model, int stages, int layers, int number);
int streamed_groups(const ModelShape& model, int stages, int layers);

}  // namespace fredsim
