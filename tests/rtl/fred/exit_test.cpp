// SPDX-License-Identifier: Apache-2.0
// fred_exit alone: flits that leave an interconnect against flits that left their buffers, with
// missing flits, surplus flits, unicasts in place of flits of the phase, and flits inside other
// packets.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "Vmodule_exit/Vmodule_exit.h"
#include "base/flit.h"
#include "rtl/cover_counts.h"
#include "rtl/cover_list.h"
#include "rtl/phased/dut.h"

namespace fredsim {
namespace {

constexpr int kPorts = 5;
constexpr int kEdges = 5 + 3;  // stages of a Fred_m(5), and three more until their flits are there

void clear(Vmodule_exit& model) {
  model.move_i = model.phase_out_i = model.in_valid_i = model.in_online_i = 0;
  model.in_vc_i = model.in_head_i = model.in_tail_i = 0;
}

struct Expected {
  std::uint32_t phase = 0, online = 0;
};

TEST(Exit, LetsPassWhatHasAPlaceAndTellsWhatHasNoneOrIsMissing) {
  CoverCounts counts;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    VerilatedContext context;
    Vmodule_exit model(&context, "dut");
    Random random(seed);
    clear(model);
    reset(model);
    std::deque<Expected> on_its_way(kEdges);
    std::array<std::array<bool, kNumVcs>, kPorts> inside{};  // a packet, by output and VC
    int errors = 0, quiet = 0;
    for (int cycle = 0; cycle < 5000; ++cycle) {
      const std::string where = "seed " + std::to_string(seed) + ", cycle " + std::to_string(cycle);
      Expected leaving;
      model.move_i = 0;
      if (cycle % 100 < 60) {
        for (int o = 0; o < kPorts; ++o) {
          const auto kind = random.below(3);
          if (kind == 1) leaving.phase |= 1U << o;
          if (kind == 2) leaving.online |= 1U << o;
          if (kind == 2) put_bits(model.move_i, kPorts * ((o + cycle) % kPorts) + o, 1, 1);
        }
      }
      model.phase_out_i = static_cast<CData>(leaving.phase);
      on_its_way.push_back(leaving);
      on_its_way.pop_front();
      const auto [phase, online] = on_its_way.front();
      std::uint32_t valid = phase | online, is_online = online;
      if (random.below(4) == 0) valid ^= 1U << random.below(kPorts);
      if (random.below(8) == 0) is_online &= static_cast<std::uint32_t>(random.next());
      is_online &= valid;
      if (random.below(2) == 0) is_online |= ~valid & 0x1F;  // meant where valid only
      model.in_valid_i = static_cast<CData>(valid);
      model.in_online_i = static_cast<CData>(is_online);
      const std::uint32_t passes = valid & ((is_online & online) | (~is_online & phase));
      bool error = passes != (phase | online) || passes != valid;
      for (int p = 0; p < kPorts; ++p) {
        const auto vc = random.below(kNumVcs);
        bool& now = inside[static_cast<std::size_t>(p)][vc];
        const bool next = random.below(32) != 0, tail = random.below(3) == 0;
        put_bits(model.in_vc_i, 2 * p, 2, vc);
        put_bits(model.in_head_i, p, 1, next != now ? 1 : 0);
        put_bits(model.in_tail_i, p, 1, tail ? 1 : 0);
        if ((passes >> p & 1U) == 0) continue;
        error = error || !next;
        now = !tail;
      }
      settle(model);
      ASSERT_EQ(model.out_valid_o, passes) << where;
      ASSERT_EQ(model.error_o != 0, error) << where;
      (error ? errors : quiet) += 1;
      edge(model);
    }
    model.final();
    add_cover_counts(context, counts);
    EXPECT_GT(errors, 500);
    EXPECT_GT(quiet, 500);
  }
  expect_reached(counts, "fred_modules");
}

TEST(ExitDeathTest, AssertsThatUnicastsComeWhereTheyGo) {
  const auto stray = [] {
    VerilatedContext context;
    Vmodule_exit model(&context, "dut");
    clear(model);
    reset(model);
    model.in_valid_i = model.in_online_i = 1;
    edge(model);
  };
  EXPECT_DEATH(stray(), "unicast_comes_where_it_goes");
}

}  // namespace
}  // namespace fredsim
