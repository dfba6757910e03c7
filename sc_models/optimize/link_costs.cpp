// SPDX-License-Identifier: Apache-2.0
#include "optimize/link_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"

namespace fredsim {
namespace {

struct LevelCost {
  std::string_view name;
  double link, network_switch, nic;  // dollars per GB/s; a switch below 0: not known
};
// Highest first.
constexpr std::array<LevelCost, 4> kLevelCosts{{
    {"pods", 7.8, 18.0, 31.6},
    {"nodes", 4.0, 13.0, 0.0},
    {"packages", 4.0, 13.0, 0.0},
    {"tiles", 2.0, -1.0, 0.0},
}};

}  // namespace

std::vector<double> dollars_per_gbps(const std::vector<std::string>& dimensions,
                                     const std::vector<bool>& has_switches,
                                     const std::vector<double>& given) {
  std::vector<double> dollars;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (given[d] >= 0) {
      dollars.push_back(given[d]);
      continue;
    }
    const LevelCost& level =
        kLevelCosts[std::min(dimensions.size() - 1 - d, kLevelCosts.size() - 1)];
    if (has_switches[d] && level.network_switch < 0) {
      throw BadInput(
          fmt::format("--cost: found none of {}, switches between tiles, whose cost is not known; "
                      "allowed: --cost {}=DOLLARS",
                      dimensions[d], dimensions[d]));
    }
    dollars.push_back(has_switches[d] ? level.link + level.network_switch + level.nic
                                      : level.link / 2);
  }
  return dollars;
}

}  // namespace fredsim
