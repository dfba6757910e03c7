// SPDX-License-Identifier: Apache-2.0
// Width of a text on a terminal, and its line breaks.
//
// Widths are in columns of a terminal: 1 for most characters of UTF-8, 2 for East Asian scripts, 0
// for combining marks; an invalid UTF-8 byte counts 1. Never throws.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fredsim {

std::size_t display_width(std::string_view text);

// The longest beginning of whole characters within `width`.
std::string_view beginning_of(std::string_view text, std::size_t width);

// Breaks lines that are wider than `width` (> 0) at blanks, and within a word if the word alone is
// wider. Lines that fit stay as they are. A continuation line has the indentation of its line and
// `hanging` more.
std::string wrap(std::string_view text, std::size_t width, std::size_t hanging = 0);

// Text on one line: control characters, which would move the cursor, become '?'.
std::string printable(std::string_view text);
// Text of several lines: control characters other than line ends become '?'.
std::string printable_lines(std::string_view text);

}  // namespace fredsim
