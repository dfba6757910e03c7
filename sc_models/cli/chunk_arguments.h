// SPDX-License-Identifier: Apache-2.0
// Chunks of collectives on systems, on the command line: --chunks, --dimension-order, --chunk-order, --threshold.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "plan/chunking.h"
#include "results/results.h"

namespace fredsim {

struct ChunkStrings {
  std::string chunks, dimension_order, chunk_order, threshold;
  void add_to(CLI::App& command);
  Chunking checked() const;
};

// As results have it, of a run on a system.
void name_orders(const Chunking& chunking, RunResult& result);

// `has_system`: a machine of the command is one; else no such option is allowed.
void check_chunking(const Chunking& chunking, bool has_system);

}  // namespace fredsim
