// SPDX-License-Identifier: Apache-2.0
// Layers of a model that the NPUs of a pipeline stage have.
//
// Training cuts by halves of a transformer's layers (workload/layer_ranges.h), inference by whole
//   ones. Streamed weights: a stage has a range of every group.
#pragma once

#include <vector>

#include "workload/layer_ranges.h"
#include "workload/training_options.h"

namespace fredsim {

// Training: ranges of a stage, one, or streamed one per group.
std::vector<LayerRange> ranges_of_stage(const ModelShape& model, const TrainingOptions& options,
                                        int stage);

// Model whose full recomputation joins no layers of two ranges, which an NPU does not have at once.
ModelShape cut_recomputation(ModelShape model, const TrainingOptions& options);

// Inference: the layer that a stage begins with; of the stage behind the last one the number of
// layers.
int first_layer_of_inference(int layers, int stages, int stage);

// Numbers of layers by stage, those of a transformer in whole layers and halves.
std::vector<double> layers_per_stage(const ModelShape& model, const TrainingOptions& options);
std::vector<double> layers_per_stage_of_inference(int layers, int stages);

}  // namespace fredsim
