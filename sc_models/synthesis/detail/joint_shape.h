// SPDX-License-Identifier: Apache-2.0
// Shapes of a job's traces (workload_files/trace_shapes.h) by families, for the model.
//
// Kept: a shape whose work is one collective of all groups of a family, and the collectives planned
//   with it, each of all groups of a family. Unequal all-to-alls become equal ones. An algorithm
//   that is not fredsim's becomes `auto`, so that a model has no text of its sources.
#pragma once

#include <optional>

#include "synthesis/detail/layout_of_job.h"

namespace fredsim {

// No value: a shape of another form.
std::optional<JointShape> joint_shape(const TraceShape& shape, const CommGroups& groups,
                                      const LayoutOfJob& job);

// The word if it is an algorithm's or a choice's; else `auto`.
std::string known_algorithm(const std::string& word);

}  // namespace fredsim
