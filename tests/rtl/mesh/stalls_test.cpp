// SPDX-License-Identifier: Apache-2.0
// mesh_stalls: counts of a cycle, two edges later.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>

#include "Vmesh_stalls/Vmesh_stalls.h"
#include "base/random.h"
#include "rtl/bench.h"

namespace fredsim {
namespace {

constexpr int kPorts = 5, kVcs = 4;

struct Counts {
  int credit = 0, arbiter = 0;
  unsigned link = 0;
};

TEST(MeshStalls, CountsStalledHolFlits) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Bench<Vmesh_stalls> bench;
    bench->no_credit_i = bench->contends_i = bench->pop_i = bench->link_i = 0;
    bench.reset();
    std::array<Counts, 2> expected{};  // stalls of the last cycle, of the one before
    for (int cycle = 0; cycle < 10'000; ++cycle) {
      if (cycle % 1000 == 999) {
        bench.reset();
        expected = {};
        ASSERT_EQ(bench->stall_credit_o | bench->stall_arbiter_o | bench->stall_link_o, 0) << cycle;
      }
      const std::uint64_t busy = cycle / 100 % 3;
      Counts now;
      std::uint32_t no_credit = 0, contends = 0, pops = 0;
      for (int p = 0; p < kPorts; ++p) {
        std::uint32_t contenders = 0;
        for (int v = 0; v < kVcs; ++v) {
          const auto state = random.below(4);  // nothing, no credit, contends, as well
          if (state == 1 && busy != 0) no_credit |= 1U << (kVcs * p + v);
          if (state >= 2 && busy == 2) contenders |= 1U << v;
        }
        contends |= contenders << (kVcs * p);
        if (contenders != 0 && random.below(2) == 0) pops |= 1U << p;
      }
      now.credit = std::popcount(no_credit);
      now.arbiter = std::popcount(contends) - std::popcount(pops);
      now.link = random.below(2) == 0 ? 0U : static_cast<unsigned>(random.below(1U << kPorts));
      bench->no_credit_i = no_credit;
      bench->contends_i = contends;
      bench->pop_i = static_cast<CData>(pops);
      bench->link_i = static_cast<CData>(now.link);
      bench.edge();
      expected[1] = expected[0];
      expected[0] = now;
      ASSERT_EQ(bench->stall_credit_o, expected[1].credit) << cycle;
      ASSERT_EQ(bench->stall_arbiter_o, expected[1].arbiter) << cycle;
      ASSERT_EQ(bench->stall_link_o, expected[1].link) << cycle;
    }
  }
}

TEST(MeshStalls, AssertsItsContract) {
  Bench<Vmesh_stalls> bench;
  bench->no_credit_i = bench->contends_i = bench->link_i = 0;
  bench.reset();
  bench->pop_i = 1;  // pop at a port without contention
  bench.edge();
  bench->pop_i = 0;
  EXPECT_EQ(bench.broken_by([&] { bench.edge(); }), "pops_contended");
}

}  // namespace
}  // namespace fredsim
