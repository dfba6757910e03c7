// SPDX-License-Identifier: Apache-2.0
#include "base/table_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/text_table.h"

namespace fredsim {
namespace {

using Texts = std::vector<std::string>;

// Texts with the unit of the column in front.
Texts written(const std::vector<double>& values, int decimals,
              std::span<const NumberUnit> units = {}) {
  TextTable table({{.label = "n", .unit = "as given", .units = units}});
  for (const double value : values) table.add_row({Cell(TableNumber{value, decimals}, "")});
  const TextTable text = table.written();
  Texts texts{text.columns()[0].unit};
  for (const auto& row : text.rows()) texts.push_back(row[0].text);
  return texts;
}

TEST(TableNumbers, TheSmallestHasThreeDigitsAndAllTheSameDecimals) {
  EXPECT_EQ(written({643.31, 21848.66}, 1), (Texts{"as given", "643.3", "21848.7"}));
  EXPECT_EQ(written({0.0169, 12.3}, 1), (Texts{"as given", "0.0169", "12.3000"}));
  EXPECT_EQ(written({-0.5, 2}, 1), (Texts{"as given", "-0.500", "2.000"}));
  EXPECT_EQ(written({9.996}, 1), (Texts{"as given", "10.00"}));
}

TEST(TableNumbers, WholeNumbersStaySo) {
  EXPECT_EQ(written({7, 4096}, 0), (Texts{"as given", "7", "4096"}));
  EXPECT_EQ(written({7.5, 4096}, 0), (Texts{"as given", "7.50", "4096.00"}));
}

TEST(TableNumbers, OnlyZeroLooksLikeZero) {
  EXPECT_EQ(written({0, 12.3}, 1), (Texts{"as given", "0", "12.3"}));
  EXPECT_EQ(written({0, 0}, 3), (Texts{"as given", "0", "0"}));
  EXPECT_EQ(written({1e-9, 0.25}, 1), (Texts{"as given", "1.00e-09", "0.250000"}));
}

// Times in nanoseconds; 16.9 us were 0.0 ms.
TEST(TableNumbers, ASmallerUnitWhereTheSmallestNeedsIt) {
  EXPECT_EQ(written({1815e6, 123.4e6}, 1, units_of_ns()), (Texts{"ms", "1815.0", "123.4"}));
  EXPECT_EQ(written({1815e6, 16.9e3}, 1, units_of_ns()), (Texts{"ms", "1815.0000", "0.0169"}));
  EXPECT_EQ(written({1.8e6, 1690}, 1, units_of_ns()), (Texts{"us", "1800.00", "1.69"}));
  EXPECT_EQ(written({16.9, 0}, 1, units_of_ns()), (Texts{"us", "0.0169", "0"}));
  EXPECT_EQ(written({0.5}, 1, units_of_ns()), (Texts{"ns", "0.500"}));
  EXPECT_EQ(written({80e9, 1.5e6}, 1, units_of_bytes()), (Texts{"MB", "80000.00", "1.50"}));
}

TEST(TableNumbers, OneByItself) {
  EXPECT_EQ(time_text(16'900), "16.9 us");
  EXPECT_EQ(time_text(1.5e9), "1500.0 ms");
  EXPECT_EQ(time_text(0.25), "0.250 ns");
  EXPECT_EQ(number_text(0.0042, 1), "0.00420");
}

// Over many values: three digits that are the value's, to half a unit of the last one.
TEST(TableNumbers, KeepThreeDigitsOfEveryValue) {
  for (double value = 1.234e-6; value < 1e9; value *= 1.7) {
    const double shown = std::stod(number_text(value, 1));
    EXPECT_NEAR(shown / value, 1, 0.0051) << value;
  }
}

}  // namespace
}  // namespace fredsim
