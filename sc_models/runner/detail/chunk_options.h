// SPDX-License-Identifier: Apache-2.0
// Chunks of collectives on systems (plan/chunking.h) as results name them, and where they are
// allowed.
#pragma once

#include "plan/chunking.h"
#include "results/option_row.h"
#include "results/results.h"

namespace fredsim {

// Names the orders of chunks in the form of a result.
void name_orders(const Chunking& chunking, RunResult& result);

// Completes the values read from the rows of plan/chunk_rows.h: with a given order of dimensions,
// chunks are processed as they arrive.
void complete_chunking(const OptionTexts& texts, Chunking& chunking);

// `has_system`: a machine of the command is a system; else no chunk option is allowed.
void check_chunking(const Chunking& chunking, bool has_system);

}  // namespace fredsim
