// SPDX-License-Identifier: Apache-2.0
// phased_control alone: phase selection, pre-emption, YIELD, QUANTUM, changes and fires, against
// the reference in control_bench.h.
#include <gtest/gtest.h>

#include "rtl/phased/control_bench.h"

namespace fredsim {
namespace {

using Bench = ControlBench;

Bench::Rates some_rates(Random& random) {
  constexpr std::array<int, 3> kPhases{2, 5, Bench::kPhases};
  const auto percent = [&](std::uint64_t min) { return min + random.below(101 - min); };
  return {.job = 1 + random.below(random.below(2) == 0 ? 8 : 60),
          .arrive = percent(20),
          .room = percent(50),
          .free = percent(50),
          .phases = kPhases[random.below(kPhases.size())]};
}

// Traffic of all loads; now and then, with nothing at the inputs and idle_o high, edges that the
// module does not see.
void run(std::uint64_t seed, int cycles, Bench::Reasons& reasons) {
  Bench bench(seed);
  Random random(seed + 1000);
  Bench::Rates rates;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    if (cycle % 300 == 0) rates = some_rates(random);
    bench.step(rates);
    if (testing::Test::HasFatalFailure()) return;
    if (bench.idle() && bench.no_hol_flits() && random.below(2) == 0)
      bench.skip(static_cast<int>(random.below(12)));
  }
  const Bench::Rates rest{.job = 0, .arrive = 90, .room = 90, .free = 90};
  for (int left = 40'000; !bench.drained() && left > 0; --left) {
    bench.step(rest);
    if (testing::Test::HasFatalFailure()) return;
  }
  ASSERT_TRUE(bench.drained()) << "does not drain, " << bench.text();
  for (int n = 0; n < 12; ++n) bench.step(rest);
  EXPECT_TRUE(bench.idle()) << bench.text();
  reasons.first += bench.reasons().first;
  reasons.rewritten += bench.reasons().rewritten;
  reasons.higher += bench.reasons().higher;
  reasons.equal_silent += bench.reasons().equal_silent;
  reasons.equal_quantum += bench.reasons().equal_quantum;
  reasons.lower += bench.reasons().lower;
}

TEST(Control, DecidesChangesAndFiresAtTheEdgesOfItsContract) {
  Bench::Reasons reasons;
  constexpr int kSeeds = 20;
  for (std::uint64_t seed = 1; seed <= kSeeds && !testing::Test::HasFailure(); ++seed)
    run(seed, 6000, reasons);
  EXPECT_GT(reasons.rewritten, 100);
  EXPECT_GT(reasons.first, 100);
  EXPECT_GT(reasons.higher, 500);
  EXPECT_GT(reasons.equal_silent, 200);
  EXPECT_GT(reasons.equal_quantum, 30);
  EXPECT_GT(reasons.lower, 500);
}

// A head-of-line flit whose phase was never written.
TEST(Control, TellsOfAPhaseThatIsNotProgrammed) {
  VerilatedContext context;
  Vphased_control model(&context, "dut");
  model.match_i = 0;
  model.free_i = 1;
  put_words(model.row_i, std::array<std::uint32_t, 3>{});
  model.room_i = 0xFFFFF;
  reset(model);
  model.other_i = 1U << 6;  // VC 2 of port 1
  put_bits(model.hol_phase_i, 32 + 16, 8, 3);
  edge(model);
  EXPECT_NE(model.error_phase_o, 0);
  for (int n = 0; n < 20; ++n) {
    edge(model);
    ASSERT_EQ(model.change_o, 0);
  }
  model.final();
}

}  // namespace
}  // namespace fredsim
