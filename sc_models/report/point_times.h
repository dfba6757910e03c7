// SPDX-License-Identifier: Apache-2.0
// Forecast of the time of a study's points, from the complete ones.
//
// Forecast: a product of factors, one for each value of the axes (machine, setting, option …),
//   fitted to the complete points (least squares of logarithms, axis by axis). A new value has the
//   factor 1.
// Times are arguments, in seconds.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fredsim {

class PointTimes {
 public:
  // Values of the axes by point, in the same order for all; "": no value.
  explicit PointTimes(std::vector<std::vector<std::string>> values) : values_(std::move(values)) {}

  void note(std::size_t point, double seconds);
  // No value while no point is complete.
  std::optional<double> forecast(std::size_t point) const;

 private:
  using Axis = std::map<std::string, double>;  // logarithm of the factor, by value

  double sum_of_factors(std::size_t point) const;
  void fit();

  std::vector<std::vector<std::string>> values_;
  std::vector<std::pair<std::size_t, double>> complete_;  // points, and logarithms of their seconds
  double all_ = 0;                                        // mean of these logarithms
  std::vector<Axis> axes_;
};

}  // namespace fredsim
