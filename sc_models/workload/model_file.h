// SPDX-License-Identifier: Apache-2.0
// Model file: YAML with `name`, `sample` and `layers`, a list in the order of the forward pass; or,
// in place of the last two, `transformer`, numbers that define both (workload/transformer_shape.h).
// Rows of model_file_keys() define the keys. workload/model_shape.h defines the meaning of the
// values. configs/models/small.yaml and llama3_70b.yaml are examples with every key.
// Errors: BadInput with file, line and key, what was found and what is allowed.
#pragma once

#include <string>

#include "base/file_key.h"
#include "workload/model_shape.h"

namespace fredsim {

const FileKeys& model_file_keys();
ModelShape read_model_file(const std::string& path);

}  // namespace fredsim
