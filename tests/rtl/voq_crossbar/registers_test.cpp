// SPDX-License-Identifier: Apache-2.0
// voq_crossbar_registers against a map of the registers: whose answer a read gets, writes of
// credits, the first error.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "../bench.h"
#include "Vvoq_registers/Vvoq_registers.h"
#include "base/random.h"
#include "rtl/noc_pkg.h"
#include "rtl/voq_crossbar_pkg.h"

namespace fredsim {
namespace {

constexpr unsigned kPorts = 3, kCredits = kPorts * noc_pkg::NUM_VCS;

enum class Source { kNone, kCounters, kRoutes };

Source source_of(unsigned address) {
  if (address >= noc_pkg::REG_ROUTE && address < noc_pkg::REG_ROUTE + noc_pkg::MAX_ROUTES)
    return Source::kRoutes;
  if (address >= noc_pkg::REG_FLITS_IN && address < noc_pkg::REG_ROUTE) return Source::kCounters;
  return Source::kNone;
}

unsigned some_address(Random& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random.below(n)); };
  switch (below(6)) {
    case 0:
      return below(65536);
    case 1:
      return below(8);
    case 2:
      return noc_pkg::REG_FLITS_IN - 2 + below(4);
    case 3:
      return noc_pkg::REG_ROUTE - 2 + below(4);
    case 4:
      return noc_pkg::REG_ROUTE + noc_pkg::MAX_ROUTES - 2 + below(4);
    default:
      return noc_pkg::REG_CREDIT - 4 + below(kCredits + 8);
  }
}

TEST(VoqRegisters, AnswerPassOnAndKeepTheFirstError) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Bench<Vvoq_registers> bench;
    Source source = Source::kNone;
    std::uint32_t error = 0, own = 0;
    for (int cycle = 0; cycle < 20'000; ++cycle) {
      if (cycle % 500 == 0) {
        bench->valid_i = bench->error_overflow_i = bench->error_phase_i = bench->error_route_i = 0;
        bench.reset();
        source = Source::kNone;
        error = own = 0;
      }
      std::array<std::uint32_t, kCredits> credits;
      for (unsigned i = 0; i < kCredits; ++i) {
        credits[i] = static_cast<std::uint16_t>(random.next());
        set_bits(bench->credits_i, static_cast<int>(16 * i), 16, credits[i]);
      }
      const unsigned address = some_address(random);
      bench->valid_i = random.below(3) != 0;
      bench->write_i = random.below(2) == 0;
      bench->addr_i = static_cast<SData>(address);
      bench->counter_rdata_i = static_cast<IData>(random.next());
      bench->route_rdata_i = static_cast<CData>(random.below(32));
      bench->error_overflow_i = random.below(200) == 0 ? 4 : 0;
      bench->error_phase_i = random.below(200) == 0 ? 2 : 0;
      bench->error_route_i = random.below(200) == 0 ? 1 : 0;
      bench.settle();
      const bool read = bench->valid_i && !bench->write_i, write = bench->valid_i && bench->write_i;
      const unsigned hol = address - noc_pkg::REG_CREDIT;
      const bool is_credit = address >= noc_pkg::REG_CREDIT && hol < kCredits;
      ASSERT_EQ(bench->credit_write_o, write && is_credit ? 1U << hol : 0) << cycle;
      ASSERT_EQ(bench->counter_read_o, read && source_of(address) == Source::kCounters) << cycle;
      ASSERT_EQ(bench->route_read_o, read && source_of(address) == Source::kRoutes) << cycle;
      ASSERT_EQ(bench->route_write_o, write && source_of(address) == Source::kRoutes) << cycle;
      if (read) {
        source = source_of(address);
        own = is_credit                       ? credits[hol]
              : address == noc_pkg::REG_ID    ? voq_crossbar_pkg::VOQ_CROSSBAR_ID
              : address == noc_pkg::REG_SHAPE ? kPorts
              : address == noc_pkg::REG_ERROR ? error
                                              : 0;
      }
      if (error == noc_pkg::ERROR_NONE) {
        error = bench->error_overflow_i ? noc_pkg::ERROR_OVERFLOW
                : bench->error_phase_i  ? noc_pkg::ERROR_PHASE
                : bench->error_route_i  ? noc_pkg::ERROR_ROUTE
                                        : noc_pkg::ERROR_NONE;
      }
      bench.edge();
      const std::uint32_t wanted = source == Source::kRoutes     ? bench->route_rdata_i
                                   : source == Source::kCounters ? bench->counter_rdata_i
                                                                 : own;
      ASSERT_EQ(bench->rdata_o, wanted) << cycle << " address " << address;
      ASSERT_EQ(bench->error_o, error) << cycle;
    }
  }
}

}  // namespace
}  // namespace fredsim
