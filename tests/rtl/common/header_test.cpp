// SPDX-License-Identifier: Apache-2.0
// noc_pkg::header_t against the constants of its fields: RTL reads a header by the type, C++ by the
// constants.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vcommon_header/Vcommon_header.h"
#include "rtl/bench.h"
#include "rtl/noc_pkg.h"

namespace fredsim {
namespace {

constexpr std::array kFields{"tag", "dst", "src", "phase", "vc", "seq", "head", "tail", "reserved"};

TEST(Header, FieldsAreWhereTheConstantsSay) {
  VerilatedContext context;
  Vcommon_header dut(&context, "dut");
  // Every bit alone, and every bit but one: a field elsewhere, or one of another width, differs for
  // one of them.
  for (int at = 0; at < static_cast<int>(noc_pkg::HEADER_W); ++at) {
    for (const bool value : {true, false}) {
      set_bits(dut.bits_i, 0, 64, value ? 0 : ~std::uint64_t{0});
      set_bits(dut.bits_i, 64, noc_pkg::HEADER_W - 64, value ? 0 : ~std::uint64_t{0});
      set_bit(dut.bits_i, at, value);
      dut.eval();
      for (int field = 0; field < static_cast<int>(kFields.size()); ++field)
        EXPECT_TRUE(bit(dut.same_o, field)) << kFields[field] << ", bit " << at << " = " << value;
    }
  }
  EXPECT_EQ(dut.width_o, noc_pkg::HEADER_W);
  dut.final();
}

}  // namespace
}  // namespace fredsim
