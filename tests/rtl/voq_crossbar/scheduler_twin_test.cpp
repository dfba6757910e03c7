// SPDX-License-Identifier: Apache-2.0
// The scheduler of a voq_crossbar's twin against the reference of its RTL, at sizes and numbers of
// rounds that no Verilated class has; and its state, by which runs find that it recurs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "scheduler_reference.h"
#include "switch/voq_crossbar/voq_scheduler.h"

namespace fredsim {
namespace {

using Move = std::tuple<int, int, int>;  // input, output, VC

class SchedulerTwinBench {
 public:
  SchedulerTwinBench(int ports, int iterations, const VcOrder& order, std::uint64_t seed)
      : ports_(ports),
        twin_(ports, iterations, order),
        reference_(ports, iterations, order),
        random_(seed),
        queues_(static_cast<std::size_t>(kNumVcs * ports * ports)),
        rests_(static_cast<std::size_t>(kNumVcs * ports)) {}

  void run(int edges, std::uint64_t busy, std::uint64_t flits, std::uint64_t room) {
    for (int i = 0; i < edges; ++i) {
      arrivals(busy, flits);
      edge(room);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  int moved() const { return moved_; }
  bool is_empty() const {
    return std::ranges::all_of(queues_, [](const auto& queue) { return queue.empty(); });
  }

 private:
  std::deque<bool>& queue(int in, int vc, int out) {
    return queues_[static_cast<std::size_t>((in * kNumVcs + vc) * ports_ + out)];
  }

  void arrivals(std::uint64_t busy, std::uint64_t flits) {
    for (int in = 0; in < ports_; ++in) {
      if (random_.below(100) >= busy) continue;
      const int vc = static_cast<int>(random_.below(kNumVcs));
      auto& [output, left] = rests_[static_cast<std::size_t>(in * kNumVcs + vc)];
      if (left == 0) {
        output = static_cast<int>(random_.below(static_cast<std::uint64_t>(ports_)));
        left = vc == kControl ? 1 : 1 + static_cast<int>(random_.below(flits));
      }
      queue(in, vc, output).push_back(--left == 0);
    }
  }

  void edge(std::uint64_t room_percent) {
    VoqScheduler::Queues hol_flits;
    VoqScheduler::PortsByVc room{};
    std::vector<SchedulerReference::Queue> asked;
    std::set<std::pair<int, int>> open;
    for (int out = 0; out < ports_; ++out) {
      for (int vc = 0; vc < kNumVcs; ++vc) {
        if (random_.below(100) < room_percent) {
          room[vc] |= 1U << out;
          open.insert({out, vc});
        }
        for (int in = 0; in < ports_; ++in) {
          const std::deque<bool>& flits = queue(in, vc, out);
          if (flits.empty()) continue;
          asked.push_back({in, vc, out, flits.front(), flits.size() > 1});
          hol_flits.valid[vc][out] |= 1U << in;
          hol_flits.tail[vc][out] |= flits.front() ? 1U << in : 0;
          hol_flits.several[vc][out] |= flits.size() > 1 ? 1U << in : 0;
          hol_flits.outputs[vc] |= 1U << out;
        }
      }
    }
    const SchedulerReference::Edge want = reference_.step(asked, open);
    std::set<Move> moves, wanted;
    for (const VoqScheduler::Move& m : twin_.step(hol_flits, room))
      EXPECT_TRUE(moves.insert({m.input, m.output, m.vc}).second);
    for (const SchedulerReference::Queue& q : want.moved) wanted.insert({q.in, q.out, q.vc});
    ASSERT_EQ(moves, wanted);
    // Counted an edge later.
    ASSERT_EQ(twin_.stall_credit(), last_.credit);
    ASSERT_EQ(twin_.stall_arbiter(), last_.arbiter);
    for (const auto& [in, out, vc] : moves) queue(in, vc, out).pop_front();
    moved_ += static_cast<int>(moves.size());
    // Left out at an edge without a head-of-line flit, such a scheduler does nothing.
    if (asked.empty() && twin_.idle()) {
      ASSERT_TRUE(reference_.is_idle());
      StateDigest before(0), after(0);
      twin_.add_state(before);
      ASSERT_TRUE(twin_.step({}, room).empty());
      twin_.add_state(after);
      ASSERT_EQ(before, after);
    }
    last_ = want;
  }

  int ports_;
  VoqScheduler twin_;
  SchedulerReference reference_;
  Random random_;
  std::vector<std::deque<bool>> queues_;    // by flit: true if it ends its packet
  std::vector<std::pair<int, int>> rests_;  // by input and VC: output, flits to come
  SchedulerReference::Edge last_;
  int moved_ = 0;
};

TEST(VoqSchedulerTwin, FollowsTheReference) {
  std::uint64_t seed = 0;
  for (const auto& [ports, iterations, order] : {std::tuple(2, 1, kDefaultVcOrder),
                                                 {4, 1, VcOrder{kPp, kControl, kDp, kMp}},
                                                 {4, 2, kDefaultVcOrder},
                                                 {3, 4, VcOrder{kDp, kMp, kPp, kControl}},
                                                 {8, 3, kDefaultVcOrder},
                                                 {12, 2, kDefaultVcOrder},
                                                 {32, 1, kDefaultVcOrder}}) {
    for (const std::uint64_t flits : {1U, 4U, 8U}) {
      SCOPED_TRACE(fmt::format("{} ports, {} rounds, seed {}", ports, iterations, ++seed));
      SchedulerTwinBench bench(ports, iterations, order, seed);
      const int edges = 400 / ports;
      bench.run(edges, 100, flits, 100);
      bench.run(edges, 60, flits, 70);
      bench.run(edges, 10, flits, 30);
      bench.run(60 + edges, 0, flits, 100);
      if (HasFatalFailure()) return;
      EXPECT_GT(bench.moved(), edges * ports / 4);
    }
  }
}

// A permutation of long packets moves a flit at every port and edge once its pairs are found.
TEST(VoqSchedulerTwin, KeepsAPermutationMoving) {
  for (const int iterations : {1, 2, 4}) {
    VoqScheduler scheduler(8, iterations, kDefaultVcOrder);
    VoqScheduler::Queues hol_flits;
    for (int in = 0; in < 8; ++in) {
      const int out = (3 * in + 1) % 8;
      hol_flits.valid[kDp][out] = hol_flits.several[kDp][out] = 1U << in;
    }
    hol_flits.outputs[kDp] = 0xFF;
    VoqScheduler::PortsByVc room;
    room.fill(0xFF);
    std::size_t moved = 0;
    for (int edge = 0; edge < 10; ++edge) moved += scheduler.step(hol_flits, room).size();
    EXPECT_EQ(moved, 80U) << iterations << " rounds";
    EXPECT_EQ(scheduler.stall_arbiter(), 0);
  }
}

TEST(VoqSchedulerTwin, ResetIsAsNew) {
  VoqScheduler scheduler(4, 3, kDefaultVcOrder);
  const auto digest = [&] {
    StateDigest state(0);
    scheduler.add_state(state);
    return state;
  };
  const StateDigest fresh = digest();
  VoqScheduler::Queues hol_flits;
  hol_flits.valid[kMp][2] = hol_flits.several[kMp][2] = 0b1011;
  hol_flits.outputs[kMp] = 0b0100;
  EXPECT_EQ(scheduler.step(hol_flits, {}).size(), 0U) << "there is no room";
  EXPECT_FALSE(scheduler.idle());
  scheduler.step(hol_flits, {0b0100});
  EXPECT_EQ(scheduler.stall_credit(), 3);
  EXPECT_NE(digest(), fresh);
  scheduler.reset();
  EXPECT_TRUE(scheduler.idle());
  EXPECT_EQ(digest(), fresh);
}

}  // namespace
}  // namespace fredsim
