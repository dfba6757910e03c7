// SPDX-License-Identifier: Apache-2.0
#include "config/npu_compute.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "config/config_tree.h"

namespace fredsim {
namespace {

constexpr auto kUnits = std::to_array<std::pair<std::string_view, double>>(
    {{"GFLOP/s", 1}, {"TFLOP/s", 1e3}, {"PFLOP/s", 1e6}});

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
  throw BadInput(
      fmt::format("{}: found '{}'; allowed: a number above 0 with GFLOP/s, TFLOP/s or PFLOP/s, "
                  "such as 990 TFLOP/s or 1e3PFLOP/s",
                  what, shown(text)));
}

double parse_efficiency(std::string_view text, std::string_view what) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && number > 0 && number <= 1) return number;
  throw BadInput(
      fmt::format("{}: found '{}'; allowed: a number above 0, 1 at most", what, shown(text)));
}

}  // namespace fredsim
