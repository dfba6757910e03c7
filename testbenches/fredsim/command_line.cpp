#include "command_line.h"

#include "base/shell.h"

namespace fredsim {

std::string command_line(std::span<const char* const> words) {
  std::string text = "fredsim";
  for (const char* word : words) text += " " + shell_quoted(word);
  return text;
}

}  // namespace fredsim
