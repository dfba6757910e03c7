// SPDX-License-Identifier: Apache-2.0
// mesh_credit against a count of given and spent credits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "Vmesh_credit/Vmesh_credit.h"
#include "Vmesh_credit/Vmesh_credit___024root.h"
#include "Vmesh_credit_control/Vmesh_credit_control.h"
#include "Vmesh_credit_shallow/Vmesh_credit_shallow.h"
#include "base/random.h"
#include "rtl/bench.h"

namespace fredsim {
namespace {

constexpr int kMax = 65535;

template <class Model>
class CreditBench {
 public:
  CreditBench(int depth, int packet_flits)
      : packet_flits_(packet_flits), number_(depth), need_(std::min(depth, packet_flits)) {
    bench_->launch_i = bench_->give_i = bench_->write_i = bench_->ring_i = 0;
    bench_.reset();
  }
  int number() const { return number_; }
  bool launched() const { return launched_; }
  int room() const { return number_ - (launched_ ? 1 : 0); }

  // Outputs of a cycle, for outputs into a ring and other outputs.
  void check() {
    for (int ring = 0; ring < 2; ++ring) {
      bench_->ring_i = static_cast<CData>(ring);
      bench_.settle();
      ASSERT_EQ(bench_->room_flit_o, room() >= 1) << "room " << room();
      ASSERT_EQ(bench_->room_packet_o, room() >= need_ + ring)
          << "room " << room() << " need " << need_ << " ring " << ring;
      ASSERT_EQ(bench_->credits_o, number_);
    }
  }
  void edge(bool launch, bool give) {
    drive(launch, give, false, 0);
    number_ = std::min(kMax, number_ + (give ? 1 : 0) - (launched_ ? 1 : 0));
    launched_ = launch;
  }
  void write(bool launch, bool give, int value) {
    drive(launch, give, true, value);
    number_ = value;
    launched_ = false;
    need_ = std::clamp(value, 1, packet_flits_);
  }

 private:
  void drive(bool launch, bool give, bool write, int value) {
    bench_->launch_i = launch;
    bench_->give_i = give;
    bench_->write_i = write;
    bench_->wdata_i = static_cast<SData>(value);
    bench_.edge();
  }

  Bench<Model> bench_;
  int packet_flits_;
  int number_;  // less launches up to the edge before the last one
  int need_;
  bool launched_ = false;  // at the last edge
};

// Writes of a depth while all credits are here (assertions know it then), or of anything at any
// time.
template <class Model>
void run(int depth, int packet_flits, bool any_writes, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "depth " << depth << " seed " << seed);
  Random random(seed);
  const auto below = [&](int n) {
    return static_cast<int>(random.below(static_cast<unsigned>(n)));
  };
  CreditBench<Model> credit(depth, packet_flits);
  if (any_writes) {
    credit.edge(true, false);
    credit.write(false, false,
                 depth);  // while a flit is out: how deep the receiver is, nobody knows
  }
  int give_percent = 50, launch_percent = 50, empty = 0;
  for (int cycle = 0; cycle < 20'000; ++cycle) {
    if (cycle % 50 == 0) {
      give_percent = below(101);
      launch_percent = below(101);
    }
    const bool launch = credit.room() >= 1 && below(100) < launch_percent;
    const bool room_to_give = any_writes || credit.room() < depth;
    const bool give = room_to_give && below(100) < give_percent;
    empty += credit.room() == 0 ? 1 : 0;
    if (any_writes && below(60) == 0) {
      credit.write(launch, give, below(4) == 0 ? kMax - below(5) : below(packet_flits + 4));
    } else if (!any_writes && below(30) == 0 && credit.number() == depth && !credit.launched()) {
      depth = below(packet_flits + 4);
      credit.write(false, false, depth);
    } else {
      credit.edge(launch, give);
    }
    credit.check();
    if (testing::Test::HasFailure()) FAIL() << "cycle " << cycle;
  }
  EXPECT_GT(empty, 500);
}

TEST(MeshCredit, TellsTheRoomForAFlitAndForAPacket) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const bool any = seed % 2 == 0;
    run<Vmesh_credit>(11, 8, any, seed);
    run<Vmesh_credit_shallow>(3, 8, any, seed);
    run<Vmesh_credit_control>(4, 1, any, seed);
  }
}

// A credit given at an edge may be spent at the next one, and so a flit leaves at every edge while
// one comes at every.
TEST(MeshCredit, SustainsAFlitPerCycle) {
  CreditBench<Vmesh_credit> credit(11, 8);
  credit.write(false, false, 2);
  credit.check();
  credit.edge(true, false);
  for (int cycle = 0; cycle < 100; ++cycle) {
    credit.check();
    ASSERT_EQ(credit.room(), 1);
    credit.edge(true, true);
  }
}

TEST(MeshCredit, AssertsItsContract) {
  Bench<Vmesh_credit> bench;
  const auto edge = [&](bool launch, bool give) {
    bench->launch_i = launch;
    bench->give_i = give;
    bench.edge();
  };
  const auto write = [&](int value) {
    bench->write_i = 1;
    bench->wdata_i = static_cast<SData>(value);
    edge(false, false);
    bench->write_i = 0;
  };
  bench->write_i = bench->ring_i = bench->launch_i = bench->give_i = 0;
  bench.reset();
  EXPECT_EQ(bench.broken_by([&] { edge(false, true); }), "credit_within_depth");
  bench.reset();
  edge(true, false);
  edge(false, false);
  EXPECT_EQ(bench.broken_by([&] { edge(false, true); }), "");  // back
  EXPECT_EQ(bench.broken_by([&] { edge(false, true); }), "credit_within_depth");
  bench.reset();
  write(1);
  edge(true, false);
  EXPECT_EQ(bench.broken_by([&] { edge(true, false); }), "launch_has_a_credit");
  EXPECT_EQ(bench.broken_by([&] { edge(false, false); }), "no_underflow");
  bench.reset();
  edge(true, false);
  bench->rootp->mesh_credit__DOT__credits_q = 0;
  EXPECT_EQ(bench.broken_by([&] { edge(false, false); }), "no_underflow");
}

}  // namespace
}  // namespace fredsim
