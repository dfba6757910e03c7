// SPDX-License-Identifier: Apache-2.0
// fred_register_map by itself: every address, against the register map of noc_pkg.
#include <gtest/gtest.h>

#include <map>

#include "Vmodule_large_register_map/Vmodule_large_register_map.h"
#include "Vmodule_register_map/Vmodule_register_map.h"
#include "rtl/phased/dut.h"

namespace fredsim {
namespace {

constexpr int kPorts = 5, kMiddle = 2;

template <typename Model>
void expect_registers(int first_route, int routes) {
  std::map<int, bool> writable;  // by address
  const auto add = [&](int first, int count, bool write) {
    for (int n = 0; n < count; ++n) writable[first + n] = write;
  };
  for (const int one : {noc_pkg::REG_ID, noc_pkg::REG_SHAPE, noc_pkg::REG_ERROR})
    add(one, 1, false);
  for (const int counter :
       {noc_pkg::REG_REDUCTIONS, noc_pkg::REG_PHASE_CHANGES, noc_pkg::REG_STALL_JOIN,
        noc_pkg::REG_STALL_CREDIT, noc_pkg::REG_STALL_PHASE, noc_pkg::REG_STALL_ARBITER,
        noc_pkg::REG_STALL_LINK})
    add(counter, 2, false);
  add(noc_pkg::REG_FLITS_IN, 2 * kPorts, false);
  add(noc_pkg::REG_FLITS_OUT, 2 * kPorts, false);
  add(noc_pkg::REG_CREDIT, 4 * kPorts, true);
  add(first_route, routes, true);
  add(noc_pkg::REG_PHASE_STORE,
      static_cast<int>(fred_pkg::num_phases(kPorts, kMiddle) *
                       fred_pkg::row_words(kPorts, kMiddle)),
      true);

  VerilatedContext context;
  Model model(&context, "dut");
  for (int address = 0; address < 0x10000; ++address) {
    const auto found = writable.find(address);
    for (const bool write : {false, true}) {
      model.write_i = write;
      model.addr_i = static_cast<SData>(address);
      model.eval();
      ASSERT_EQ(model.known_o != 0, found != writable.end() && (found->second || !write))
          << "address " << address << (write ? " written" : " read");
    }
  }
  model.final();
}

TEST(RegisterMap, KnowsTheRegistersOfTheSwitchAndNoOthers) {
  expect_registers<Vmodule_register_map>(noc_pkg::REG_ROUTE, noc_pkg::MAX_ROUTES);
}

TEST(RegisterMap, HasALargeTableElsewhere) {
  expect_registers<Vmodule_large_register_map>(noc_pkg::REG_LARGE_ROUTE,
                                               1 << noc_pkg::MAX_ROUTE_ADDR_W);
}

}  // namespace
}  // namespace fredsim
