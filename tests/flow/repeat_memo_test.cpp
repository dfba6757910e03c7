// SPDX-License-Identifier: Apache-2.0
// Rounds of repeated operations, which take the same course again and again: jumped over where an
// earlier round has been in the same state, and issued one by one.
#include "flow/repeat_memo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "flow/flow_operations.h"
#include "plan_to_repeat.h"
#include "support/random_range.h"

namespace fredsim::test {
namespace {

using StreamPlan = std::shared_ptr<const PreparedPlan>;
using RankOffsets = std::vector<std::vector<RankOffset>>;

struct RoundStream {
  StreamPlan plan{};
  RankOffsets offset{};
  std::uint64_t after = 0;  // cycles from the begin of a round
  std::uint64_t times = 1, at_a_time = 2;
};

// A call from outside in a round, which may issue a single operation.
struct RoundCall {
  int round = 0;
  std::uint64_t after = 0;
  StreamPlan plan{};  // null: none
};

struct RoundsWork {
  std::vector<RoundStream> streams{};
  std::vector<RoundCall> calls{};
  int rounds = 2;
  std::vector<std::uint64_t> fewer{};  // by round: times less
};

struct RoundsOutcome {
  // Cycle, round, stream (-1: single), part and rank (-1: all).
  std::vector<std::tuple<std::uint64_t, int, int, int, int>> completions{};
  std::vector<std::uint64_t> at_calls{};  // operations so far
  std::vector<std::pair<std::uint64_t, std::uint64_t>> issued{};
  std::uint64_t operations = 0, bytes = 0, waited = 0, last_end = 0;
  bool operator==(const RoundsOutcome&) const = default;
};

class Rounds {
 public:
  Rounds(const Topology& topology, const RoundsWork& work, bool skips)
      : work_(work), operations_(topology) {
    operations_.set_skips(skips);
    for (const RoundStream& stream : work.streams)
      operations_.set_offset(stream.plan, stream.offset);
  }

  RoundsOutcome run() {
    operations_.on_rank_complete([&](OperationHandle handle, int part, int rank) {
      note(of_handle_.at(handle), part, rank);
    });
    operations_.on_complete([&](const OperationReport& report) {
      note(of_handle_.at(report.handle), -1, -1);
      if (--left_ == 0) operations_.call_at(operations_.cycle() + 17, [this] { begin_round(); });
    });
    begin_round();
    operations_.wait_all();
    for (const FlowOperations::Issued& one : operations_.issued())
      outcome_.issued.emplace_back(one.times, one.cycles);
    const OperationTotals& totals = operations_.totals();
    outcome_.operations = totals.operations;
    outcome_.bytes = totals.bytes;
    outcome_.waited = totals.waited_for_others;
    outcome_.last_end = totals.last_end;
    return outcome_;
  }
  std::uint64_t jumps() const { return operations_.jumps(); }

 private:
  void note(int stream, int part, int rank) {
    outcome_.completions.emplace_back(operations_.cycle(), round_, stream, part, rank);
  }
  void begin_round() {
    if (++round_ == work_.rounds) return;
    const std::uint64_t now = operations_.cycle();
    left_ = static_cast<int>(work_.streams.size());
    for (int s = 0; s < std::ssize(work_.streams); ++s)
      operations_.call_at(now + work_.streams[s].after, [this, s] { begin(s); });
    for (const RoundCall& call : work_.calls) {
      if (call.round != round_) continue;
      left_ += call.plan ? 1 : 0;
      operations_.call_at(now + call.after, [this, &call] {
        outcome_.at_calls.push_back(operations_.totals().operations);
        if (call.plan) of_handle_.emplace(operations_.issue(call.plan, {}, {}), -1);
      });
    }
  }
  void begin(int s) {
    const RoundStream& stream = work_.streams[s];
    IssueOptions options;
    options.times = stream.times - std::min(stream.times - 1, work_.fewer[round_]);
    options.at_a_time = stream.at_a_time;
    of_handle_.emplace(operations_.issue(stream.plan, {}, options), s);
  }

  const RoundsWork& work_;
  FlowOperations operations_;
  int round_ = -1, left_ = 0;
  std::map<OperationHandle, int> of_handle_;
  RoundsOutcome outcome_;
};

RankOffsets random_rank_offsets(const PreparedPlan& plan, Random& random) {
  RankOffsets offset;
  if (random.below(3) == 0) return offset;
  for (const Part& part : plan.plan.parts) {
    auto& ranks = offset.emplace_back();
    for (std::size_t r = 0; r < part.members.size(); ++r) {
      ranks.push_back({.cycles = static_cast<double>(random.below(400)) / 8 - 5,
                       .handed = random.below(2) == 0 ? 1 : 0.875});
    }
  }
  return offset;
}

RoundsWork random_rounds(const Topology& topology, Random& random) {
  RoundsWork work{.rounds = random_between(random, 2, 5)};
  for (int i = random_between(random, 1, 3); i > 0; --i) {
    RoundStream& stream = work.streams.emplace_back();
    stream.plan = plan_to_repeat(topology, random, 300'000, 2, 3);
    stream.offset = random_rank_offsets(*stream.plan, random);
    stream.after = random_between<std::uint64_t>(random, 0, 3000);
    stream.times = random_between<std::uint64_t>(random, 1, 80);
    stream.at_a_time = random_between<std::uint64_t>(random, 1, 3);
  }
  for (int round = 0; round < work.rounds; ++round) {
    work.fewer.push_back(random.below(2) == 0 ? 0 : random.below(20));
    for (std::uint64_t i = random.below(3); i > 0; --i)
      work.calls.push_back({.round = round,
                            .after = random_between<std::uint64_t>(random, 0, 100'000),
                            .plan = random.below(2) == 0 ? work.streams.front().plan : nullptr});
  }
  return work;
}

TEST(RepeatMemo, RoundsEndAsIfIssuedOneByOne) {
  static const std::vector<std::string> kMachines{"mesh_2x2", "fred_small", "mesh",
                                                  "fred_a",   "fred_d",     "torus"};
  constexpr std::uint64_t kSeeds = 80;
  std::uint64_t jumps = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Topology topology =
        load_config("configs/" + kMachines[random.below(kMachines.size())] + ".yaml").topology;
    const RoundsWork work = random_rounds(topology, random);
    Rounds with(topology, work, true);
    Rounds without(topology, work, false);
    EXPECT_EQ(with.run(), without.run());
    EXPECT_EQ(without.jumps(), 0U);
    jumps += with.jumps();
  }
  EXPECT_GT(jumps, kSeeds);
}

// States of the current trajectory are not found, and a short trajectory replaces no longer one.
TEST(RepeatMemo, KeepsEntriesThatLeadOn) {
  RepeatMemo memo;
  const auto digest_of = [](std::uint64_t value) {
    StateDigest digest(0);
    digest.add(value);
    return digest;
  };
  const auto add = [&](std::uint64_t value) {
    const StateDigest digest = digest_of(value);
    const bool is_entry = memo.wants_entry();
    memo.add(is_entry ? &digest : nullptr, {},
             memo.wants_snapshot() ? std::make_shared<RepeatSnapshot>() : nullptr);
  };
  for (std::uint64_t state = 0; state < 100; ++state) add(state);
  EXPECT_EQ(memo.find(digest_of(5)).trajectory, nullptr) << "of the current trajectory";
  memo.end();
  EXPECT_EQ(memo.find(digest_of(99)).trajectory, nullptr) << "no entry";
  const RepeatMemo::Entry first = memo.find(digest_of(5));
  ASSERT_NE(first.trajectory, nullptr);
  EXPECT_EQ(first.number, 5U);
  EXPECT_EQ(first.trajectory->snapshots.back().first, 96U);
  EXPECT_LE(first.trajectory->snapshots.size(), 16U);
  add(5);  // a trajectory of one state replaces no entry that leads on
  memo.end();
  EXPECT_EQ(memo.find(digest_of(5)).trajectory, first.trajectory);
}

}  // namespace
}  // namespace fredsim::test
