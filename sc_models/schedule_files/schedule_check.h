// SPDX-License-Identifier: Apache-2.0
// Check of a schedule's flows before they run: every rank ends with exactly its data.
//
// Sums: each rank sends its sum at most once, all sums end in one root, and each rank's operand is
//   in the sum once. Results: each rank that needs the result receives it once, from a rank that
//   has it. Shares: all flows together make up the vector, or every block, once.
// Errors: BadInput with the file, the rank and the chunk: "ring.json: rank 3 lacks chunk 2 of 4 of
//   rank 1", "… has chunk 2 of 4 of rank 1 twice".
#pragma once

#include "schedule_files/schedule.h"

namespace fredsim {

void check_schedule(const CollectiveSchedule& schedule);

}  // namespace fredsim
