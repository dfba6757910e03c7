// SPDX-License-Identifier: Apache-2.0
// mesh_vc_arbiter: for every output the first input that asks from its turn on.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "Vmesh_vc_arbiter/Vmesh_vc_arbiter.h"
#include "Vmesh_vc_arbiter/Vmesh_vc_arbiter___024root.h"
#include "base/random.h"
#include "rtl/bench.h"

namespace fredsim {
namespace {

constexpr int kPorts = 5;
using ByPort = std::array<int, kPorts>;

// Output that each input asks for; none: -1.
unsigned requests(const ByPort& wish) {
  unsigned mask = 0;
  for (int p = 0; p < kPorts; ++p)
    if (wish[p] >= 0) mask |= 1U << (p * kPorts + wish[p]);
  return mask;
}

TEST(MeshVcArbiter, TheFirstInputFromTheTurnOnWins) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Bench<Vmesh_vc_arbiter> bench;
    ByPort turn{};
    for (int cycle = 0; cycle < 20'000; ++cycle) {
      if (cycle % 1000 == 0) {
        bench->request_i = bench->advance_i = 0;
        bench.reset();
        turn = {};
      }
      ByPort wish{};
      const std::uint64_t outputs = 1 + cycle / 50 % kPorts;  // few of them: many ask for one
      for (int& o : wish) o = random.below(4) == 0 ? -1 : static_cast<int>(random.below(outputs));
      unsigned winners = 0, any = 0, advance = 0;
      for (int o = 0; o < kPorts; ++o) {
        for (int step = 0; step < kPorts; ++step) {
          const int p = (turn[o] + step) % kPorts;
          if (wish[p] != o) continue;
          winners |= 1U << (p * kPorts + o);
          any |= 1U << o;
          if (random.below(2) == 0) {
            advance |= 1U << o;
            turn[o] = (p + 1) % kPorts;
          }
          break;
        }
      }
      bench->request_i = requests(wish);
      bench->advance_i = static_cast<CData>(advance);
      bench.settle();
      ASSERT_EQ(bench->winner_o, winners) << cycle;
      ASSERT_EQ(bench->any_o, any) << cycle;
      bench.edge();
    }
  }
}

// A requester that keeps asking wins within as many grants as there are inputs, whoever asks beside
// it.
TEST(MeshVcArbiter, NobodyWaitsForMoreThanAllOthers) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Bench<Vmesh_vc_arbiter> bench;
    bench->request_i = bench->advance_i = 0;
    bench.reset();
    ByPort wish{}, waited{};
    wish.fill(-1);
    int longest = 0;
    for (int cycle = 0; cycle < 10'000; ++cycle) {
      for (int& o : wish)
        if (o < 0 && random.below(2) == 0) o = static_cast<int>(random.below(2));
      bench->request_i = requests(wish);
      bench->advance_i = 0;
      bench.settle();
      bench->advance_i = bench->any_o;
      for (int p = 0; p < kPorts; ++p) {
        if (wish[p] < 0) continue;
        if (bit(bench->winner_o, p * kPorts + wish[p])) {
          wish[p] = -1;
          waited[p] = 0;
        } else {
          longest = std::max(longest, ++waited[p]);
        }
      }
      bench.edge();
    }
    EXPECT_EQ(longest, kPorts - 1);
  }
}

TEST(MeshVcArbiter, AssertsItsContract) {
  Bench<Vmesh_vc_arbiter> bench;
  bench->request_i = bench->advance_i = 0;
  bench.reset();
  bench->advance_i = 1;  // without a request
  EXPECT_EQ(bench.broken_by([&] { bench.edge(); }), "advance_has_a_winner");
  bench.reset();
  bench->advance_i = 0;
  bench->request_i = 1;
  // Input 1 is at or after the turn, input 2 is not.
  bench->rootp->mesh_vc_arbiter__DOT__in_turn_q = 1U << (1 * kPorts);
  EXPECT_EQ(bench.broken_by([&] { bench.edge(); }), "turns_are_thermometers");
}

}  // namespace
}  // namespace fredsim
