// SPDX-License-Identifier: Apache-2.0
#include "topology/machine_example.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fredsim {

MachineExample example_of_file(const std::string& file, int npus,
                               const std::vector<Setting>& others) {
  const auto keys = [=](int wanted) -> std::vector<Setting> {
    if (wanted != npus) return {};
    std::vector<Setting> all{{"clock", "auto"},
                             {"npu.receive_buffer", "auto"},
                             {"fabric.file", file},
                             {"switch.input_buffer", "auto"}};
    all.insert(all.end(), others.begin(), others.end());
    return all;
  };
  return {.npus = npus, .numbers = fmt::format("{}, as in {}", npus, file), .keys = keys};
}

int largest_divisor(int number, int most) {
  int divisor = std::min(number, most);
  while (number % divisor != 0) --divisor;
  return divisor;
}

SidePair nearest_sides(int number) {
  const int shorter = largest_divisor(number, static_cast<int>(std::sqrt(number)));
  return {.longer = number / shorter, .shorter = shorter};
}

}  // namespace fredsim
