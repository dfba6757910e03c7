// SPDX-License-Identifier: Apache-2.0
// Repeated blocks of a sequence: layers and microbatches.
//
// A repeat is a block that comes at least twice in a row. The repeats that cover most of the
//   sequence are taken first, then repeats in the rest and inside of blocks. Equal blocks of all
//   sequences are one.
#pragma once

#include <map>
#include <vector>

#include "synthesis/trace_model.h"

namespace fredsim {

class RepeatFolder {
 public:
  explicit RepeatFolder(int tokens) : tokens_(tokens) {}  // symbols below are tokens
  std::vector<int> fold(const std::vector<int>& sequence);
  const std::vector<TraceRepeat>& repeats() const { return repeats_; }
  const std::vector<std::vector<int>>& blocks() const { return blocks_; }

 private:
  int symbol_of(std::vector<int> block, int count);

  int tokens_;
  std::vector<TraceRepeat> repeats_;
  std::vector<std::vector<int>> blocks_;
  std::map<std::vector<int>, int> block_numbers_;
  std::map<TraceRepeat, int> repeat_numbers_;
};

}  // namespace fredsim
