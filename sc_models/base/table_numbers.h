// SPDX-License-Identifier: Apache-2.0
// Numbers of a column of a table, for people: the same unit and the same decimals for all of them, so that the smallest one other
// than zero has three significant digits.
//
// Unit: the preferred one, or a smaller one where the smallest number would need more than four decimals.
// Decimals: at least those that the column always has; as many more as the smallest number needs, up to six; whole numbers that
//   always have none get none. A number that needs more than six is written as 1.23e-09.
// Zero: "0", which nothing but zero is.
#pragma once

#include <span>
#include <string>

namespace fredsim {

struct NumberUnit {
  const char* name;
  double size;  // in the unit of the numbers
};
// From a millisecond down, and from a gigabyte.
std::span<const NumberUnit> units_of_ns();
std::span<const NumberUnit> units_of_bytes();

struct TableNumber {
  double value = 0;
  int decimals = 0;      // at least
  std::string suffix{};  // such as " %"
  bool operator==(const TableNumber&) const = default;
};

struct NumberFormat {
  const NumberUnit* unit = nullptr;  // null: values as they are
  int decimals = 0;
};
NumberFormat number_format(std::span<const TableNumber> numbers, std::span<const NumberUnit> units);
std::string to_text(const TableNumber& number, const NumberFormat& format);

// One by itself: "16.9 us", "0.00420"
std::string time_text(double ns);
std::string number_text(double value, int decimals);

}  // namespace fredsim
