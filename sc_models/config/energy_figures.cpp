// SPDX-License-Identifier: Apache-2.0
#include "config/energy_figures.h"

#include <fmt/format.h>

#include <charconv>

#include "base/config_tree.h"
#include "base/error.h"

namespace fredsim {

std::optional<double> parse_energy(std::string_view text, std::string_view what) {
  if (text == "none") return std::nullopt;
  constexpr double kMax = 1e6;
  double number = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && number >= 0 && number <= kMax) return number;
  throw BadInput(fmt::format("{}: found '{}'; allowed: {}", what, shown(text), kAllowedEnergy));
}

}  // namespace fredsim
