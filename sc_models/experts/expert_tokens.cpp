// SPDX-License-Identifier: Apache-2.0
#include "experts/expert_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fredsim {
namespace {

// Tokens of a rank that go to each expert.
std::vector<std::uint64_t> counts_of(const std::vector<double>& chances, std::uint64_t tokens,
                                     int top_k, double offset) {
  std::vector<std::uint64_t> counts;
  const std::uint64_t all = tokens * static_cast<std::uint64_t>(top_k);
  double cumulated = 0;
  std::uint64_t before = 0;
  for (std::size_t e = 0; e < chances.size(); ++e) {
    cumulated += static_cast<double>(tokens) * chances[e];
    const bool is_last = e + 1 == chances.size();
    const std::uint64_t now =
        is_last ? all : std::min(all, static_cast<std::uint64_t>(std::floor(cumulated + offset)));
    counts.push_back(now - before);
    before = now;
  }
  return counts;
}

}  // namespace

ExpertTokens expert_tokens(const Router& router, int layer, const ExpertPlacement::Ranks& ranks,
                           const std::vector<std::uint64_t>& tokens, double capacity) {
  const std::size_t n = ranks.size();
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> copies(
      static_cast<std::size_t>(router.experts()));  // index: expert; rank, and place there
  ExpertTokens found{.sent = std::vector(n, std::vector<std::uint64_t>(n)), .of_experts = {}};
  for (std::size_t r = 0; r < n; ++r) {
    found.of_experts.emplace_back(ranks[r].size());
    for (std::size_t place = 0; place < ranks[r].size(); ++place)
      copies[static_cast<std::size_t>(ranks[r][place])].emplace_back(r, place);
  }
  for (std::size_t from = 0; from < n; ++from) {
    const std::vector<std::uint64_t> counts =
        counts_of(router.chances(layer, static_cast<int>(from)), tokens[from], router.top_k(),
                  (static_cast<double>(from) + 0.5) / static_cast<double>(n));
    const double limit =
        std::ceil(capacity * static_cast<double>(tokens[from]) * router.top_k() / router.experts());
    const std::uint64_t most = capacity > 0 ? static_cast<std::uint64_t>(limit)
                                            : std::numeric_limits<std::uint64_t>::max();
    for (std::size_t e = 0; e < counts.size(); ++e) {
      const std::uint64_t taken = std::min(counts[e], most);
      found.routed += taken;
      found.dropped += counts[e] - taken;
      const std::uint64_t shares = copies[e].size();
      for (std::uint64_t c = 0; c < shares; ++c) {
        const auto [to, place] = copies[e][(c + from) % shares];
        const std::uint64_t own = taken / shares + (c < taken % shares ? 1 : 0);
        found.sent[from][to] += own;
        found.of_experts[to][place] += own;
      }
    }
  }
  return found;
}

}  // namespace fredsim
