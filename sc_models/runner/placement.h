// SPDX-License-Identifier: Apache-2.0
// Parses --strategy, --dimension and --placement: 3D parallelism on the command line
// (plan/parallelism.h, worker_placement.h).
//
// A placement file is a list of NPUs by worker rank, YAML or JSON: [3, 2, 1, 0].
// Errors: BadInput with the option or the file and line, the found value and the allowed values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_key.h"
#include "plan/parallelism.h"
#include "topology/topology.h"

namespace fredsim {

struct Placement {
  enum class Kind : std::uint8_t { kIdentity, kPaper, kSnake, kFile };
  Kind kind = Kind::kIdentity;
  std::string path;       // kFile
  std::vector<int> npus;  // kFile: by worker rank, each once
  bool needs_strategy() const { return kind == Kind::kPaper || kind == Kind::kSnake; }
  std::string name() const;
};

const FileKeys& placement_file_keys();

// Parses "paper", "snake", "identity" or the path of a file, which is read.
Placement parse_placement(const std::string& text);

// Parses "mp", or several dimensions with commas between them, without duplicates.
std::vector<Dimension> parse_dimensions(const std::string& text);

// NPUs of the machine by worker rank: for the strategy, from the file, or all NPUs; kPaper and
// kSnake need a strategy.
std::vector<int> npus_of(const Placement& placement, const std::optional<Strategy>& strategy,
                         const Topology& topology);

}  // namespace fredsim
