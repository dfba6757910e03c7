// SPDX-License-Identifier: Apache-2.0
// Message with which a schedule is refused.
#pragma once

#include <string>

#include "base/error.h"
#include "schedule_files/schedule_file.h"

namespace fredsim::test {

// Empty: it is accepted.
inline std::string refusal_of(const std::string& path, const std::string& text) {
  try {
    schedule_of(path, text);
    return {};
  } catch (const BadInput& error) {
    return error.what();
  }
}

inline std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  return at == std::string::npos ? text : text.replace(at, old.size(), by);
}

}  // namespace fredsim::test
