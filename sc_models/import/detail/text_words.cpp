// SPDX-License-Identifier: Apache-2.0
#include "import/detail/text_words.h"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/file_text.h"
#include "base/key_reader.h"
#include "base/units.h"

namespace fredsim {

std::string import_text(const std::string& path) {
  std::optional<std::string> text = file_text(path, kMaxImportBytes);
  if (!text)
    throw BadInput(fmt::format("{}: cannot be read: {}; allowed: a text file of up to {}", path,
                               std::generic_category().message(errno),
                               format_size(kMaxImportBytes)));
  return std::move(*text);
}

std::vector<TextLine> lines_of(std::string_view text, std::string_view comment) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  std::vector<TextLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!comment.empty()) line = line.substr(0, line.find(comment));
    TextLine words;
    for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
      const std::size_t stop = std::min(line.find_first_of(kBlanks, at), line.size());
      words.push_back({std::string(line.substr(at, stop - at)), number});
      at = line.find_first_not_of(kBlanks, stop);
    }
    if (!words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

std::string line_label(const std::string& path, int line) {
  return fmt::format("{}:{}", path, line);
}

int whole_number(const std::string& path, const TextWord& word, std::string_view what, int min,
                 int max) {
  return static_cast<int>(
      parse_number(word.text, fmt::format("{}: {}", line_label(path, word.line), what),
                   static_cast<std::uint64_t>(min), static_cast<std::uint64_t>(max)));
}

double decimal_number(const std::string& path, const TextWord& word, std::string_view what) {
  return parse_decimal(word.text, fmt::format("{}: {}", line_label(path, word.line), what));
}

}  // namespace fredsim
