// SPDX-License-Identifier: Apache-2.0
// Layers of a model on the NPUs of a pipeline stage.
//
// Training cuts by halves of a transformer's layers (workload/layer_ranges.h), inference by whole
//   ones. Streamed weights: a stage has a range of every group.
#pragma once

#include <vector>

#include "workload/layer_ranges.h"
#include "workload/training_options.h"

namespace fredsim {

// Training: ranges of a stage, a single one, or one per group if streamed.
std::vector<LayerRange> ranges_of_stage(const ModelShape& model, const TrainingOptions& options,
                                        int stage);

// Model whose full recomputation does not join layers of two ranges, since an NPU does not have
// both at a time.
ModelShape cut_recomputation(ModelShape model, const TrainingOptions& options);

// Inference: first layer of a stage; for the stage behind the last one the number of layers.
int first_layer_of_inference(int layers, int stages, int stage);

// Numbers of layers by stage; whole and half layers for a transformer.
std::vector<double> layers_per_stage(const ModelShape& model, const TrainingOptions& options);
std::vector<double> layers_per_stage_of_inference(int layers, int stages);

}  // namespace fredsim
