// SPDX-License-Identifier: Apache-2.0
#include "import/detail/booksim_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/key_reader.h"
#include "import/detail/text_words.h"

namespace fredsim {
namespace {

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

}  // namespace

BooksimConfig::BooksimConfig(const std::string& path, const std::string& text) : path_(path) {
  std::string statement;
  int line = 1, begin = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "//") == 0) at = std::min(text.find('\n', at), text.size());
    const char c = at < text.size() ? text[at] : '\n';
    line += c == '\n' ? 1 : 0;
    if (c == ';') {
      add(trimmed(statement), begin);
      statement.clear();
    } else if (!statement.empty() || std::isspace(static_cast<unsigned char>(c)) == 0) {
      if (statement.empty()) begin = line;
      statement += c;
    }
  }
  if (const std::string rest = trimmed(statement); !rest.empty())
    throw BadInput(fmt::format("{}: found '{}' without ';'; allowed: KEY = VALUE;",
                               line_label(path_, begin), shown(rest)));
}

void BooksimConfig::add(const std::string& statement, int line) {
  if (statement.empty()) return;
  const std::size_t equal = statement.find('=');
  const std::string key = trimmed(std::string_view(statement).substr(0, equal));
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (equal == std::string::npos || key.empty() || !std::ranges::all_of(key, is_plain))
    throw BadInput(fmt::format("{}: found '{}'; allowed: KEY = VALUE;", line_label(path_, line),
                               shown(statement)));
  const std::string value = trimmed(std::string_view(statement).substr(equal + 1));
  if (value.empty())
    throw BadInput(
        fmt::format("{}: {}: found no value; allowed: one", line_label(path_, line), key));
  values_[key] = {value, line};
}

std::string BooksimConfig::label(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? fmt::format("{}: {}", path_, key)
                                : fmt::format("{}: {}", line_label(path_, found->second.line), key);
}

std::string BooksimConfig::text(std::string_view key, std::string_view missing) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return std::string(missing);
  std::string_view value = found->second.text;
  if (value.starts_with('{')) value = value.substr(1, value.find_first_of(",}", 1) - 1);
  std::string word = trimmed(value);
  if (word.size() > 1 && word.front() == '"' && word.back() == '"')
    word = word.substr(1, word.size() - 2);
  return word;
}

bool BooksimConfig::is_list(std::string_view key) const {
  const auto found = values_.find(key);
  return found != values_.end() && found->second.text.starts_with('{') &&
         found->second.text.find(',') != std::string::npos;
}

int BooksimConfig::integer(std::string_view key, int min, int max, int missing) const {
  return parse_integer(text(key, fmt::format("{}", missing)), label(key), min, max);
}

double BooksimConfig::number(std::string_view key, double missing) const {
  return has(key) ? parse_decimal(text(key, ""), label(key)) : missing;
}

bool is_anynet_listing(const std::string& text) {
  const std::string word = trimmed(text).substr(0, 6);
  return word.starts_with("router") || word.starts_with("node");
}

}  // namespace fredsim
