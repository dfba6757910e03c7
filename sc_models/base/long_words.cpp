// SPDX-License-Identifier: Apache-2.0
#include "base/long_words.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace fredsim {
namespace {

constexpr std::size_t kKept = 100;  // bytes that stay of a part that is cut

// The first bytes, whole characters.
std::string_view beginning(std::string_view text) {
  std::size_t end = std::min(kKept, text.size());
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return text.substr(0, end);
}

std::string cut(std::string_view text) {
  if (text.size() <= kMaxQuoted) return std::string(text);
  return std::string(beginning(text)) + "…";
}

// The part that `message`, around `at`, has in common with `word`.
std::string_view common_part(std::string_view message, std::size_t at, std::string_view word,
                             std::size_t in_word) {
  std::size_t before = 0;
  while (before < std::min(at, in_word) && message[at - before - 1] == word[in_word - before - 1])
    ++before;
  const std::string_view here = message.substr(at);
  const std::string_view there = word.substr(in_word);
  const auto end = std::ranges::mismatch(here, there).in1;
  return message.substr(at - before, before + static_cast<std::size_t>(end - here.begin()));
}

// Cuts the parts that `message` shares with `word`. Each part of more than 200 bytes holds one of
// the message's blocks of 100.
std::string without_parts_of(std::string message, std::string_view word) {
  if (word.size() <= kMaxQuoted) return message;
  for (std::size_t at = 0; at + kKept <= message.size();) {
    const std::string_view text = message;
    const std::size_t found = word.find(text.substr(at, kKept));
    if (found == std::string_view::npos) {
      at += kKept;
      continue;
    }
    const std::string_view part = common_part(text, at, word, found);
    const auto begin = static_cast<std::size_t>(part.data() - text.data());
    const std::string shorter = cut(part);
    const std::size_t length = part.size();
    message.replace(begin, length, shorter);
    at = std::max(at + 1, begin + shorter.size());
  }
  return message;
}

bool is_list_of_numbers(std::string_view text) {
  return text.find_first_not_of("0123456789,-") == std::string_view::npos;
}

std::string without_long_runs(std::string_view message) {
  constexpr std::string_view kBlanks = " \n\t";
  std::string result;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find_first_of(kBlanks), message.size());
    const std::string_view run = message.substr(0, end);
    result += is_list_of_numbers(run) ? std::string(run) : cut(run);
    const std::size_t next = std::min(message.find_first_not_of(kBlanks, end), message.size());
    result += message.substr(end, next - end);
    message.remove_prefix(next);
  }
  return result;
}

// Returns true inside a command to paste, which has a line of its own, indented by two blanks.
bool is_command_line(std::string_view until_quote) {
  const std::size_t line = until_quote.rfind('\n');
  return line != std::string_view::npos && until_quote.substr(line + 1).starts_with("  cmake ");
}

// Cuts long quotes, but not the text between the apostrophes of two words.
std::string without_long_quotes(std::string_view message) {
  std::string result;
  for (;;) {
    const std::size_t end = message.find('\'');
    if (end == std::string_view::npos) return result.append(message);
    result.append(message.substr(0, end + 1));
    message.remove_prefix(end + 1);
    if (result.size() > 1 &&
        std::isalnum(static_cast<unsigned char>(result[result.size() - 2])) != 0)
      continue;
    const std::size_t close = message.find('\'');
    const std::string_view quoted = message.substr(0, close);
    const bool is_one = close != std::string_view::npos && quoted.find('\n') == std::string::npos;
    if (!is_one || quoted.size() <= kMaxQuoted || is_command_line(result)) continue;
    result += cut(quoted);
    message.remove_prefix(close);
  }
}

}  // namespace

std::string with_short_words(std::string_view message, std::span<const std::string_view> words) {
  std::string result(message);
  for (const std::string_view word : words) result = without_parts_of(std::move(result), word);
  return without_long_runs(without_long_quotes(result));
}

}  // namespace fredsim
