// SPDX-License-Identifier: Apache-2.0
// Work of `fredsim run` and `compare`, from their options: collectives, groups, sizes.
//
// Units: sizes in bytes, with NCCL's meaning.
// Errors: BadInput naming the option, or file, line and key, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/option_row.h"
#include "runner/file_uses.h"
#include "runner/work_options.h"

namespace fredsim {

// The options' strings, as CLI11 collects them.
struct WorkStrings {
  std::string collective, algorithm, root, roots, priority, matrix, work;
  std::string strategy, dimension, placement;
  OptionTexts texts;  // values of options that have rows
  std::vector<std::string> groups;
  std::string size, begin, end, factor;
  void add_to(CLI::App& command);
  WorkOptions checked() const;

 private:
  void check_strategy(const WorkOptions& options) const;
};

// To the files that a command reads: those that the options name.
void add_work_files(const WorkStrings& strings, const WorkOptions& work, FileUses& files);

}  // namespace fredsim
