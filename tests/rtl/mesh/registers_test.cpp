// SPDX-License-Identifier: Apache-2.0
// mesh_registers against a map of written values.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmesh_registers/Vmesh_registers.h"
#include "base/random.h"
#include "rtl/bench.h"
#include "rtl/mesh_pkg.h"
#include "rtl/noc_pkg.h"

namespace fredsim {
namespace {

constexpr int kLocals = 1, kIos = 1, kPorts = 4 + kLocals + kIos, kVcs = 4;

struct Registers {
  std::uint32_t position = 0, torus = 0, no_link = 0, error = 0, rdata = 0;
  std::array<std::uint16_t, kPorts * kVcs> credits{};  // noc_pkg::vc_index

  std::uint32_t read(unsigned address) const {
    if (address == noc_pkg::REG_ID) return mesh_pkg::MESH_ID;
    if (address == noc_pkg::REG_SHAPE) return kLocals | kIos << 8;
    if (address == noc_pkg::REG_POSITION) return position;
    if (address == noc_pkg::REG_TORUS) return torus;
    if (address == noc_pkg::REG_NO_LINK) return no_link;
    if (address == noc_pkg::REG_ERROR) return error;
    const unsigned hol = address - noc_pkg::REG_CREDIT;
    return address >= noc_pkg::REG_CREDIT && hol < credits.size() ? credits[hol] : 0;
  }
  void write(unsigned address, unsigned value) {
    if (address == noc_pkg::REG_POSITION) position = value & 0x3F3F;
    if (address == noc_pkg::REG_TORUS) torus = value & 0x7F7F;
    if (address == noc_pkg::REG_NO_LINK) no_link = value & 0xFFFF;
  }
};

unsigned some_address(Random& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random.below(n)); };
  switch (below(4)) {
    case 0:
      return below(65536);
    case 1:
      return below(8);
    case 2:
      return noc_pkg::REG_CREDIT - 4 + below(kPorts * kVcs + 8);
    default:
      return noc_pkg::REG_CREDIT + below(kPorts * kVcs);
  }
}

TEST(MeshRegisters, ReadWhatTheyHoldAndPassOnCredits) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Bench<Vmesh_registers> bench;
    Registers expected;
    for (int cycle = 0; cycle < 20'000; ++cycle) {
      if (cycle % 500 == 0) {
        bench->valid_i = bench->error_overflow_i = bench->error_route_i = 0;
        bench.reset();
        expected = {};
      }
      for (std::size_t i = 0; i < expected.credits.size(); ++i) {
        expected.credits[i] = static_cast<std::uint16_t>(random.next());
        set_bits(bench->credits_i, static_cast<int>(16 * i), 16, expected.credits[i]);
      }
      const unsigned address = some_address(random);
      bench->valid_i = random.below(3) != 0;
      bench->write_i = random.below(2) == 0;
      bench->addr_i = static_cast<SData>(address);
      bench->wdata_i = static_cast<SData>(random.next());
      bench->error_overflow_i = random.below(200) == 0;
      bench->error_route_i =
          bench->error_overflow_i != 0 ? random.below(2) == 0 : random.below(200) == 0;
      bench.settle();
      std::uint64_t written = 0;
      const unsigned hol = address - noc_pkg::REG_CREDIT;
      if (bench->valid_i && bench->write_i && address >= noc_pkg::REG_CREDIT && hol < kPorts * kVcs)
        written = std::uint64_t{1} << hol;
      ASSERT_EQ(bench->credit_write_o, written) << cycle;
      if (bench->valid_i && !bench->write_i) expected.rdata = expected.read(address);
      if (bench->valid_i && bench->write_i) expected.write(address, bench->wdata_i);
      if (expected.error == noc_pkg::ERROR_NONE) {
        expected.error = bench->error_overflow_i ? noc_pkg::ERROR_OVERFLOW
                         : bench->error_route_i  ? noc_pkg::ERROR_ROUTE
                                                 : noc_pkg::ERROR_NONE;
      }
      bench.edge();
      ASSERT_EQ(bench->rdata_o, expected.rdata) << cycle << " address " << address;
      ASSERT_EQ(bench->x_o | bench->y_o << 8, expected.position) << cycle;
      ASSERT_EQ(bench->columns_o | bench->rows_o << 8, expected.torus) << cycle;
      ASSERT_EQ(bench->error_o, expected.error) << cycle;
    }
  }
}

}  // namespace
}  // namespace fredsim
