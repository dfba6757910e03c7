// SPDX-License-Identifier: Apache-2.0
// Chunks of collectives on systems (plan/chunking.h) as results name them, and where they are allowed.
#pragma once

#include "plan/chunking.h"
#include "results/results.h"

namespace fredsim {

// As results have them.
void name_orders(const Chunking& chunking, RunResult& result);

// `has_system`: a machine of the command is one; else no such option is allowed.
void check_chunking(const Chunking& chunking, bool has_system);

}  // namespace fredsim
