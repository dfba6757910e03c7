// SPDX-License-Identifier: Apache-2.0
// Numbers as users write them.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace fredsim {

// A finite number in decimal digits, the whole text; none: another text.
inline std::optional<double> to_double(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error != std::errc() || !std::isfinite(value)) return {};
  return value;
}

}  // namespace fredsim
