// SPDX-License-Identifier: Apache-2.0
// vc_allocator: request, grant and accept as its contract says.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "Vcommon_allocator/Vcommon_allocator.h"
#include "Vcommon_allocator/Vcommon_allocator___024root.h"
#include "base/random.h"
#include "rtl/bench.h"

namespace fredsim {
namespace {

constexpr int kPorts = 5, kVcs = 4, kNone = -1;
constexpr std::array<int, kVcs> kOrder{1, 3, 2, 0};  // by priority: the VC_ORDER 45 of the model

template <class T>
using ByVc = std::array<std::array<T, kVcs>, kPorts>;  // [port][VC]
using ByPort = std::array<int, kPorts>;

int at(int port, int vc) { return kVcs * port + vc; }

struct Round {
  ByVc<int> winner{};            // by output: input
  ByPort granted, granted_vc;    // by output: input, its VC
  ByPort accepted, accepted_vc;  // by input: output, VC
  Round() {
    for (auto& of : winner) of.fill(kNone);
    for (ByPort* of : {&granted, &granted_vc, &accepted, &accepted_vc}) of->fill(kNone);
  }
};

// A round by the contract. wish: by input, the output that a head-of-line flit asks for.
Round round_of(const ByVc<int>& wish, const ByVc<int>& turn, const ByVc<bool>& last,
               const std::array<bool, kPorts>& drop) {
  Round round;
  for (int o = 0; o < kPorts; ++o) {
    for (int v = 0; v < kVcs; ++v) {
      for (int step = kPorts - 1; step >= 0; --step) {
        const int p = (turn[o][v] + step) % kPorts;
        if (wish[p][v] == o) round.winner[o][v] = p;
      }
    }
    for (const bool late : {false, true}) {
      for (const int v : kOrder) {
        if (round.granted[o] != kNone || round.winner[o][v] == kNone || last[o][v] != late)
          continue;
        round.granted[o] = round.winner[o][v];
        round.granted_vc[o] = v;
      }
    }
  }
  for (int p = 0; p < kPorts; ++p) {
    for (const int v : kOrder) {
      for (int o = 0; o < kPorts; ++o) {
        if (round.accepted[p] != kNone || drop[o] || round.granted[o] != p ||
            round.granted_vc[o] != v)
          continue;
        round.accepted[p] = o;
        round.accepted_vc[p] = v;
      }
    }
  }
  return round;
}

class VcAllocator : public testing::Test {
 protected:
  VcAllocator() { reset(); }
  void reset() {
    for (int bit = 0; bit < kVcs * kPorts * kPorts; ++bit) set_bit(bench_->request_i, bit, false);
    bench_->last_i = bench_->advance_i = 0;
    bench_->drop_i = 0;
    bench_.reset();
  }
  void ask(const ByVc<int>& wish) {
    for (int p = 0; p < kPorts; ++p)
      for (int v = 0; v < kVcs; ++v)
        set_bits(bench_->request_i, kPorts * at(p, v), kPorts,
                 wish[p][v] == kNone ? 0 : 1U << wish[p][v]);
  }
  static ByVc<int> nothing() {
    ByVc<int> wish;
    for (auto& of : wish) of.fill(kNone);
    return wish;
  }

  Bench<Vcommon_allocator> bench_;
};

TEST_F(VcAllocator, GrantsAndAcceptsWhatItsContractSays) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ByVc<int> turn{};
    int accepted = 0, refused = 0;
    for (int cycle = 0; cycle < 12'000; ++cycle) {
      if (cycle % 1000 == 0) {
        reset();
        turn = {};
      }
      const std::uint64_t outputs = 1 + cycle / 50 % kPorts;  // few of them: many ask for one
      const std::uint64_t busy = cycle / 10 % 5;
      ByVc<int> wish = nothing();
      ByVc<bool> last{};
      std::array<bool, kPorts> drop{};
      for (int p = 0; p < kPorts; ++p) {
        drop[p] = random.below(6) == 0;
        set_bit(bench_->drop_i, p, drop[p]);
        for (int v = 0; v < kVcs; ++v) {
          if (random.below(5) < busy) wish[p][v] = static_cast<int>(random.below(outputs));
          last[p][v] = random.below(4) == 0;
          set_bit(bench_->last_i, at(p, v), last[p][v]);
        }
      }
      ask(wish);
      const Round round = round_of(wish, turn, last, drop);
      for (int o = 0; o < kPorts; ++o) {
        for (int v = 0; v < kVcs; ++v) {
          const bool advance = round.winner[o][v] != kNone && random.below(2) == 0;
          set_bit(bench_->advance_i, at(o, v), advance);
          if (advance) turn[o][v] = (round.winner[o][v] + 1) % kPorts;
        }
      }
      bench_.settle();
      for (int p = 0; p < kPorts; ++p) {
        ASSERT_EQ(bit(bench_->pop_o, p), round.accepted[p] != kNone)
            << "input " << p << " cycle " << cycle;
        ASSERT_EQ(static_cast<int>(bits(bench_->pop_vc_o, 2 * p, 2)),
                  std::max(round.accepted_vc[p], 0));
        for (int v = 0; v < kVcs; ++v) {
          ASSERT_EQ(bit(bench_->accept_vc_o, at(p, v)), round.accepted_vc[p] == v)
              << p << " VC " << v;
          ASSERT_EQ(bit(bench_->grant_vc_o, at(p, v)), round.granted_vc[p] == v)
              << p << " VC " << v;
        }
        for (int o = 0; o < kPorts; ++o) {
          ASSERT_EQ(bit(bench_->grant_o, kPorts * p + o), round.granted[o] == p)
              << p << " to " << o << " cycle " << cycle;
          ASSERT_EQ(bit(bench_->accept_o, kPorts * p + o), round.accepted[p] == o)
              << p << " to " << o << " cycle " << cycle;
        }
        accepted += round.accepted[p] != kNone ? 1 : 0;
      }
      for (int o = 0; o < kPorts; ++o)
        refused += round.granted[o] != kNone && round.accepted[round.granted[o]] != o ? 1 : 0;
      bench_.edge();
    }
    EXPECT_GT(accepted, 5'000);
    EXPECT_GT(refused, 1'000);
  }
}

// A head-of-line flit that keeps requesting wins within as many grants of its (output, VC) as there
// are inputs.
TEST_F(VcAllocator, NobodyWaitsForMoreThanAllOthers) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const int vc = static_cast<int>(random.below(kVcs));
    reset();
    ByVc<int> wish = nothing();
    ByPort waited{};
    int longest = 0;
    for (int cycle = 0; cycle < 10'000; ++cycle) {
      for (auto& of : wish)
        if (of[vc] == kNone && random.below(2) == 0) of[vc] = static_cast<int>(random.below(2));
      ask(wish);
      bench_->advance_i = 0;
      bench_.settle();
      bench_->advance_i = bench_->grant_vc_o;
      for (int p = 0; p < kPorts; ++p) {
        if (wish[p][vc] == kNone) continue;
        if (bit(bench_->accept_o, kPorts * p + wish[p][vc])) {
          wish[p][vc] = kNone;
          waited[p] = 0;
        } else {
          longest = std::max(longest, ++waited[p]);
        }
      }
      bench_.edge();
    }
    EXPECT_EQ(longest, kPorts - 1);
  }
}

TEST_F(VcAllocator, AssertsItsContract) {
  const auto broken = [&] { return bench_.broken_by([&] { bench_.edge(); }); };
  ByVc<int> wish = nothing();
  wish[3][2] = 1;
  ask(wish);
  bench_->advance_i = 1U << at(0, 2);  // nobody asks for output 0
  EXPECT_EQ(broken(), "advance_has_a_winner");
  // A head-of-line flit that asks for two outputs.
  reset();
  set_bits(bench_->request_i, kPorts * at(3, 2), kPorts, 0b00110);
  EXPECT_EQ(broken(), "input_accepts_one");
  // Input 1 is at or after the turn of output 0, input 2 is not.
  reset();
  ask(wish);
  set_bit(bench_->rootp->vc_allocator__DOT__in_turn_q, kPorts * at(1, 0), true);
  EXPECT_EQ(broken(), "turns_are_thermometers");
}

}  // namespace
}  // namespace fredsim
