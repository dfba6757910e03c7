// SPDX-License-Identifier: Apache-2.0
#include "base/file_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace fredsim {

std::optional<std::string> file_text(const std::string& path, std::size_t max) {
  constexpr std::size_t kFirst = std::size_t{1} << 16;
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (!file) return std::nullopt;
  std::string text;
  for (std::size_t wanted = kFirst;; wanted = 2 * text.size()) {
    const std::size_t before = text.size();
    text.resize(std::min(wanted, max + 1));
    const std::size_t got = std::fread(text.data() + before, 1, text.size() - before, file.get());
    const bool at_end = got < text.size() - before;
    text.resize(before + got);
    if (std::ferror(file.get()) != 0) return std::nullopt;
    if (text.size() > max) {
      errno = EFBIG;
      return std::nullopt;
    }
    if (at_end) return text;
  }
}

std::string text_of_option(const std::string& path, const char* option, std::size_t max) {
  std::optional<std::string> text = file_text(path, max);
  if (!text)
    throw BadInput(fmt::format("{}: {}: cannot be read: {}", option, path,
                               std::generic_category().message(errno)));
  return std::move(*text);
}

std::string yaml_of_option(const std::string& path, const char* option) {
  constexpr std::size_t kMaxYamlBytes = std::size_t{1} << 26;
  return text_of_option(path, option, kMaxYamlBytes);
}

}  // namespace fredsim
