// SPDX-License-Identifier: Apache-2.0
// phased_route_ram against the table that was written.
#include <Vroute_ram_10/Vroute_ram_10.h>
#include <Vroute_ram_15/Vroute_ram_15.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/random.h"
#include "rtl/noc_pkg.h"

namespace tb {
namespace {

constexpr std::size_t kPorts = 3;

template <typename Ram>
void expect_table(std::size_t entries) {
  VerilatedContext context;
  Ram ram(&context, "dut");
  fredsim::Random random(6);
  std::vector<unsigned> table(entries);
  std::array<unsigned, kPorts> destination{};
  unsigned read_back = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    // Written, read, looked up: often near both ends of the table.
    const auto some = [&] {
      const auto all = random.below(4) == 0 ? 65536U : table.size() + 2;
      return static_cast<unsigned>(random.below(4) == 0 ? table.size() - 2 + random.below(4)
                                                        : random.below(all));
    };
    const unsigned address = some() % static_cast<unsigned>(table.size());
    ram.write_i = random.below(2) == 0;
    ram.read_i = ram.write_i == 0 && random.below(2) == 0;
    ram.addr_i = static_cast<SData>(address);
    ram.wdata_i = static_cast<CData>(random.below(64));
    std::uint64_t dst = 0;
    ram.lookup_i = 0;
    for (std::size_t p = 0; p < kPorts; ++p) {
      const unsigned to = some();
      dst |= std::uint64_t{to} << (16 * p);
      if ((ram.write_i != 0 && to == address) || random.below(2) == 0) continue;
      ram.lookup_i = static_cast<CData>(ram.lookup_i | 1U << p);
      destination[p] = to;
    }
    ram.dst_i = dst;
    std::array<unsigned, kPorts> route{};
    for (std::size_t p = 0; p < kPorts; ++p) {
      if ((ram.lookup_i >> p & 1U) != 0)
        route[p] = destination[p] < table.size() ? table[destination[p]] : 0;
    }
    if (ram.read_i != 0) read_back = table[address];
    if (ram.write_i != 0) table[address] = ram.wdata_i;
    ram.clk_i = 0;
    ram.eval();
    ram.clk_i = 1;
    ram.eval();
    ASSERT_EQ(ram.rdata_o, read_back) << cycle;
    for (std::size_t p = 0; p < kPorts; ++p) {
      if ((ram.lookup_i >> p & 1U) == 0) continue;
      const bool known = route[p] >= 1 && route[p] <= kPorts;
      ASSERT_EQ((ram.known_o >> p & 1U) != 0, known) << cycle;
      if (known) {
        ASSERT_EQ(ram.out_o >> (5 * p) & 31U, route[p] - 1) << cycle;
      }
    }
  }
  ram.final();
}

TEST(RouteRam, LooksUpWhatWasWrittenAndReadsItBack) {
  expect_table<Vroute_ram_10>(fredsim::noc_pkg::MAX_ROUTES);
}

TEST(RouteRam, OfTheLargestSizeToo) {
  expect_table<Vroute_ram_15>(std::size_t{1} << fredsim::noc_pkg::MAX_ROUTE_ADDR_W);
}

}  // namespace
}  // namespace tb
