// SPDX-License-Identifier: Apache-2.0
// mesh_allocator: its exact contract, and the consequences: full rate, fairness, whole packets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "Vmesh_allocator/Vmesh_allocator.h"
#include "Vmesh_allocator/Vmesh_allocator___024root.h"
#include "allocator_reference.h"
#include "base/random.h"
#include "rtl/bench.h"

namespace tb {
namespace {

class MeshAllocator : public testing::Test {
 protected:
  MeshAllocator() { reset(); }
  void reset() {
    now = {};
    left_ = {};
    drive();
    bench_.reset();
    reference_.reset();
  }

  // Takes `now` through an edge and compares; the decision lists the flits that leave.
  Decision step() {
    drive();
    bench_.settle();
    Decision decision = reference_.step(now);
    for (int p = 0; p < kPorts; ++p) {
      EXPECT_EQ(fredsim::bit(bench_->pop_o, p), decision.popped[p] >= 0) << "input " << p;
      if (decision.popped[p] >= 0) {
        EXPECT_EQ(static_cast<int>(fredsim::bits(bench_->pop_vc_o, 2 * p, 2)), decision.popped[p]);
      }
      for (int v = 0; v < kVcs; ++v) {
        EXPECT_EQ(fredsim::bit(bench_->launch_o, kVcs * p + v), decision.launch[p][v])
            << p << " VC " << v;
        EXPECT_EQ(fredsim::bit(bench_->no_credit_o, kVcs * p + v), decision.no_credit[p][v])
            << p << " VC " << v;
        EXPECT_EQ(fredsim::bit(bench_->contends_o, kVcs * p + v), decision.contends[p][v])
            << p << " VC " << v;
      }
      EXPECT_EQ(fredsim::bit(bench_->link_stall_o, p), decision.link_stall[p]) << "output " << p;
    }
    bench_.edge();
    for (int p = 0; p < kPorts; ++p)
      for (int o = 0; o < kPorts; ++o) {
        const int vc = decision.popped[p];
        EXPECT_EQ(fredsim::bit(bench_->granted_o, p * kPorts + o),
                  vc >= 0 && now.hol_flits[p][vc].to == o);
      }
    return decision;
  }

  // A packet of `flits` flits reaches the head of the buffer.
  void start(int input, int vc, int to, int flits) {
    now.hol_flits[input][vc] = {true, to, false, flits == 1};
    left_[input][vc] = flits;
  }
  // Popped flits have left; the packet's next flit, if any, is there if `more`.
  void leave(const Decision& decision, bool more) {
    for (int p = 0; p < kPorts; ++p) {
      if (decision.popped[p] < 0) continue;
      HolFlit& hol = now.hol_flits[p][decision.popped[p]];
      int& left = left_[p][decision.popped[p]];
      hol = {more && left > 1, hol.to, left > 1, left == 2};
      --left;
    }
  }
  void all_ready() {
    now.ready.fill(true);
    for (int o = 0; o < kPorts; ++o) {
      now.room_flit[o].fill(true);
      now.room_packet[o].fill(true);
    }
  }
  int left(int input, int vc) const { return left_[input][vc]; }

  void drive() {
    for (int p = 0; p < kPorts; ++p) {
      for (int v = 0; v < kVcs; ++v) {
        const HolFlit& hol = now.hol_flits[p][v];
        fredsim::set_bit(bench_->hol_i, kVcs * p + v, hol.here);
        fredsim::set_bits(bench_->to_i, (kVcs * p + v) * kPorts, kPorts, 1U << hol.to);
        fredsim::set_bit(bench_->begun_i, kVcs * p + v, hol.begun);
        fredsim::set_bit(bench_->tail_i, kVcs * p + v, hol.tail);
        fredsim::set_bit(bench_->room_flit_i, kVcs * p + v, now.room_flit[p][v]);
        fredsim::set_bit(bench_->room_packet_i, kVcs * p + v, now.room_packet[p][v]);
      }
      fredsim::set_bit(bench_->ring_i, p, now.ring[p]);
      fredsim::set_bit(bench_->out_ready_i, p, now.ready[p]);
    }
  }

  Situation now;
  fredsim::Bench<Vmesh_allocator> bench_;

 private:
  AllocatorReference reference_;
  ByHolFlit<int> left_{};  // flits of the packet that have not left
};

TEST_F(MeshAllocator, DecidesWhatItsContractSays) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    fredsim::Random random(seed);
    const auto below = [&](int n) {
      return static_cast<int>(random.below(static_cast<unsigned>(n)));
    };
    int new_percent = 50, more_percent = 50, outputs = kPorts, flits = 8, ready_percent = 50,
        room_percent = 50;
    ByHolFlit<int> owner{};  // input whose packet is open on (output, VC), plus 1
    int launches = 0;
    for (int cycle = 0; cycle < 8'000; ++cycle) {
      if (cycle % 1000 == 0) {
        reset();
        owner = {};
      }
      if (cycle % 50 == 0) {
        new_percent = below(101);
        more_percent = 20 + below(81);
        outputs = 1 + below(kPorts);
        flits = 1 + below(6);
        ready_percent = 20 + below(81);
        room_percent = 20 + below(81);
        for (bool& ring : now.ring) ring = below(2) == 0;
      }
      for (int p = 0; p < kPorts; ++p) {
        for (int v = 0; v < kVcs; ++v) {
          HolFlit& hol = now.hol_flits[p][v];
          if (!hol.here && hol.begun) {
            hol.here = below(100) < more_percent;
          } else if (!hol.here && below(100) < new_percent) {
            start(p, v, below(outputs), 1 + below(flits));
          } else if (!hol.here) {
            hol = {false, below(kPorts), false, below(2) == 0};  // means nothing
          }
          now.room_flit[p][v] = below(100) < room_percent;
          now.room_packet[p][v] = now.room_flit[p][v] && below(100) < room_percent;
        }
        now.ready[p] = below(100) < ready_percent;
      }
      const Situation was = now;
      const Decision decision = step();
      // A packet keeps its output and its VC: no flits of another input in between.
      for (int p = 0; p < kPorts; ++p) {
        const int v = decision.popped[p];
        if (v < 0) continue;
        ++launches;
        const HolFlit& hol = was.hol_flits[p][v];
        ASSERT_EQ(owner[hol.to][v], hol.begun ? p + 1 : 0) << cycle;
        owner[hol.to][v] = hol.tail ? 0 : p + 1;
      }
      leave(decision, below(100) < more_percent);
      if (HasFailure()) FAIL() << "cycle " << cycle;
    }
    EXPECT_GT(launches, 2000);
  }
}

// Inputs that request different outputs do not block each other, on any VC.
TEST_F(MeshAllocator, PermutationsLeaveAtFullRate) {
  for (int vc = 0; vc < kVcs; ++vc) {
    for (int shift = 0; shift < kPorts; ++shift) {
      reset();
      all_ready();
      for (int cycle = 0; cycle < 40; ++cycle) {
        for (int p = 0; p < kPorts; ++p)
          if (!now.hol_flits[p][vc].here) start(p, vc, (p + shift) % kPorts, 1 + (p + cycle) % 4);
        const Decision decision = step();
        for (int p = 0; p < kPorts; ++p)
          ASSERT_EQ(decision.popped[p], vc) << "shift " << shift << " cycle " << cycle;
        leave(decision, true);
      }
    }
  }
}

// All inputs request one output, with packets of all lengths: each waits for at most one packet of
// every other input.
TEST_F(MeshAllocator, APacketWaitsForOneOfEveryOtherInput) {
  for (int vc = 0; vc < kVcs; ++vc) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(testing::Message() << "VC " << vc << " seed " << seed);
      fredsim::Random random(seed);
      reset();
      all_ready();
      ByPort<int> waited{};
      int longest = 0;
      for (int cycle = 0; cycle < 2'000; ++cycle) {
        for (int p = 0; p < kPorts; ++p) {
          if (now.hol_flits[p][vc].here || random.below(3) == 0) continue;
          start(p, vc, 2, 1 + static_cast<int>(random.below(5)));
          waited[p] = 0;
        }
        const Situation was = now;
        const Decision decision = step();
        for (int p = 0; p < kPorts; ++p) {
          if (decision.popped[p] < 0 || was.hol_flits[p][vc].begun) continue;
          longest = std::max(longest, waited[p]);
          for (int other = 0; other < kPorts; ++other) waited[other] += other != p ? 1 : 0;
        }
        leave(decision, true);
        ASSERT_FALSE(HasFailure()) << "cycle " << cycle;
      }
      EXPECT_EQ(longest, kPorts - 1);
    }
  }
}

// Input 0 is busy with VCs of higher priority and declines the grant of output 1 to its MP flit:
// other VCs of the output lose at most every other cycle by it; and the flit leaves as soon as its
// input has no higher VC.
TEST_F(MeshAllocator, AGrantThatIsDeclinedCostsEveryOtherCycle) {
  reset();
  all_ready();
  int control = 0, others = 0;
  constexpr int kCycles = 200;
  start(0, 0, 1, 1);
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    if (!now.hol_flits[0][3].here) start(0, 3, 0, 1);
    if (!now.hol_flits[2][2].here) start(2, 2, 1, 3);
    const Decision decision = step();
    control += decision.popped[0] == 3 ? 1 : 0;
    others += decision.popped[2] == 2 ? 1 : 0;
    leave(decision, true);
    ASSERT_FALSE(HasFailure()) << "cycle " << cycle;
  }
  EXPECT_EQ(control, kCycles);
  EXPECT_GE(others, kCycles / 2);
  EXPECT_EQ(left(0, 0), 1);
  now.hol_flits[0][3].here = false;
  leave(step(), true);
  leave(step(), true);
  EXPECT_EQ(left(0, 0), 0);
}

TEST_F(MeshAllocator, AssertsItsContract) {
  all_ready();
  // Two inputs say that their packets are open on one output and VC; one says so and none is.
  start(0, 0, 1, 3);
  leave(step(), true);
  start(2, 0, 1, 3);
  now.hol_flits[2][0].begun = true;
  const auto names = [&] {
    return bench_.broken_by([&] {
      drive();
      bench_.edge();
    });
  };
  EXPECT_NE(names().find("open_packets_have_one_owner"), std::string::npos);
  reset();
  all_ready();
  start(3, 1, 1, 2);
  now.hol_flits[3][1].begun = true;
  EXPECT_EQ(names(), "open_packets_have_one_owner");
  reset();
  all_ready();
  start(3, 1, 1, 2);
  bench_->rootp->mesh_allocator__DOT__open_q = 1;
  EXPECT_EQ(names(), "open_packets_have_one_owner");
}

}  // namespace
}  // namespace tb
