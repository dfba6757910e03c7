// SPDX-License-Identifier: Apache-2.0
#include "runner/machine_word.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/machine_path.h"

namespace fredsim {
namespace {

constexpr std::string_view kKeyLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";

bool exists(std::string_view path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::path(path), error);
}

// "fabric.middle=…"
bool opens_setting(std::string_view text) {
  const std::size_t end = text.find_first_not_of(kKeyLetters);
  return end != std::string_view::npos && end > 0 && text[end] == '=';
}

// Index of the end of the file's name.
std::size_t end_of_file(std::string_view word) {
  if (exists(word)) return word.size();
  for (std::size_t at = word.rfind('@'); at != std::string_view::npos && at > 0;
       at = word.rfind('@', at - 1)) {
    if (exists(word.substr(0, at))) return at;
  }
  for (std::size_t at = word.find('@'); at != std::string_view::npos; at = word.find('@', at + 1)) {
    if (at > 0 && opens_setting(word.substr(at + 1))) return at;
  }
  return word.size();
}

// True if a quote at `at` opens quoted text: at the beginning of a value, or in a list.
bool opens_text(std::string_view text, std::size_t at, int depth) {
  return depth > 0 || (at > 0 && (text[at - 1] == '=' || text[at - 1] == text[at]));
}

std::vector<std::string> split_settings(std::string_view text) {
  std::vector<std::string> settings;
  std::size_t begin = 0;
  int depth = 0;   // depth of brackets and braces
  char quote = 0;  // open quote at this position, or 0
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && opens_text(text, i, depth)) {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      settings.emplace_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  settings.emplace_back(text.substr(begin));
  return settings;
}

}  // namespace

MachineFile parse_machine_word(const std::string& word) {
  const std::size_t end = end_of_file(word);
  MachineFile file{.path = machine_path(word.substr(0, end)), .settings = {}};
  if (end == word.size()) return file;
  file.settings = split_settings(std::string_view(word).substr(end + 1));
  for (const std::string& setting : file.settings) {
    if (setting.empty()) {
      throw BadInput(fmt::format(
          "{}: found no setting {}; allowed: FILE@KEY.PATH=VALUE,KEY.PATH=VALUE, such as "
          "{}@npu.count=20",
          word, file.settings.size() == 1 ? "after '@'" : "between commas", file.path));
    }
  }
  return file;
}

std::string name_of(const MachineConfig& config) {
  return with_settings(config.topology.name, config.settings.own);
}

}  // namespace fredsim
