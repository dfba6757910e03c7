#include "command_line.h"

#include <string_view>

namespace fredsim {
namespace {

std::string quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += R"('\'')";
    } else {
      text += c;
    }
  }
  return text + "'";
}

}  // namespace

std::string command_line(std::span<const char* const> words) {
  std::string text = "fredsim";
  for (const char* word : words) text += " " + quoted(word);
  return text;
}

}  // namespace fredsim
