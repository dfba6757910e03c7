// SPDX-License-Identifier: Apache-2.0
// Draws sequences of tokens from a model's scopes.
//
// A sequence has the totals of a variant that was learned, so that numbers of layers, microbatches
//   and operations are exact; contexts choose its order among the symbols that are left.
// Errors: BadInput for more than `max_nodes` tokens.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "synthesis/trace_model.h"

namespace fredsim {

// Index of a weight; their sum is over 0.
std::size_t draw_weighted(const std::vector<std::uint64_t>& weights, Random& random);
std::uint64_t draw_value(const DrawnValues& from, Random& random);

struct DrawnToken {
  int token = 0;
  std::uint64_t size = 0;
};

class SymbolDrawing {
 public:
  // `layers`: factor over the counts of innermost repeats.
  SymbolDrawing(const TraceModel& model, double layers, std::uint64_t max_nodes, Random& random)
      : model_(model), layers_(layers), max_nodes_(max_nodes), random_(random) {}

  std::uint64_t repeats() const { return repeats_; }  // blocks drawn
  // Sequence of a layout; `turn`: consecutive ones take the variants in turn.
  std::vector<DrawnToken> sequence(std::size_t layout, std::uint64_t turn);

 private:
  // Appends a sequence; true if it has a repeat.
  bool append(const SequenceVariant& variant, std::vector<DrawnToken>& into);
  int next_symbol(const ContextCounts& contexts, const std::vector<int>& before,
                  const SymbolCounts& left);
  void repeat(const TraceRepeat& repeat, std::vector<DrawnToken>& into);
  void check_size(std::size_t tokens) const;

  const TraceModel& model_;
  double layers_;
  std::uint64_t max_nodes_;
  Random& random_;
  std::uint64_t repeats_ = 0;
};

}  // namespace fredsim
