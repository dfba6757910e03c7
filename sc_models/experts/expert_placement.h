// SPDX-License-Identifier: Apache-2.0
// Placement of experts on the ranks of a group of expert parallelism.
//
// A rank has `slots` experts, or as many as a file gives it. An expert may be on several ranks,
// once on each: copies share its tokens.
// Contiguous: slots are numbered through all ranks, and slot s has expert s modulo the number of
//   experts. With more slots than experts the last ranks thus have further copies of the first
//   experts.
// Files, YAML or JSON: a list by expert layer (a single entry: all layers alike) of lists by rank
//   of expert numbers:
//
//   layers: [[[0, 1], [2, 3], [1, 0]]]
//
// Errors: BadInput for an expert that no rank has, or that a rank has twice; for files with the
//   line.
#pragma once

#include <string>
#include <vector>

#include "base/file_key.h"

namespace fredsim {

struct ExpertPlacement {
  using Ranks = std::vector<std::vector<int>>;  // index: rank; its experts

  std::vector<Ranks> layers;
  std::vector<std::string> places{};  // index: layer; its line in a file
  const Ranks& of(int layer) const {
    return layers.size() == 1 ? layers.front() : layers.at(layer);
  }
};

ExpertPlacement contiguous_experts(int experts, int ranks, int slots);

const FileKeys& expert_placement_keys();
ExpertPlacement read_expert_placement(const std::string& path);
std::string expert_placement_text(const ExpertPlacement& placement);

// Throws BadInput unless the placement fits these numbers of experts, ranks and layers with
// experts. `source`: its file or option.
void check_expert_placement(const ExpertPlacement& placement, const std::string& source,
                            int experts, int ranks, int layers);

// Copies of each expert.
std::vector<int> copies_of(const ExpertPlacement::Ranks& ranks, int experts);

}  // namespace fredsim
