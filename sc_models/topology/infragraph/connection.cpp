// SPDX-License-Identifier: Apache-2.0
#include "topology/infragraph/connection.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "base/config_tree.h"
#include "base/error.h"

namespace fredsim {
namespace {

std::vector<std::string> words_between_dots(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  for (std::size_t dot = 0; dot != std::string::npos; begin = dot + 1) {
    dot = text.find('.', begin);
    words.push_back(text.substr(begin, dot == std::string::npos ? dot : dot - begin));
  }
  return words;
}

std::optional<int> number_of(const std::string& word) {
  int number = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || stop != word.data() + word.size() || number < 0) return std::nullopt;
  return number;
}

// Parses names with their numbers from `begin` on; moves `begin` behind them.
FileConnection::Place take_place(const std::vector<std::string>& words, std::size_t& begin) {
  FileConnection::Place place;
  for (; begin + 1 < words.size() && !words[begin].empty(); begin += 2) {
    const std::optional<int> number = number_of(words[begin + 1]);
    if (!number) break;
    place.emplace_back(words[begin], *number);
  }
  return place;
}

}  // namespace

FileConnection parse_connection(const std::string& text, const std::string& label) {
  const std::vector<std::string> words = words_between_dots(text);
  FileConnection connection{.label = label};
  std::size_t at = 0;
  connection.from = take_place(words, at);
  if (at < words.size()) connection.link = words[at++];
  connection.to = take_place(words, at);
  if (at == words.size() && !connection.from.empty() && !connection.link.empty() &&
      !connection.to.empty())
    return connection;
  throw BadInput(
      fmt::format("{}: found '{}'; allowed: two components with their numbers and the link between "
                  "them, such as xpu.0.nvlink.switch.1",
                  label, shown(text)));
}

}  // namespace fredsim
