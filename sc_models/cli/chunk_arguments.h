// SPDX-License-Identifier: Apache-2.0
// Chunks of collectives on systems, on the command line: --chunks, --dimension-order, --chunk-order, --threshold.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "plan/chunking.h"
#include "runner/chunk_options.h"

namespace fredsim {

struct ChunkStrings {
  std::string chunks, dimension_order, chunk_order, threshold;
  void add_to(CLI::App& command);
  Chunking checked() const;
};

// As results have it, of a run on a system.
}  // namespace fredsim
