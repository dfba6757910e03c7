// SPDX-License-Identifier: Apache-2.0
// Words of a text file, each with its line.
//
// Errors: BadInput with file and line, what was found and what is allowed; files above 64 MiB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim {

inline constexpr std::size_t kMaxImportBytes = std::size_t{1} << 26;

// Text of a file to import.
std::string import_text(const std::string& path);

struct TextWord {
  std::string text;
  int line = 0;
};

// Lines of words between blanks. `comment`: the rest of a line from there on is left out; empty:
// there are no comments. Lines without words are left out.
using TextLine = std::vector<TextWord>;
std::vector<TextLine> lines_of(std::string_view text, std::string_view comment = {});

// "topo.txt:3"
std::string line_label(const std::string& path, int line);

// A whole number of decimal digits in [min, max]; `what` names it in the message.
int whole_number(const std::string& path, const TextWord& word, std::string_view what, int min,
                 int max);
// A decimal number, 0 or more.
double decimal_number(const std::string& path, const TextWord& word, std::string_view what);

}  // namespace fredsim
