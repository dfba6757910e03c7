// SPDX-License-Identifier: Apache-2.0
#include "synthesis/detail/ngram.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fredsim {
namespace {

std::uint64_t total_of(const SymbolCounts& counts) {
  std::uint64_t total = 0;
  for (const auto& [symbol, count] : counts) total += count;
  return total;
}

// Calls see(before, next) for each symbol, and for the end of the sequence; `before` is its start
// and all symbols up to there.
template <typename See>
void each_symbol(const std::vector<int>& symbols, const See& see) {
  std::vector<int> before;
  SymbolCounts seen;
  note_symbol(before, seen, kSequenceStart);
  for (const int symbol : symbols) {
    see(before, symbol);
    note_symbol(before, seen, symbol);
  }
  see(before, kSequenceEnd);
}

void count(const ScopedSequence& sequence, int order, ContextCounts& contexts) {
  each_symbol(sequence.symbols, [&](const std::vector<int>& before, int next) {
    const std::size_t most = std::min(before.size() / 2, static_cast<std::size_t>(order));
    for (std::size_t length = 0; length <= most; ++length)
      contexts[last_symbols(before, length)][next] += sequence.weight;
  });
}

bool says_the_same(const SymbolCounts& a, const SymbolCounts& b) {
  if (a.size() != b.size()) return false;
  const std::uint64_t of_a = total_of(a), of_b = total_of(b);
  return std::ranges::equal(a, b, [&](const auto& x, const auto& y) {
    return x.first == y.first && x.second * of_b == y.second * of_a;
  });
}

}  // namespace

void note_symbol(std::vector<int>& before, SymbolCounts& seen, int symbol) {
  before.push_back(symbol);
  before.push_back(static_cast<int>(seen[symbol]++));
}

std::vector<int> last_symbols(const std::vector<int>& before, std::size_t symbols) {
  return {before.end() - static_cast<std::ptrdiff_t>(2 * symbols), before.end()};
}

std::vector<ContextCounts> count_contexts(const std::vector<ScopedSequence>& sequences, int scopes,
                                          int order) {
  std::vector<ContextCounts> counts(static_cast<std::size_t>(scopes));
  for (const ScopedSequence& sequence : sequences)
    count(sequence, order, counts[static_cast<std::size_t>(sequence.scope)]);
  return counts;
}

std::vector<ModelScope> count_variants(const std::vector<ScopedSequence>& sequences, int scopes,
                                       int order) {
  std::vector<ModelScope> all(static_cast<std::size_t>(scopes));
  for (const ScopedSequence& sequence : sequences) {
    SymbolCounts totals;
    for (const int symbol : sequence.symbols) ++totals[symbol];
    ModelScope& scope = all[static_cast<std::size_t>(sequence.scope)];
    auto own = std::ranges::find(scope, totals, &SequenceVariant::totals);
    if (own == scope.end())
      own = scope.insert(scope.end(), {.weight = 0, .totals = std::move(totals)});
    own->weight += sequence.weight;
    count(sequence, order, own->contexts);
  }
  for (ModelScope& scope : all)
    for (SequenceVariant& variant : scope) prune_contexts(variant.contexts);
  return all;
}

const SymbolCounts& next_symbols(const ContextCounts& contexts, std::vector<int> context) {
  while (true) {
    if (const auto found = contexts.find(context); found != contexts.end()) return found->second;
    context.erase(context.begin(), context.begin() + 2);
  }
}

OrderBits held_out_bits(const std::vector<ScopedSequence>& sequences, int scopes, int symbols) {
  constexpr std::size_t kFold = 5;
  std::vector<ScopedSequence> known, held;
  std::vector<std::size_t> in_scope(static_cast<std::size_t>(scopes), 0);
  for (const ScopedSequence& sequence : sequences) {
    const std::size_t number = in_scope[static_cast<std::size_t>(sequence.scope)]++;
    (number % kFold == 1 ? held : known).push_back(sequence);
  }
  if (held.empty() && !known.empty()) {
    ScopedSequence& longest =
        *std::ranges::max_element(known, {}, [](const auto& s) { return s.symbols.size(); });
    const auto cut = static_cast<std::ptrdiff_t>(longest.symbols.size() * (kFold - 1) / kFold);
    held.push_back(longest);
    held.back().symbols.erase(held.back().symbols.begin(), held.back().symbols.begin() + cut);
    longest.symbols.erase(longest.symbols.begin() + cut, longest.symbols.end());
  }
  const std::vector<ContextCounts> counts = count_contexts(known, scopes, TraceModel::kMaxOrder);
  OrderBits bits{};
  std::uint64_t seen = 0;
  for (const ScopedSequence& sequence : held) {
    const ContextCounts& scope = counts[static_cast<std::size_t>(sequence.scope)];
    each_symbol(sequence.symbols, [&](const std::vector<int>& before, int next) {
      ++seen;
      double chance = 1.0 / (symbols + 1);
      for (std::size_t order = 0; order < bits.size(); ++order) {
        if (order <= before.size() / 2)
          if (const auto at = scope.find(last_symbols(before, order)); at != scope.end()) {
            const auto kinds = static_cast<double>(at->second.size());
            const auto found = at->second.find(next);
            const double count = found == at->second.end() ? 0 : static_cast<double>(found->second);
            chance = (count + kinds * chance) / (static_cast<double>(total_of(at->second)) + kinds);
          }
        bits[order] -= std::log2(chance);
      }
    });
  }
  for (double& one : bits) one /= static_cast<double>(std::max<std::uint64_t>(seen, 1));
  return bits;
}

int best_order(const OrderBits& bits) {
  constexpr double kTie = 1.02;
  const double least = *std::min_element(bits.begin() + 1, bits.end());
  int order = TraceModel::kMaxOrder;
  while (order > 1 && bits[static_cast<std::size_t>(order)] > least * kTie) --order;
  return order;
}

void prune_contexts(ContextCounts& contexts) {
  std::vector<std::vector<int>> keys;
  for (const auto& [key, counts] : contexts) keys.push_back(key);
  std::ranges::stable_sort(keys, {}, [](const std::vector<int>& key) { return key.size(); });
  for (const std::vector<int>& key : keys) {
    if (key.empty()) continue;
    const SymbolCounts& suffix = next_symbols(contexts, {key.begin() + 2, key.end()});
    if (says_the_same(contexts.at(key), suffix)) contexts.erase(key);
  }
}

}  // namespace fredsim
