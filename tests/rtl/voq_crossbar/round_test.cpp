// SPDX-License-Identifier: Apache-2.0
// voq_round by itself, and voq_arbiter inside it, against request, grant and accept as lists,
// written from their contracts.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "../bench.h"
#include "Vvoq_round/Vvoq_round.h"
#include "Vvoq_round_over_vcs/Vvoq_round_over_vcs.h"
#include "base/random.h"
#include "base/vc_order.h"

namespace fredsim {
namespace {

constexpr int kPorts = 4;
constexpr int kVectorBits = kNumVcs * kPorts * kPorts;

struct Choice {
  int vc = 0, port = 0;
};
using Asks = std::array<std::uint32_t, kNumVcs>;  // by VC, a bit per port

struct Turns {
  std::array<Asks, kPorts> starts{};  // by port and VC: the first in turn

  template <class Port>
  void put(Port& port) const {
    for (int p = 0; p < kPorts; ++p) {
      for (int v = 0; v < kNumVcs; ++v)
        set_bits(port, kPorts * (kNumVcs * p + v), kPorts, 0xFU << starts[p][v]);
    }
  }
};

std::optional<Choice> choose(Asks asks, std::uint32_t first, const Asks& starts,
                             const VcOrder& order, bool over_vcs) {
  bool any_first = false;
  for (const std::uint32_t mask : asks) any_first |= (mask & first) != 0;
  for (const int vc : order) {
    std::uint32_t mask = asks[vc];
    if (over_vcs ? any_first : (mask & first) != 0) mask &= first;
    if (mask == 0) continue;
    for (int n = 0; n < kPorts; ++n) {
      const int port = (static_cast<int>(starts[vc]) + n) % kPorts;
      if (bit(mask, port)) return Choice{vc, port};
    }
  }
  return {};
}

template <class Model>
void run(const VcOrder& order, bool over_vcs, std::uint64_t seed) {
  VerilatedContext context;
  Model model(&context, "dut");
  Random random(seed);
  int matched = 0, kept = 0;
  for (int n = 0; n < 20'000; ++n) {
    SCOPED_TRACE(n);
    std::array<Asks, kPorts> asks{};  // by output, and VC: inputs
    const std::uint64_t busy = 1 + random.below(12);
    for (int b = 0; b < kVectorBits; ++b) {
      const bool ask = random.below(16) < busy;
      set_bit(model.ask_i, b, ask);
      if (ask) asks[b / kPorts / kNumVcs][b / kPorts % kNumVcs] |= 1U << (b % kPorts);
    }
    std::array<std::optional<int>, kPorts> keeps;  // by output: its input
    std::uint32_t kept_in = 0, kept_out = 0;
    set_bits(model.keep_i, 0, kPorts * kPorts, 0);
    for (int o = 0; o < kPorts; ++o) {
      const int i = static_cast<int>(random.below(2 * kPorts));
      if (i >= kPorts || bit(kept_in, i)) continue;
      keeps[o] = i;
      set_bit(model.keep_i, kPorts * o + i, true);
      kept_in |= 1U << i;
      kept_out |= 1U << o;
    }
    model.kept_in_i = static_cast<CData>(kept_in);
    model.kept_out_i = static_cast<CData>(kept_out);
    Turns grants, accepts;
    for (Turns* turns : {&grants, &accepts}) {
      for (Asks& starts : turns->starts)
        for (std::uint32_t& start : starts)
          start = static_cast<std::uint32_t>(random.below(kPorts));
    }
    grants.put(model.grant_turn_i);
    accepts.put(model.accept_turn_i);
    model.eval();

    std::array<Asks, kPorts> got{};  // by input, and VC: outputs
    for (int o = 0; o < kPorts; ++o) {
      const auto grant = choose(asks[o], keeps[o] ? 1U << *keeps[o] : ~kept_in & 0xFU,
                                grants.starts[o], order, over_vcs);
      ASSERT_EQ(bits(model.grant_o, kPorts * o, kPorts), grant ? 1U << grant->port : 0) << o;
      ASSERT_EQ(bits(model.grant_vc_o, kNumVcs * o, kNumVcs), grant ? 1U << grant->vc : 0) << o;
      if (grant) got[grant->port][grant->vc] |= 1U << o;
    }
    std::uint64_t pairs = 0;
    for (int i = 0; i < kPorts; ++i) {
      std::uint32_t first = 0;
      for (int o = 0; o < kPorts; ++o) first |= keeps[o] == i ? 1U << o : 0;
      const auto accept = choose(got[i], first, accepts.starts[i], order, over_vcs);
      ASSERT_EQ(bits(model.accept_vc_o, kNumVcs * i, kNumVcs), accept ? 1U << accept->vc : 0) << i;
      if (!accept) continue;
      pairs |= std::uint64_t{1} << (kPorts * accept->port + i);
      ++matched;
      kept += keeps[accept->port] == i ? 1 : 0;
    }
    ASSERT_EQ(bits(model.pair_o, 0, kPorts * kPorts), pairs);
  }
  EXPECT_GT(matched, 20'000);
  EXPECT_GT(kept, 2'000);
  model.final();
}

TEST(VoqRound, MatchesAsItsContractSays) {
  run<Vvoq_round>(kDefaultVcOrder, false, 1);
  run<Vvoq_round_over_vcs>({kPp, kControl, kDp, kMp}, true, 2);
}

}  // namespace
}  // namespace fredsim
