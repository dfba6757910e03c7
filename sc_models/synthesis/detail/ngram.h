// SPDX-License-Identifier: Apache-2.0
// Counts of symbols by the symbols before them, and the order that predicts sequences best.
//
// Likelihood: counts of orders 0 to `order` are mixed as by Witten and Bell; a held-out sequence is
//   predicted by the counts of the others of its scope, every fifth of a scope that has several.
//   Orders are compared by bits per symbol.
// Contexts: symbol and number of each, by turns (synthesis/trace_model.h).
#pragma once

#include <array>
#include <vector>

#include "synthesis/trace_model.h"

namespace fredsim {

struct ScopedSequence {
  int scope = 0;
  std::vector<int> symbols{};
  std::uint64_t weight = 1;
};

using OrderBits = std::array<double, TraceModel::kMaxOrder + 1>;  // index 0: unused

// The highest order whose bits are within 2 % of the least: a tie goes to more structure.
int best_order(const OrderBits& bits);
// Appends a symbol and its number to those before; `seen` counts symbols.
void note_symbol(std::vector<int>& before, SymbolCounts& seen, int symbol);
// The last `symbols` of those before.
std::vector<int> last_symbols(const std::vector<int>& before, std::size_t symbols);
// Contexts of 0 to `order` symbols, by scope.
std::vector<ContextCounts> count_contexts(const std::vector<ScopedSequence>& sequences, int scopes,
                                          int order);
// Scopes of the model, their contexts pruned.
std::vector<ModelScope> count_variants(const std::vector<ScopedSequence>& sequences, int scopes,
                                       int order);
// Bits per symbol of held-out sequences; if every scope has one, of the last fifth of the longest.
OrderBits held_out_bits(const std::vector<ScopedSequence>& sequences, int scopes, int symbols);
// Counts of the longest kept suffix of a context.
const SymbolCounts& next_symbols(const ContextCounts& contexts, std::vector<int> context);
// Leaves out contexts that say what the longest kept suffix says.
void prune_contexts(ContextCounts& contexts);

}  // namespace fredsim
