// SPDX-License-Identifier: Apache-2.0
// switch_counters against sums; read as two words each, at every address of the map.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <map>

#include "Vcommon_counters/Vcommon_counters.h"
#include "Vcommon_counters/Vcommon_counters___024root.h"
#include "base/random.h"
#include "rtl/bench.h"
#include "rtl/noc_pkg.h"

namespace fredsim {
namespace {

constexpr int kPorts = 3;
using Sums = std::map<unsigned, std::uint64_t>;  // events by address of the low word; no entry: no
                                                 // counter

Sums zeros() {
  Sums sums;
  for (const unsigned address :
       {+noc_pkg::REG_REDUCTIONS, +noc_pkg::REG_PHASE_CHANGES, +noc_pkg::REG_STALL_JOIN,
        +noc_pkg::REG_STALL_CREDIT, +noc_pkg::REG_STALL_PHASE, +noc_pkg::REG_STALL_ARBITER,
        +noc_pkg::REG_STALL_LINK})
    sums[address] = 0;
  for (unsigned p = 0; p < kPorts; ++p)
    sums[noc_pkg::REG_FLITS_IN + 2 * p] = sums[noc_pkg::REG_FLITS_OUT + 2 * p] = 0;
  return sums;
}

unsigned some_address(Random& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random.below(n)); };
  switch (below(4)) {
    case 0:
      return below(65536);
    case 1:
      return noc_pkg::REG_FLITS_IN - 2 + below(2 * kPorts + 4);
    case 2:
      return noc_pkg::REG_FLITS_OUT - 2 + below(2 * kPorts + 4);
    default:
      return noc_pkg::REG_REDUCTIONS - 2 + below(32);
  }
}

TEST(SwitchCounters, AddUpWhatHappens) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto some = [&](std::uint64_t n) {
      return static_cast<CData>(random.below(3) == 0 ? random.below(n) : 0);
    };
    Bench<Vcommon_counters> bench;
    Sums sums;
    std::uint32_t read = 0;
    for (int cycle = 0; cycle < 20'000; ++cycle) {
      if (cycle % 5'000 == 0) {
        bench.reset();
        sums = zeros();
        read = 0;
        // Near a carry into the high word.
        bench->rootp->switch_counters__DOT__in_q[1] = sums[noc_pkg::REG_FLITS_IN + 2] = 0xFFFF'FFF0;
        bench->rootp->switch_counters__DOT__credit_q = sums[noc_pkg::REG_STALL_CREDIT] =
            0x1'FFFF'FF00;
      }
      bench->flit_in_i = some(1U << kPorts);
      bench->flit_out_i = some(1U << kPorts);
      bench->stall_link_i = some(1U << kPorts);
      bench->phase_change_i = some(2);
      bench->reductions_i = some(256);
      bench->stall_join_i = some(256);
      bench->stall_credit_i = some(256);
      bench->stall_phase_i = some(256);
      bench->stall_arbiter_i = some(256);
      const unsigned address = some_address(random);
      bench->addr_i = static_cast<SData>(address);
      bench->read_i = random.below(2) == 0;
      if (bench->read_i) {
        const auto counter = sums.find(address & ~1U);
        const std::uint64_t value = counter == sums.end() ? 0 : counter->second;
        read = static_cast<std::uint32_t>(address % 2 == 0 ? value : value >> 32);
      }
      bench.edge();
      ASSERT_EQ(bench->rdata_o, read) << "cycle " << cycle << " address " << address;
      for (unsigned p = 0; p < kPorts; ++p) {
        sums[noc_pkg::REG_FLITS_IN + 2 * p] += bench->flit_in_i >> p & 1U;
        sums[noc_pkg::REG_FLITS_OUT + 2 * p] += bench->flit_out_i >> p & 1U;
      }
      sums[noc_pkg::REG_STALL_LINK] += static_cast<unsigned>(std::popcount(bench->stall_link_i));
      sums[noc_pkg::REG_PHASE_CHANGES] += bench->phase_change_i;
      sums[noc_pkg::REG_REDUCTIONS] += bench->reductions_i;
      sums[noc_pkg::REG_STALL_JOIN] += bench->stall_join_i;
      sums[noc_pkg::REG_STALL_CREDIT] += bench->stall_credit_i;
      sums[noc_pkg::REG_STALL_PHASE] += bench->stall_phase_i;
      sums[noc_pkg::REG_STALL_ARBITER] += bench->stall_arbiter_i;
    }
  }
}

}  // namespace
}  // namespace fredsim
