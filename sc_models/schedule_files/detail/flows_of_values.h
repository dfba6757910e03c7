// SPDX-License-Identifier: Apache-2.0
// Flows of a schedule (schedule_files/schedule.h) from the values of a symbolic run that is right.
#pragma once

#include <vector>

#include "schedule_files/detail/chunk_values.h"
#include "schedule_files/detail/step_program.h"
#include "schedule_files/schedule.h"

namespace fredsim {

using OutputValues = std::vector<std::vector<int>>;  // values by rank and place of its output

// Adds flows and notes. Neighbouring chunks with equal hops become one flow.
// Errors: BadInput with the rank and chunk whose sums are no tree.
void add_flows(const StepProgram& program, const ChunkValues& values, const OutputValues& outputs,
               CollectiveSchedule& schedule);

}  // namespace fredsim
