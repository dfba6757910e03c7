// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include "base/shell.h"

namespace fredsim {

std::string command_line(std::string_view program, std::span<const char* const> words) {
  std::string text(program);
  for (const char* word : words) text += " " + shell_quoted(word);
  return text;
}

}  // namespace fredsim
