// SPDX-License-Identifier: Apache-2.0
#include "switch/phased/phased_routes.h"

namespace fredsim {

TableRoutes::TableRoutes(int ports, const RouteTable& table)
    : ports_(ports), table_(table), routes_(static_cast<std::size_t>(table.entries)) {}

int TableRoutes::output(int /*input*/, std::uint16_t destination) const {
  const int route = destination < routes_.size() ? routes_[destination] : 0;
  return route <= ports_ ? route - 1 : -1;
}

bool TableRoutes::has(std::uint16_t address) const { return table_.has(address); }

std::uint32_t TableRoutes::read(std::uint16_t address) const {
  return routes_[static_cast<std::size_t>(address - table_.first)];
}

void TableRoutes::write(std::uint16_t address, std::uint32_t value) {
  routes_[static_cast<std::size_t>(address - table_.first)] =
      static_cast<std::uint8_t>(value & 63U);
}

}  // namespace fredsim
