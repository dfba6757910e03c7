// SPDX-License-Identifier: Apache-2.0
// Collectives issued during others: equality with a plan in equivalent cases, rows loaded once and
// reused, order by rank, handles and memory returned.
#include "engine/communicator.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "config/config.h"
#include "engine/plan_run.h"
#include "support/collective_specs.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

CollectiveSpec all_reduce(std::vector<int> group, std::uint64_t bytes, int vc = kDp) {
  return spec_of(Collective::kAllReduce, std::move(group), bytes, {.vc = vc});
}

class CommunicatorTest : public testing::Test {
 protected:
  // Runs `body` with a communicator that has begun, and finishes it.
  void run(const std::string& config, const std::function<void(Communicator&)>& body, int rows = 0,
           SwitchModel model = SwitchModel::kTlm) {
    const Topology topology = load_config(config).topology;
    Machine machine("machine", topology, {.model = model});
    simulation_.run([&] {
      Communicator communicator(machine, rows);
      communicator.on_complete([this](const OperationReport& r) { reports_[r.handle] = r; });
      communicator.begin();
      body(communicator);
      communicator.finish();
      EXPECT_EQ(communicator.in_flight(), 0U);
    });
  }
  Simulation simulation_;
  std::map<OperationHandle, OperationReport> reports_;
};

constexpr const char* kSmall = "configs/fred_small.yaml";

TEST_F(CommunicatorTest, OneOperationTakesAsLongAsItsPlan) {
  for (const char* config : {kSmall, "configs/mesh_2x2.yaml"}) {
    const Topology topology = load_config(config).topology;
    std::vector<CollectiveSpec> work{all_reduce({0, 1, 2, 3}, 100'000),
                                     all_reduce({0, 1}, 30'000, kMp),
                                     spec_of(Collective::kAllGather, {2, 3}, 5000, {.vc = kPp})};
    work[1].start_cycle = 300;
    for (std::size_t count = 1; count <= work.size(); ++count) {
      const std::span<const CollectiveSpec> specs(work.data(), count);
      Simulation simulation;
      Machine machine("machine", topology, {.seed = 5});
      simulation.run([&] {
        const RunResult planned = run_plan(machine, make_plan(topology, specs));
        Communicator communicator(machine);
        communicator.begin();
        communicator.issue(specs, {.seed = 5});
        communicator.start();
        communicator.finish();
        EXPECT_EQ(communicator.totals().last_end, planned.cycles) << config << ", " << count;
      });
    }
  }
}

TEST_F(CommunicatorTest, ThirtyEqualAllReducesTakeOneRow) {
  run(
      kSmall,
      [&](Communicator& c) {
        Communicator::Handle last = 0;
        const std::vector<CollectiveSpec> work{all_reduce({0, 1}, 8192, kMp),
                                               all_reduce({2, 3}, 8192, kMp)};
        for (int n = 0; n < 30; ++n) {
          IssueOptions options{.seed = static_cast<std::uint64_t>(n)};
          if (last != 0) options.after = {{.operation = last}};
          last = c.issue(work, options);
        }
        c.start();
        c.wait(last);
        EXPECT_EQ(c.totals().preloaded, 1);
        EXPECT_EQ(c.totals().rows_loaded, 0U);
        EXPECT_EQ(c.totals().rows_found, 30U);
        EXPECT_EQ(c.plans().made(), 1U);
        EXPECT_EQ(c.plans().hits(), 29U);
      },
      1);
}

// Issued at once, independent of each other: they follow each other on every NPU without a gap.
TEST_F(CommunicatorTest, EqualOperationsFollowWithoutAGap) {
  std::uint64_t one = 0;
  run(kSmall, [&](Communicator& c) {
    c.issue(std::vector{all_reduce({0, 1, 2, 3}, 400'000)}, {});
    c.start();
    c.wait_all();
    one = c.totals().last_end;
  });
  simulation_ = {};
  run(kSmall, [&](Communicator& c) {
    for (std::uint64_t n = 0; n < 8; ++n)
      c.issue(std::vector{all_reduce({0, 1, 2, 3}, 50'000)}, {.seed = n});
    c.start();
    c.wait_all();
    EXPECT_LT(c.totals().last_end, one + one / 20);
  });
}

TEST_F(CommunicatorTest, RowsAreReplacedWhileTrafficGoesOn) {
  for (const SwitchModel model : {SwitchModel::kTlm, SwitchModel::kLockstep}) {
    simulation_ = {};
    reports_.clear();
    run(
        kSmall,
        [&](Communicator& c) {
          // Another priority goes on all the time, in a row of its own.
          c.issue(std::vector{all_reduce({0, 1, 2, 3}, 400'000, kDp)}, {});
          c.start();
          Communicator::Handle last = 0;
          for (const std::vector<int>& group : std::vector<std::vector<int>>{
                   {0, 1}, {0, 2}, {0, 3}, {0, 1}, {1, 2}, {2, 3}, {0, 1, 2}, {0, 1}}) {
            IssueOptions options{.seed = 9};
            if (last != 0) options.after = {{.operation = last}};
            last = c.issue(std::vector{all_reduce(group, 4096, kMp)}, options);
          }
          c.wait_all();
          EXPECT_EQ(c.totals().rows_loaded, 8U);
          EXPECT_EQ(c.totals().rows_evicted, 7U);
        },
        2, model);
    // Waiting is for the rows that had to be written.
    EXPECT_GE(reports_.at(3).waited_for_rows, 2U);
    EXPECT_LT(reports_.at(3).waited_for_rows, 100U);
  }
}

TEST_F(CommunicatorTest, ARankBeginsWhenItsOwnPartIsComplete) {
  run("configs/mesh_2x2.yaml", [&](Communicator& c) {
    // 0 sends to 1, and is complete long before 1, which then sends on.
    const auto a = c.issue(std::vector{spec_of(Collective::kUnicast, {0, 1}, 100'000)}, {});
    const auto b = c.issue(std::vector{spec_of(Collective::kUnicast, {1, 3}, 512, {.vc = kMp})},
                           {.after = {{.operation = a}}});
    const auto own = c.issue(std::vector{spec_of(Collective::kUnicast, {0, 2}, 512, {.vc = kMp})},
                             {.delay = 7, .after = {{.operation = a}}});
    const auto all = c.issue(std::vector{spec_of(Collective::kUnicast, {0, 2}, 512, {.vc = kMp})},
                             {.delay = 7, .after = {{.operation = a, .all_ranks = true}}});
    c.start();
    c.wait(a);
    EXPECT_TRUE(c.complete(a));
    EXPECT_FALSE(c.complete(b));
    c.wait_all();
    const std::uint64_t end = reports_.at(a).ended;
    EXPECT_EQ(reports_.at(b).parts[0].start, end + 1);
    EXPECT_LT(reports_.at(own).parts[0].start, end);
    EXPECT_EQ(reports_.at(all).parts[0].start, end + 1 + 7);
  });
}

// The ranks of one operation begin at different times: each when its own part in the preceding
// operations is complete, none before.
TEST_F(CommunicatorTest, NoRankBeginsBeforeWhatItWaitsForIsComplete) {
  std::map<std::pair<OperationHandle, int>, std::uint64_t> complete;  // by operation and rank
  run("configs/mesh_2x2.yaml", [&](Communicator& c) {
    c.on_rank_complete([&](OperationHandle handle, int /*part*/, int rank) {
      complete[{handle, rank}] = c.cycle();
    });
    // NPU 0 has sent long before NPU 1 has it all; NPU 3 has no part in it.
    const auto a = c.issue(std::vector{spec_of(Collective::kUnicast, {0, 1}, 100'000)}, {});
    const auto b = c.issue(std::vector{spec_of(Collective::kScatter, {0, 2}, 1024, {.vc = kMp}),
                                       spec_of(Collective::kScatter, {1, 3}, 1024, {.vc = kMp})},
                           {.after = {{.operation = a}}});
    c.start();
    c.wait_all();
    const std::uint64_t sent = complete.at({a, 0});
    const std::uint64_t received = complete.at({a, 1});
    EXPECT_LT(sent + 20, received);
    EXPECT_EQ(reports_.at(b).parts[0].start, sent);
    EXPECT_EQ(reports_.at(b).parts[1].start, received);
    EXPECT_GT(reports_.at(b).parts[1].end, received);
  });
}

// In-switch operations that share a port, and unicasts on the VC of one, wait until it is complete.
TEST_F(CommunicatorTest, WhatIsInConflictWaits) {
  run(kSmall, [&](Communicator& c) {
    c.issue(std::vector{all_reduce({0, 1, 2, 3}, 50'000)}, {});
    c.issue(std::vector{all_reduce({0, 1}, 512)}, {});  // 2
    c.issue(std::vector{spec_of(Collective::kAllReduce, {2, 3}, 512, {.algorithm = "ring"})},
            {});                                             // 3
    c.issue(std::vector{all_reduce({2, 3}, 512, kMp)}, {});  // 4
    c.start();
    c.wait_all();
    const std::uint64_t end = reports_.at(1).ended;
    EXPECT_GT(reports_.at(2).started, end);
    EXPECT_GT(reports_.at(2).waited_for_others, 0U);
    EXPECT_EQ(reports_.at(3).started, reports_.at(2).ended + 1);
    EXPECT_EQ(reports_.at(4).started, 0U);
  });
}

TEST_F(CommunicatorTest, RefusesWhatIsNotThere) {
  run(kSmall, [&](Communicator& c) {
    const std::vector work{all_reduce({0, 1}, 512)};
    EXPECT_THROW(c.issue(work, {.after = {{.operation = 1}}}), BadInput);
    EXPECT_THROW(c.issue(std::vector<CollectiveSpec>{}, {}), BadInput);
    c.start();
    EXPECT_FALSE(c.complete(1));
    const auto one = c.issue(work, {});
    EXPECT_THROW(c.issue(work, {.after = {{.operation = one, .parts = {1}}}}), BadInput);
  });
}

// Nothing moves for longer than the watchdog waits, and then something is issued.
TEST_F(CommunicatorTest, AFabricThatHasRestedIsNotStuck) {
  run(kSmall, [&](Communicator& c) {
    c.start();
    sc_core::wait(100, sc_core::SC_US);
    c.issue(std::vector{all_reduce({0, 1}, 512)}, {.delay = 50'000});
    c.wait_all();
    EXPECT_GE(reports_.at(1).parts[0].start, 150'000U + 50'000U);
  });
}

// A thousand operations issued one by one: numbers of streams and phases are used again, nothing
// stays.
TEST_F(CommunicatorTest, AThousandOperationsLeaveNothingBehind) {
  run(kSmall, [&](Communicator& c) {
    c.start();
    std::size_t max = 0;
    for (std::uint64_t n = 0; n < 1000; n += 4) {
      for (std::uint64_t k = 0; k < 4; ++k) {
        const int first = static_cast<int>((n + k) % 3);
        c.issue(std::vector{all_reduce({first, 3}, 512 + 64 * (n % 7), k % 2 == 0 ? kMp : kDp)},
                {.seed = n + k});
      }
      c.wait_all();
      max = std::max(max, c.in_flight());
    }
    EXPECT_EQ(c.totals().operations, 1000U);
    EXPECT_EQ(max, 0U);
    EXPECT_LE(c.max_streams(), 16);
    EXPECT_LE(c.plans().made(), 3U * 2 * 7);
  });
}

}  // namespace
}  // namespace fredsim::test
