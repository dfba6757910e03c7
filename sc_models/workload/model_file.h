// SPDX-License-Identifier: Apache-2.0
// A model as a file: YAML with `name`, `sample` and `layers`, a list in the order of the forward
// pass; or, in place of these two, `transformer`, numbers that both follow from
// (workload/transformer_shape.h). Rows of model_file_keys() say what stands under each key.
// What the values mean: workload/model_shape.h. configs/models/small.yaml and llama3_70b.yaml are
// examples with every key.
// Errors: BadInput with file, line and key, what was found and what is allowed.
#pragma once

#include <string>

#include "base/file_key.h"
#include "workload/model_shape.h"

namespace fredsim {

const FileKeys& model_file_keys();
ModelShape read_model_file(const std::string& path);

}  // namespace fredsim
