// SPDX-License-Identifier: Apache-2.0
// Numbers of a table's column in one unit and with the same decimals, for people: the smallest
// number other than zero has three significant digits.
//
// Unit: the preferred one, or a smaller one if the smallest number would need more than four
// decimals.
// Decimals: the column's minimum, or as many more as the smallest number needs, up to six; a column
//   of whole numbers without decimals stays so. A number that needs more than six is written as
//   1.23e-09.
// Zero: "0", which no other value is written as.
#pragma once

#include <span>
#include <string>

namespace fredsim {

struct NumberUnit {
  const char* name;
  double size;  // size in the unit of the numbers
};
// Units from a millisecond down, and from a gigabyte.
std::span<const NumberUnit> units_of_ns();
std::span<const NumberUnit> units_of_bytes();

struct TableNumber {
  double value = 0;
  int decimals = 0;      // minimum
  std::string suffix{};  // text behind the number, such as " %"
  bool operator==(const TableNumber&) const = default;
};

struct NumberFormat {
  const NumberUnit* unit = nullptr;  // null: values as they are
  int decimals = 0;
};
NumberFormat number_format(std::span<const TableNumber> numbers, std::span<const NumberUnit> units);
std::string to_text(const TableNumber& number, const NumberFormat& format);

// A time on its own: "16.9 us", "0.00420".
std::string time_text(double ns);
std::string number_text(double value, int decimals);

}  // namespace fredsim
