// SPDX-License-Identifier: Apache-2.0
// Routes of online unicasts out of a switch with a phase store, and the registers that hold them:
// the C++ side of a kind's top without its interconnect (rtl/phased/phased_switch.sv, "Routes").
//
// Timing: the twin looks a route up in the state before the edge that samples a flit; reads see
//   that state, too, writes change it after.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/route_table.h"

namespace fredsim {

class PhasedRoutes {
 public:
  PhasedRoutes() = default;
  virtual ~PhasedRoutes() = default;
  PhasedRoutes(const PhasedRoutes&) = delete;
  PhasedRoutes& operator=(const PhasedRoutes&) = delete;

  virtual void reset() = 0;
  // Output port of a flit from an input to a destination; -1: none.
  virtual int output(int input, std::uint16_t destination) const = 0;
  // Returns true for the word address of one of its registers; read() and write() are for these.
  virtual bool has(std::uint16_t address) const = 0;
  virtual std::uint32_t read(std::uint16_t address) const = 0;
  virtual void write(std::uint16_t address, std::uint32_t value) = 0;
};

// Routing by a table of destinations, the same for all inputs (rtl/phased/phased_table_routes.sv).
class TableRoutes final : public PhasedRoutes {
 public:
  TableRoutes(int ports, const RouteTable& table);

  void reset() override {}  // a memory keeps its contents
  int output(int input, std::uint16_t destination) const override;
  bool has(std::uint16_t address) const override;
  std::uint32_t read(std::uint16_t address) const override;
  void write(std::uint16_t address, std::uint32_t value) override;

 private:
  int ports_;
  RouteTable table_;
  std::vector<std::uint8_t> routes_;  // 1 + output port; 0, or more than there are ports: none
};

}  // namespace fredsim
