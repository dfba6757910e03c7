// SPDX-License-Identifier: Apache-2.0
#include "target_input.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/error.h"

namespace fredsim::fuzz {

void InputFile::write(std::string_view text) const {
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
}

std::string text_of(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) throw std::runtime_error(path + ": a seed that is not there");
  return std::move(text).str();
}

bool accepts(std::string_view named, const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (error.code() == ExitCode::kDone || message.empty())
      throw std::logic_error("refused without a message or an exit code");
    if (message.find(named) == std::string_view::npos)
      throw std::logic_error(fmt::format("does not name {}: {}", named, message));
    return false;
  }
}

}  // namespace fredsim::fuzz
