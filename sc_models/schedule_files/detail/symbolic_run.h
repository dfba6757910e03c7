// SPDX-License-Identifier: Apache-2.0
// Symbolic run of programs of ranks: each chunk is a value, an operand, a copy that came from
// another rank, or a sum of two values. Its flows are the schedule of the programs.
//
// Check: at the end every rank has exactly the chunks of its collective in its output, as sets of
//   contributions (rank, chunk, multiplicity). The run is made twice, with thread blocks in
//   opposite order: where the outcomes differ, steps race.
// Flows: hops that no result needs are left out. A partial sum that a rank forwards without adding
//   goes straight to the rank that adds it. Each is a note of the schedule.
// Errors: BadInput with file, rank and chunk: what it lacks, or has twice; the step that waits for
//   ever, and for what; a buffer that has nothing yet; the rank at which sums do not have the form
//   of flows (schedule_files/schedule.h).
#pragma once

#include "schedule_files/detail/step_program.h"
#include "schedule_files/schedule.h"

namespace fredsim {

// Fills in `flows` and `notes` of a schedule with file and names.
void run_symbolically(const StepProgram& program, CollectiveSchedule& schedule);

}  // namespace fredsim
