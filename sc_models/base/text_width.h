// SPDX-License-Identifier: Apache-2.0
// Text on a terminal: how wide it is there, and how it breaks into lines.
//
// Widths are in columns of a terminal: 1 for most characters of UTF-8, 2 for those of East Asian
// scripts, 0 for combining marks; a byte that is no UTF-8 counts 1. Never throws.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fredsim {

std::size_t display_width(std::string_view text);

// The longest beginning of whole characters that is not wider.
std::string_view beginning_of(std::string_view text, std::size_t width);

// Breaks lines that are wider than `width` (> 0) at blanks, and within a word where the word alone is
// wider. Lines that fit stay as they are. What is broken off is indented as its line is, and by
// `hanging` more.
std::string wrap(std::string_view text, std::size_t width, std::size_t hanging = 0);

// For one line: control characters, which would move the cursor, as '?'.
std::string printable(std::string_view text);
// The same of a message, whose lines stay.
std::string printable_lines(std::string_view text);

}  // namespace fredsim
