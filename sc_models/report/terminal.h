// SPDX-License-Identifier: Apache-2.0
// Capabilities of a stream.
//
// Columns: COLUMNS if it is set, as in POSIX, the window's width on a terminal, 80 elsewhere.
// Colours: on a terminal that is not "dumb", unless NO_COLOR is set (no-color.org).
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>

namespace fredsim {

struct TerminalStyle {
  std::size_t columns = 80;
  bool colours = false;
};
TerminalStyle terminal_style(std::FILE* stream);

// The width of the window behind a stream; no value: no terminal, or one of unknown width.
std::optional<int> window_columns(std::FILE* stream);

}  // namespace fredsim
