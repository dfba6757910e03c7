// SPDX-License-Identifier: Apache-2.0
// Chunks of collectives on systems (plan/chunking.h) as results name them, and where they are
// allowed.
#pragma once

#include "plan/chunking.h"
#include "results/option_row.h"
#include "results/results.h"

namespace fredsim {

// As results have them.
void name_orders(const Chunking& chunking, RunResult& result);

// Completes what the rows of plan/chunk_rows.h read: with an order of dimensions that was given
// chunks come as they arrive.
void complete_chunking(const OptionTexts& texts, Chunking& chunking);

// `has_system`: a machine of the command is one; else no such option is allowed.
void check_chunking(const Chunking& chunking, bool has_system);

}  // namespace fredsim
