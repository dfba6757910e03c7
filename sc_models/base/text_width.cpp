// SPDX-License-Identifier: Apache-2.0
#include "base/text_width.h"

#include <algorithm>
#include <cctype>
#include <clocale>
#include <cwchar>

namespace fredsim {

namespace {

// Locale for wcwidth and mbrtowc, which follow the thread's locale; the user of this library may
// have set another one.
class Utf8Locale {
 public:
  Utf8Locale() : before_(::uselocale(utf8())) {}
  ~Utf8Locale() { ::uselocale(before_); }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  static ::locale_t utf8() {
    static const ::locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return locale;
  }
  ::locale_t before_;
};

struct Character {
  std::size_t bytes = 1;
  std::size_t width = 1;
};

Character first_of(std::string_view text) {
  std::mbstate_t state{};
  wchar_t code = 0;
  const std::size_t bytes = std::mbrtowc(&code, text.data(), text.size(), &state);
  if (bytes == 0 || bytes > text.size()) return {};  // NUL, or no UTF-8
  const int width = ::wcwidth(code);
  return {bytes, width < 0 ? 1 : static_cast<std::size_t>(width)};
}

// "%," and "=" do not begin a line.
bool is_sign(std::string_view word) {
  return std::ranges::none_of(word,
                              [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; });
}

// Position at which a line that is too wide breaks: before a word that fits on a line of `room`
// columns, or within a word that does not; after the indentation and at least one character.
std::size_t break_of(std::string_view line, std::size_t indentation, std::size_t width,
                     std::size_t room) {
  const std::size_t fits = beginning_of(line, width).size();
  const auto is_there = [&](std::size_t blank) {
    return blank != std::string_view::npos && blank >= indentation;
  };
  const auto word_after = [&](std::size_t blank) {
    const std::string_view rest = line.substr(blank + 1);
    return rest.substr(0, rest.find(' '));
  };
  std::size_t blank = line.substr(0, fits + 1).find_last_of(' ');
  while (is_there(blank) && is_sign(word_after(blank)))
    blank = line.substr(0, blank).find_last_of(' ');
  if (is_there(blank) && display_width(word_after(blank)) <= room) return blank;
  return std::max(fits, indentation + first_of(line.substr(indentation)).bytes);
}

std::string wrap_line(std::string line, std::size_t width, std::size_t hanging) {
  const Utf8Locale locale;
  std::string text;
  std::size_t indentation = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t further = indentation + hanging < width ? indentation + hanging : 0;
  while (display_width(line) > width && indentation < line.size()) {
    const std::size_t end = break_of(line, indentation, width, width - further);
    const std::size_t last = line.substr(0, end).find_last_not_of(' ');
    text += line.substr(0, last + 1) + '\n';
    const std::size_t next = line.find_first_not_of(' ', end);
    if (next == std::string::npos) return text.substr(0, text.size() - 1);
    line = std::string(further, ' ') + line.substr(next);
    indentation = further;
  }
  return text + line;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  const Utf8Locale locale;
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_of(text);
    width += character.width;
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string_view beginning_of(std::string_view text, std::size_t width) {
  const Utf8Locale locale;
  std::size_t end = 0;
  while (end < text.size()) {
    const Character character = first_of(text.substr(end));
    if (character.width > width) break;
    width -= character.width;
    end += character.bytes;
  }
  return text.substr(0, end);
}

std::string wrap(std::string_view text, std::size_t width, std::size_t hanging) {
  std::string wrapped;
  for (;;) {
    const std::size_t end = text.find('\n');
    wrapped += wrap_line(std::string(text.substr(0, end)), width, hanging);
    if (end == std::string_view::npos) return wrapped;
    wrapped += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string printable(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return line;
}

std::string printable_lines(std::string_view text) {
  std::string lines(text);
  std::ranges::replace_if(
      lines, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }, '?');
  return lines;
}

}  // namespace fredsim
