// SPDX-License-Identifier: Apache-2.0
#include "synthesis/detail/repeats.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace fredsim {
namespace {

struct Run {
  std::size_t start = 0, period = 0, count = 0;
  std::size_t covered() const { return period * count; }
  std::size_t end() const { return start + covered(); }
};

// All runs of blocks: positions where the sequence equals itself a period later.
std::vector<Run> runs_of(const std::vector<int>& s) {
  constexpr std::size_t kWork = std::size_t{1} << 26;
  constexpr std::size_t kLeast = 4;  // symbols that a repeat covers
  std::vector<Run> runs;
  if (s.size() < kLeast) return runs;
  const std::size_t most = std::min(s.size() / 2, std::max<std::size_t>(kWork / s.size(), 1));
  for (std::size_t period = 1; period <= most; ++period) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i + period <= s.size(); ++i) {
      if (i + period < s.size() && s[i] == s[i + period]) {
        ++equal;
        continue;
      }
      const Run run{i - equal, period, equal / period + 1};
      if (run.count >= 2 && run.covered() >= kLeast) runs.push_back(run);
      equal = 0;
    }
  }
  return runs;
}

}  // namespace

int RepeatFolder::symbol_of(std::vector<int> block, int count) {
  const auto [known, is_new] =
      block_numbers_.emplace(std::move(block), static_cast<int>(blocks_.size()));
  if (is_new) blocks_.push_back(known->first);
  const TraceRepeat repeat{known->second, count};
  const auto [number, is_new_repeat] =
      repeat_numbers_.emplace(repeat, static_cast<int>(repeats_.size()));
  if (is_new_repeat) repeats_.push_back(repeat);
  return tokens_ + number->second;
}

std::vector<int> RepeatFolder::fold(const std::vector<int>& sequence) {
  std::vector<Run> runs = runs_of(sequence);
  if (runs.empty()) return sequence;
  std::ranges::sort(runs, [](const Run& a, const Run& b) {
    return std::tuple(b.covered(), a.period, a.start) < std::tuple(a.covered(), b.period, b.start);
  });
  std::map<std::size_t, Run> taken;  // by start
  for (const Run& run : runs) {
    const auto after = taken.lower_bound(run.start);
    if (after != taken.end() && after->first < run.end()) continue;
    if (after != taken.begin() && std::prev(after)->second.end() > run.start) continue;
    taken.emplace(run.start, run);
  }
  std::vector<int> folded;
  const auto part = [&](std::size_t from, std::size_t to) {
    return std::vector<int>(sequence.begin() + static_cast<std::ptrdiff_t>(from),
                            sequence.begin() + static_cast<std::ptrdiff_t>(to));
  };
  const auto append = [&](const std::vector<int>& symbols) {
    folded.insert(folded.end(), symbols.begin(), symbols.end());
  };
  std::size_t at = 0;
  for (const auto& [start, run] : taken) {
    append(fold(part(at, start)));
    folded.push_back(symbol_of(fold(part(start, start + run.period)), static_cast<int>(run.count)));
    at = run.end();
  }
  append(fold(part(at, sequence.size())));
  return folded;
}

}  // namespace fredsim
