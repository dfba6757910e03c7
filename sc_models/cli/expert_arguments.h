// SPDX-License-Identifier: Apache-2.0
// Experts on the command line of `fredsim train`: --ep, --router, --expert-placement, --expert-slots, --capacity.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "runner/file_uses.h"
#include "workload/expert_layers.h"

namespace fredsim {

struct ExpertStrings {
  std::string ep, router, placement, slots, capacity;
  void add_to(CLI::App& command);
  ExpertOptions checked() const;
  // Option and text of each.
  std::vector<std::pair<const char*, const std::string*>> all() const;
};

// Files that are read.
void add_expert_files(const ExpertOptions& options, std::vector<FileUse>& inputs);

}  // namespace fredsim
