// SPDX-License-Identifier: Apache-2.0
#include "synthesis/detail/symbol_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "synthesis/detail/ngram.h"

namespace fredsim {

std::size_t draw_weighted(const std::vector<std::uint64_t>& weights, Random& random) {
  std::uint64_t total = 0;
  for (const std::uint64_t weight : weights) total += weight;
  std::uint64_t at = random.below(total);
  std::size_t n = 0;
  while (at >= weights[n]) at -= weights[n++];
  return n;
}

std::uint64_t draw_value(const DrawnValues& from, Random& random) {
  return from.values.empty() ? 0 : from.values[draw_weighted(from.weights, random)];
}

std::vector<DrawnToken> SymbolDrawing::sequence(std::size_t layout, std::uint64_t turn) {
  const ModelScope& scope = model_.scopes[layout];
  std::uint64_t total = 0;
  std::uint64_t divisor = 0;
  for (const SequenceVariant& one : scope) divisor = std::gcd(divisor, one.weight);
  for (const SequenceVariant& one : scope) total += one.weight / divisor;
  std::uint64_t at = turn % total;
  std::size_t n = 0;
  while (at >= scope[n].weight / divisor) at -= scope[n++].weight / divisor;
  std::vector<DrawnToken> drawn;
  append(scope[n], drawn);
  return drawn;
}

bool SymbolDrawing::append(const SequenceVariant& variant, std::vector<DrawnToken>& into) {
  const auto tokens = static_cast<int>(model_.tokens.size());
  SymbolCounts left = variant.totals, seen;
  std::vector<int> before;
  note_symbol(before, seen, kSequenceStart);
  bool has_repeat = false;
  while (!left.empty()) {
    const int symbol = next_symbol(variant.contexts, before, left);
    if (const auto own = left.find(symbol); --own->second == 0) left.erase(own);
    if (symbol < tokens) {
      const DrawnValues& sizes = model_.tokens[static_cast<std::size_t>(symbol)].sizes;
      into.push_back({symbol, draw_value(sizes, random_)});
      check_size(into.size());
    } else {
      repeat(model_.repeats[static_cast<std::size_t>(symbol - tokens)], into);
      has_repeat = true;
    }
    note_symbol(before, seen, symbol);
    if (before.size() > 2 * TraceModel::kMaxOrder) before.erase(before.begin(), before.begin() + 2);
  }
  return has_repeat;
}

// A symbol that is left: one that follows the longest context after which any of them comes, each as
// often as it did; without such a context by what is left.
int SymbolDrawing::next_symbol(const ContextCounts& contexts, const std::vector<int>& before,
                               const SymbolCounts& left) {
  const auto drawn = [&](const SymbolCounts& counts) {
    std::vector<int> symbols;
    std::vector<std::uint64_t> weights;
    for (const auto& [symbol, count] : counts)
      if (left.contains(symbol)) {
        symbols.push_back(symbol);
        weights.push_back(count);
      }
    return symbols.empty() ? kSequenceEnd : symbols[draw_weighted(weights, random_)];
  };
  std::vector<int> key =
      last_symbols(before, std::min(before.size() / 2, static_cast<std::size_t>(model_.order)));
  while (true) {
    if (const auto found = contexts.find(key); found != contexts.end())
      if (const int symbol = drawn(found->second); symbol != kSequenceEnd) return symbol;
    if (key.empty()) return drawn(left);
    key.erase(key.begin(), key.begin() + 2);
  }
}

void SymbolDrawing::repeat(const TraceRepeat& repeat, std::vector<DrawnToken>& into) {
  std::vector<DrawnToken> body;
  const ModelScope& scope =
      model_.scopes[model_.layouts.size() + static_cast<std::size_t>(repeat.block)];
  const bool is_outer = append(scope.front(), body);
  ++repeats_;
  const auto count =
      is_outer ? repeat.count : std::max(1, static_cast<int>(std::lround(repeat.count * layers_)));
  check_size(into.size() + body.size() * static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) into.insert(into.end(), body.begin(), body.end());
}

void SymbolDrawing::check_size(std::size_t tokens) const {
  if (tokens > max_nodes_)
    throw BadInput(fmt::format("--scale: found over {} nodes; allowed: fewer", max_nodes_));
}

}  // namespace fredsim
