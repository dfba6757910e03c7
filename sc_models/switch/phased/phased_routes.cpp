// SPDX-License-Identifier: Apache-2.0
#include "switch/phased/phased_routes.h"

#include "switch/register_map.h"

namespace fredsim {

TableRoutes::TableRoutes(int ports)
    : ports_(ports), routes_(static_cast<std::size_t>(reg::kMaxRoutes)) {}

int TableRoutes::output(int /*input*/, std::uint16_t destination) const {
  const int route = destination < routes_.size() ? routes_[destination] : 0;
  return route <= ports_ ? route - 1 : -1;
}

bool TableRoutes::has(std::uint16_t address) const {
  return address >= reg::kRoute && address < reg::kRoute + reg::kMaxRoutes;
}

std::uint32_t TableRoutes::read(std::uint16_t address) const {
  return routes_[static_cast<std::size_t>(address - reg::kRoute)];
}

void TableRoutes::write(std::uint16_t address, std::uint32_t value) {
  routes_[static_cast<std::size_t>(address - reg::kRoute)] = static_cast<std::uint8_t>(value & 63U);
}

}  // namespace fredsim
