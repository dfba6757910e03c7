// SPDX-License-Identifier: Apache-2.0
#include "config/npu_compute.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/units.h"

namespace fredsim {
namespace {

constexpr auto kUnits = std::to_array<std::pair<std::string_view, double>>(
    {{"GFLOP/s", 1}, {"TFLOP/s", 1e3}, {"PFLOP/s", 1e6}});

// NaN if the text is not a number.
double number_of(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? number : std::nan("");
}

}  // namespace

std::uint64_t parse_flop_rate(std::string_view text, std::string_view what) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  for (const auto& [name, scale] : kUnits) {
    const double gflops = std::round(number * scale);
    if (error != std::errc() || unit != name || !(gflops >= 1) ||
        gflops > static_cast<double>(kMaxQuantity))
      continue;
    return static_cast<std::uint64_t>(gflops);
  }
  throw BadInput(fmt::format("{}: found '{}'; allowed: {}, such as 990 TFLOP/s or 1e3PFLOP/s", what,
                             shown(text), kAllowedFlopRate));
}

double parse_efficiency(std::string_view text, std::string_view what) {
  const double number = number_of(text);
  if (number > 0 && number <= 1) return number;
  throw BadInput(fmt::format("{}: found '{}'; allowed: {}", what, shown(text), kAllowedEfficiency));
}

double parse_value_bytes(std::string_view text, std::string_view what) {
  constexpr double kMin = 0.125, kMax = 8;
  const double number = number_of(text);
  if (number >= kMin && number <= kMax) return number;
  throw BadInput(fmt::format("{}: found '{}'; allowed: {}, such as 0.5 for INT4", what, shown(text),
                             kAllowedValueBytes));
}

}  // namespace fredsim
