// SPDX-License-Identifier: Apache-2.0
// Schedules from files as algorithms (collective/algorithm.h): the name of the algorithm is the
// name of the file.
//
// Flows of a schedule become trees. Its shares are rounded down to whole flits; on a fabric with
// slices, a flow that names none is cut over all of them. Packets of a flow follow each other
// through its hops; nothing waits for a whole chunk.
#pragma once

#include <string>
#include <string_view>

#include "collective/algorithm.h"
#include "schedule_files/schedule.h"

namespace fredsim {

// Adds the algorithm of a schedule that is no file, under the name in CollectiveSchedule::file; a
// later one of this name replaces it.
const Algorithm& add_schedule_algorithm(CollectiveSchedule schedule);

// Schedule of a plan with one part, with which another plan of equal size has equal trees.
// Errors: BadInput for a plan that no schedule expresses: sums in switches, relays, streams.
CollectiveSchedule schedule_of(const Topology& topology, const Plan& plan);

}  // namespace fredsim
