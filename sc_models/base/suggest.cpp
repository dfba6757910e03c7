// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <vector>

namespace fredsim {
namespace {

constexpr std::size_t kLongestWord = 64;  // characters; a longer word is no misspelling
constexpr std::size_t kShortestPart = 3;  // characters; a shorter beginning matches too many words
constexpr std::string_view kSeparators = "-_ .";

char to_small(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// The word without case and separators.
std::string plain(std::string_view word) {
  std::string text;
  for (const char c : word)
    if (kSeparators.find(c) == std::string_view::npos) text += to_small(c);
  return text;
}

std::vector<std::string_view> parts_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool has_word(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Word that differs in spelling only, or has `found` as another name.
std::string_view other_spelling(const std::string& found, std::span<const std::string_view> words,
                                std::span<const Alias> aliases) {
  for (const std::string_view word : words)
    if (plain(word) == found) return word;
  for (const Alias& alias : aliases) {
    if (!has_word(words, alias.word)) continue;
    for (const std::string_view other : parts_of(alias.others, " "))
      if (plain(other) == found) return alias.word;
  }
  return {};
}

struct Near {
  std::string_view word;
  int edits = 0;
};

Near by_edits(const std::string& found, std::span<const std::string_view> words) {
  // A word of two letters is near every other word.
  if (found.size() < kShortestPart) return {};
  Near best;
  for (const std::string_view word : words) {
    const std::string other = plain(word);
    const auto longer = static_cast<int>(std::max(found.size(), other.size()));
    const int edits = edit_distance(found, other);
    if (edits <= std::max(1, longer / 3) && (best.word.empty() || edits < best.edits))
      best = {word, edits};
  }
  return best;
}

bool has_parts(std::string_view longer, std::string_view shorter) {
  const std::vector<std::string_view> all = parts_of(longer, kSeparators);
  const std::vector<std::string_view> some = parts_of(shorter, kSeparators);
  return !some.empty() && std::ranges::all_of(some, [&](std::string_view part) {
    return part.size() >= kShortestPart && std::ranges::any_of(all, [&](std::string_view other) {
             return plain(other) == plain(part);
           });
  });
}

// A word that begins with `found` or has its parts beside others; or a word that is the beginning
// of `found` or whose parts it has.
std::string_view by_parts(std::string_view found, std::span<const std::string_view> words) {
  const std::string start = plain(found);
  if (start.size() < kShortestPart) return {};
  std::string_view best;
  std::size_t best_difference = std::numeric_limits<std::size_t>::max();
  for (const std::string_view word : words) {
    const std::string other = plain(word);
    const bool is_near = other.starts_with(start) ||
                         (other.size() >= kShortestPart && start.starts_with(other)) ||
                         has_parts(word, found) || has_parts(found, word);
    const std::size_t difference =
        std::max(other.size(), start.size()) - std::min(other.size(), start.size());
    if (!is_near || difference >= best_difference) continue;
    best = word;
    best_difference = difference;
  }
  return best;
}

}  // namespace

std::string_view same_word(std::string_view found, std::span<const std::string_view> words,
                           std::span<const Alias> aliases) {
  const std::string spelling = plain(found);
  if (spelling.empty() || found.size() > kLongestWord) return {};
  return other_spelling(spelling, words, aliases);
}

int edit_distance(std::string_view a, std::string_view b) {
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
      const bool equal = to_small(a[i - 1]) == to_small(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal ? 0 : 1)});
      if (i > 1 && j > 1 && to_small(a[i - 1]) == to_small(b[j - 2]) &&
          to_small(a[i - 2]) == to_small(b[j - 1])) {
        row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::string_view nearest_word(std::string_view found, std::span<const std::string_view> words,
                              std::span<const Alias> aliases) {
  const std::string spelling = plain(found);
  if (spelling.empty() || found.size() > kLongestWord) return {};
  if (const std::string_view word = same_word(found, words, aliases); !word.empty()) return word;
  const Near near = by_edits(spelling, words);
  if (near.edits == 1) return near.word;
  const std::string_view part = by_parts(found, words);
  return part.empty() ? near.word : part;
}

std::string advice(std::string_view found, std::span<const std::string_view> words,
                   const Advice& form) {
  const std::string_view word = nearest_word(found, words, form.aliases);
  if (!word.empty() && word != found) return fmt::format("did you mean '{}'?", word);
  return fmt::format("allowed: {}", words.empty() && !form.none.empty()
                                        ? std::string(form.none)
                                        : list_words(words, form.last, form.more));
}

std::string join_words(std::span<const std::string_view> words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? fmt::format(" {} ", last) : ", ";
    text += words[i];
  }
  return text;
}

std::string list_words(std::span<const std::string_view> words, std::string_view last,
                       std::string_view more) {
  constexpr std::size_t kLine = 70;  // 80 columns less "allowed: "
  const std::string all = join_words(words, last);
  if (all.size() <= kLine) return all;
  const std::string command = more.empty() ? "" : fmt::format(": {}", more);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string longer = text + (i == 0 ? "" : ", ") + std::string(words[i]);
    const std::string end = fmt::format(" … ({} more{})", words.size() - i - 1, command);
    if (i > 0 && longer.size() + end.size() > kLine)
      return text + fmt::format(" … ({} more{})", words.size() - i, command);
    text = longer;
  }
  return text;
}

}  // namespace fredsim
