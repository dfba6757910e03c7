// SPDX-License-Identifier: Apache-2.0
#include "base/table_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fredsim {
namespace {

constexpr int kSignificant = 3;
constexpr int kDecimalsOfUnit = 4;  // maximum; a smaller unit has fewer
constexpr int kMaxDecimals = 6;
constexpr std::array kTimes{NumberUnit{"ms", 1e6}, NumberUnit{"us", 1e3}, NumberUnit{"ns", 1}};
constexpr std::array kBytes{NumberUnit{"GB", 1e9}, NumberUnit{"MB", 1e6}, NumberUnit{"KB", 1e3},
                            NumberUnit{"B", 1}};

// Decimals that a number other than zero needs for its significant digits.
int needed_decimals(double value) {
  return std::max(kSignificant - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))), 0);
}

bool is_whole(const TableNumber& number) {
  return number.decimals == 0 && number.value == std::round(number.value);
}

}  // namespace

std::span<const NumberUnit> units_of_ns() { return kTimes; }
std::span<const NumberUnit> units_of_bytes() { return kBytes; }

NumberFormat number_format(std::span<const TableNumber> numbers,
                           std::span<const NumberUnit> units) {
  NumberFormat format{.unit = units.empty() ? nullptr : units.data()};
  double smallest = 0;
  for (const TableNumber& number : numbers) {
    format.decimals = std::max(format.decimals, number.decimals);
    const double size = std::abs(number.value);
    if (size > 0 && std::isfinite(size)) smallest = smallest > 0 ? std::min(smallest, size) : size;
  }
  if (smallest == 0) return format;
  const auto needed = [&] {
    return needed_decimals(smallest / (format.unit != nullptr ? format.unit->size : 1));
  };
  for (std::size_t u = 1; u < units.size() && needed() > kDecimalsOfUnit; ++u)
    format.unit = &units[u];
  const bool is_in_base = format.unit == nullptr || format.unit->size == 1;
  if (is_in_base && std::ranges::all_of(numbers, is_whole)) return format;
  format.decimals = std::max(format.decimals, std::min(needed(), kMaxDecimals));
  return format;
}

std::string to_text(const TableNumber& number, const NumberFormat& format) {
  const double value = number.value / (format.unit != nullptr ? format.unit->size : 1);
  if (value == 0) return "0" + number.suffix;
  if (std::isfinite(value) && needed_decimals(value) > kMaxDecimals)
    return fmt::format("{:.2e}{}", value, number.suffix);
  return fmt::format("{:.{}f}{}", value, format.decimals, number.suffix);
}

std::string time_text(double ns) {
  const auto* const unit =
      std::ranges::find_if(kTimes, [&](const NumberUnit& one) { return ns >= one.size; });
  const NumberUnit& of = unit == kTimes.end() ? kTimes.back() : *unit;
  return fmt::format("{} {}", number_text(ns / of.size, 1), of.name);
}

std::string number_text(double value, int decimals) {
  const TableNumber number{value, decimals};
  return to_text(number, number_format({&number, 1}, {}));
}

}  // namespace fredsim
