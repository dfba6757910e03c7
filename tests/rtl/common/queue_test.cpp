// SPDX-License-Identifier: Apache-2.0
// vc_queue against a list: sides in order and never late, slots as a ring.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "Vcommon_queue/Vcommon_queue.h"
#include "Vcommon_queue/Vcommon_queue___024root.h"
#include "Vcommon_queue_shallow/Vcommon_queue_shallow.h"
#include "base/random.h"
#include "rtl/bench.h"

namespace fredsim {
namespace {

template <class Model>
void run(int depth, int last_slot, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "depth " << depth << " seed " << seed);
  Random random(seed);
  Bench<Model> bench;
  std::deque<std::uint16_t> held;
  const int first_slot = last_slot + 1 - depth;
  int head = first_slot, tail = first_slot, popped = 0, full_cycles = 0;
  const auto next = [&](int slot) { return slot == last_slot ? first_slot : slot + 1; };
  std::uint64_t in_percent = 50, out_percent = 50;
  for (int cycle = 0; cycle < 20'000; ++cycle) {
    if (cycle % 2'000 == 0) {
      bench->push_i = bench->pop_i = 0;
      bench.reset();
      held.clear();
      head = tail = first_slot;
      popped = 0;
    }
    if (cycle % 40 == 0) {
      in_percent = random.below(4) == 0 ? 100 : random.below(101);
      out_percent = random.below(4) == 0 ? 100 : random.below(101);
    }
    const bool full = static_cast<int>(held.size()) + popped == depth;
    ASSERT_EQ(bench->full_o, full) << cycle;
    ASSERT_EQ(bench->valid_o, !held.empty()) << cycle;
    ASSERT_EQ(bench->tail_o, tail) << cycle;
    ASSERT_EQ(bench->head_o, head) << cycle;
    if (!held.empty()) {
      ASSERT_EQ(bench->side_o, held.front()) << cycle;
    }
    full_cycles += full ? 1 : 0;
    bench->push_i = !full && random.below(100) < in_percent;
    bench->pop_i = !held.empty() && random.below(100) < out_percent;
    bench->side_i = static_cast<SData>(random.next());
    if (bench->pop_i) {
      held.pop_front();
      head = next(head);
    }
    if (bench->push_i) {
      held.push_back(bench->side_i);
      tail = next(tail);
    }
    popped = bench->pop_i;
    bench.edge();
    if (testing::Test::HasFailure()) FAIL() << cycle;
  }
  EXPECT_GT(full_cycles, 500);
}

TEST(VcQueue, ReportsHolFlitsAndSlots) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    run<Vcommon_queue>(11, 20, seed);
    run<Vcommon_queue_shallow>(2, 6, seed);
  }
}

TEST(VcQueue, AssertsItsContract) {
  Bench<Vcommon_queue> bench;
  const auto edge = [&](bool push, bool pop) {
    bench->push_i = push;
    bench->pop_i = pop;
    bench.edge();
  };
  const auto some = [&](int flits) {
    bench->push_i = bench->pop_i = 0;
    bench.reset();
    for (int flit = 0; flit < flits; ++flit) edge(true, false);
  };
  const auto broken = [&](bool push, bool pop) {
    return bench.broken_by([&] { edge(push, pop); });
  };
  auto& root = *bench->rootp;
  some(11);
  EXPECT_EQ(broken(true, false), "push_has_room");
  some(0);
  EXPECT_EQ(broken(false, true), "pop_takes_a_hol");
  some(2);
  root.vc_queue__DOT__full_q = 1;
  EXPECT_EQ(broken(false, true), "full_is_all_slots_in_use");
  some(2);
  root.vc_queue__DOT__used_q = 0;
  EXPECT_EQ(broken(false, true), "hol_where_flits_are");
  some(2);
  root.vc_queue__DOT__known_q = 0b0110;
  EXPECT_EQ(broken(false, true), "known_is_one_hot");
}

}  // namespace
}  // namespace fredsim
