#include "file_text.h"

#include <fstream>
#include <sstream>

namespace fredsim {

std::optional<std::string> file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // Without a character to copy, << would say that it has failed.
  const bool has_text = file && file.peek() != std::ifstream::traits_type::eof();
  if (!file.is_open() || file.bad() || (has_text && !(text << file.rdbuf()))) return std::nullopt;
  return std::move(text).str();
}

}  // namespace fredsim
