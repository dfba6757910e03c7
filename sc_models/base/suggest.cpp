// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace fredsim {

int edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  // rows[i % 3][j]: distance of the first i letters of a to the first j letters of b.
  std::vector<std::vector<int>> rows(3, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    std::vector<int>& row = rows[i % 3];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      if (i == 0) {
        row[j] = static_cast<int>(j);
        continue;
      }
      const std::vector<int>& above = rows[(i - 1) % 3];
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::string did_you_mean(std::string_view found, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongestWord = 64;  // longer ones are no misspelling
  if (found.size() > kLongestWord) return "";
  std::string_view best;
  int best_distance = 0;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(found, candidate);
    const int limit =
        std::max<int>(1, static_cast<int>(std::max(found.size(), candidate.size())) / 3);
    if (distance <= limit && (best.empty() || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

std::string join_words(std::span<const std::string_view> words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? fmt::format(" {} ", last) : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace fredsim
