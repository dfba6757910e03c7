// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace fredsim {

namespace {

constexpr int kFewestColumns = 40;  // minimum; in narrower windows lines break at the edge
constexpr int kMaxColumns = 10000;

std::string_view environment(const char* name) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return text == nullptr ? "" : text;
}

std::optional<int> asked_columns() {
  const std::string_view text = environment("COLUMNS");
  int columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool is_number = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return is_number && columns > 0 ? std::optional(columns) : std::nullopt;
}

}  // namespace

std::optional<int> window_columns(std::FILE* stream) {
  winsize size{};
  const bool known = ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::optional<int>(size.ws_col) : std::nullopt;
}

TerminalStyle terminal_style(std::FILE* stream) {
  TerminalStyle style;
  const std::optional<int> asked = asked_columns();
  const std::optional<int> columns = asked ? asked : window_columns(stream);
  if (columns) {
    style.columns = static_cast<std::size_t>(std::clamp(*columns, kFewestColumns, kMaxColumns));
  }
  style.colours = ::isatty(::fileno(stream)) == 1 && environment("NO_COLOR").empty() &&
                  environment("TERM") != "dumb" && !environment("TERM").empty();
  return style;
}

}  // namespace fredsim
