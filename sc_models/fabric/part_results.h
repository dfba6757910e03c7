// From a finished job to the parts of its RunResult (observe/results.h).
#pragma once

#include "collective/plan.h"
#include "endpoint/collective_job.h"
#include "observe/results.h"

namespace fredsim {

// Fills parts, groups, collective, algorithm, size and bandwidths; time_ns and clock_ghz are set.
void fill_parts(const Topology& topology, const Plan& plan, const CollectiveJob& job,
                RunResult& result);

// Slices of a FRED tree that a plan's in-switch trees use.
int in_switch_slices(const Plan& plan);

}  // namespace fredsim
