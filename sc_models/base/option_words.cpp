// SPDX-License-Identifier: Apache-2.0
#include "base/option_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/config_tree.h"
#include "base/error.h"

namespace fredsim {

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = text.find(separator);
    fields.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, blank));
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return words;
}

void refuse_word(std::string_view option, const std::string& found,
                 std::span<const std::string_view> allowed, std::span<const Alias> aliases) {
  throw BadInput(fmt::format("{}: found '{}'; {}", option, shown(found),
                             advice(found, allowed, {.aliases = aliases})));
}

std::size_t parse_word(std::string_view option, const std::string& text,
                       std::span<const std::string_view> allowed, std::span<const Alias> aliases) {
  const auto found = std::ranges::find(allowed, text);
  if (found == allowed.end()) refuse_word(option, text, allowed, aliases);
  return static_cast<std::size_t>(found - allowed.begin());
}

}  // namespace fredsim
