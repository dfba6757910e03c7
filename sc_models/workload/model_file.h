// SPDX-License-Identifier: Apache-2.0
// A model as a file: YAML with `name`, `sample` (bytes of one sample's input, a size), and `layers`, a list
// in the order of the forward pass:
//   name, parameters, flops (numbers: 9408, 118e6), output (a size), [reduces = false], [repeat = 1]
//   [forward, backward]  times of a microbatch on one worker ("12.5 us"), in place of what flops would take
// or, in place of `sample` and `layers`, `transformer`, numbers of which both follow (workload/transformer_shape.h):
//   layers, hidden, heads, [kv_heads = heads], [head_size = hidden / heads], mlp, [mlp_matrices = 2], vocabulary, sequence
// What the values mean: workload/model_shape.h. configs/models/small.yaml and llama3_70b.yaml are examples with every key.
// Errors: BadInput with file, line and key, what was found and what is allowed.
#pragma once

#include <string>

#include "workload/model_shape.h"

namespace fredsim {

ModelShape read_model_file(const std::string& path);

}  // namespace fredsim
