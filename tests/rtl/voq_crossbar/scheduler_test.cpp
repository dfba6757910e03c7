// SPDX-License-Identifier: Apache-2.0
// voq_scheduler against its reference: random queues, room that comes and goes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "../bench.h"
#include "Vvoq_scheduler_1/Vvoq_scheduler_1.h"
#include "Vvoq_scheduler_2/Vvoq_scheduler_2.h"
#include "Vvoq_scheduler_4/Vvoq_scheduler_4.h"
#include "base/random.h"
#include "rtl/cover_counts.h"
#include "rtl/cover_list.h"
#include "scheduler_reference.h"

namespace fredsim {
namespace {

template <class Model, int kPorts>
class SchedulerBench {
 public:
  SchedulerBench(int iterations, const VcOrder& order, std::uint64_t seed)
      : reference_(kPorts, iterations, order), random_(seed) {
    show({});
    dut_.reset();
  }

  void run(int edges, int busy, int flits, int room_percent) {
    for (int i = 0; i < edges; ++i) {
      arrivals(busy, flits);
      edge(room_percent);
      if (testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  static constexpr int kQueues = kNumVcs * kPorts * kPorts;
  static int index(int in, int vc, int out) { return kPorts * (kNumVcs * in + vc) + out; }

  // Flits of packets; the rest of one may come later.
  void arrivals(int busy, int flits) {
    for (int in = 0; in < kPorts; ++in) {
      if (random_.below(100) >= static_cast<std::uint64_t>(busy)) continue;
      const int vc = static_cast<int>(random_.below(kNumVcs));
      std::pair<int, int>& rest = rests_[in][vc];  // output, flits to come
      if (rest.second == 0) {
        rest = {static_cast<int>(random_.below(kPorts)),
                vc == kControl ? 1 : 1 + static_cast<int>(random_.below(flits))};
      }
      queues_[index(in, vc, rest.first)].push_back(--rest.second == 0);
    }
  }

  void show(const std::set<std::pair<int, int>>& room) {
    for (int q = 0; q < kQueues; ++q) {
      set_bit(dut_->valid_i, q, !queues_[q].empty());
      set_bit(dut_->tail_i, q, !queues_[q].empty() && queues_[q].front());
      set_bit(dut_->several_i, q, queues_[q].size() > 1);
    }
    for (int out = 0; out < kPorts; ++out) {
      for (int vc = 0; vc < kNumVcs; ++vc)
        set_bit(dut_->room_i, kNumVcs * out + vc, room.contains({out, vc}));
    }
  }

  void edge(int room_percent) {
    std::set<std::pair<int, int>> room;
    for (int out = 0; out < kPorts; ++out) {
      for (int vc = 0; vc < kNumVcs; ++vc) {
        if (random_.below(100) < static_cast<std::uint64_t>(room_percent)) room.insert({out, vc});
      }
    }
    std::vector<SchedulerReference::Queue> hol_flits;
    for (int in = 0; in < kPorts; ++in) {
      for (int vc = 0; vc < kNumVcs; ++vc) {
        for (int out = 0; out < kPorts; ++out) {
          const std::deque<bool>& queue = queues_[index(in, vc, out)];
          if (!queue.empty()) hol_flits.push_back({in, vc, out, queue.front(), queue.size() > 1});
        }
      }
    }
    show(room);
    dut_.settle();
    const SchedulerReference::Edge want = reference_.step(hol_flits, room);
    std::set<int> pops;
    for (const auto& move : want.moved) {
      pops.insert(index(move.in, move.vc, move.out));
      ASSERT_TRUE(bit(dut_->reserve_o, move.out)) << "output " << move.out;
      ASSERT_EQ(bits(dut_->reserve_vc_o, 2 * move.out, 2), static_cast<std::uint64_t>(move.vc));
    }
    for (int q = 0; q < kQueues; ++q)
      ASSERT_EQ(bit(dut_->pop_o, q), pops.contains(q)) << "queue " << q;
    dut_.edge();
    for (const auto& move : want.moved) {
      queues_[index(move.in, move.vc, move.out)].pop_front();
      ASSERT_TRUE(bit(dut_->pair_o, kPorts * move.out + move.in));
    }
    ASSERT_EQ(dut_->stall_credit_o, last_.credit);
    ASSERT_EQ(dut_->stall_arbiter_o, last_.arbiter);
    ASSERT_EQ(dut_->idle_o,
              hol_flits.empty() && reference_.is_idle() && last_.credit == 0 && last_.arbiter == 0);
    last_ = want;
  }

  Bench<Model> dut_;
  SchedulerReference reference_;
  Random random_;
  std::array<std::deque<bool>, kQueues> queues_;  // by flit: true if it ends its packet
  std::array<std::array<std::pair<int, int>, kNumVcs>, kPorts> rests_{};
  SchedulerReference::Edge last_;
};

template <class Model, int kPorts>
void run_all(int iterations, const VcOrder& order) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    SchedulerBench<Model, kPorts> bench(iterations, order, seed);
    for (const int flits : {1, 4, 8}) {
      bench.run(200, 100, flits, 100);
      bench.run(200, 60, flits, 70);
      bench.run(100, 10, flits, 30);
      bench.run(300, 0, flits, 100);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(VoqScheduler, OfOneRoundFollowsItsReference) {
  run_all<Vvoq_scheduler_1, 4>(1, kDefaultVcOrder);
}
TEST(VoqScheduler, OfTwoRoundsFollowsItsReference) {
  run_all<Vvoq_scheduler_2, 4>(2, kDefaultVcOrder);
}
TEST(VoqScheduler, OfFourRoundsFollowsItsReference) {
  run_all<Vvoq_scheduler_4, 3>(4, {kPp, kControl, kDp, kMp});
}

TEST(VoqScheduler, ReachesItsCoverPoints) {
  expect_reached(cover_counts_of([] {
                   run_all<Vvoq_scheduler_1, 4>(1, kDefaultVcOrder);
                   run_all<Vvoq_scheduler_2, 4>(2, kDefaultVcOrder);
                 }),
                 "voq_scheduler");
}

}  // namespace
}  // namespace fredsim
