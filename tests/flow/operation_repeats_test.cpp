// SPDX-License-Identifier: Apache-2.0
// Operations that are issued again and again: passed over where they repeat, and one by one, by the
// engine and by the issuer.
#include "flow/operation_repeats.h"

#include <gtest/gtest.h>

#include <functional>
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
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

using PlanPointer = std::shared_ptr<const PreparedPlan>;

// An operation that begins at a cycle, so often; `at_a_time` of it are open at once.
struct Asked {
  PlanPointer plan{};
  std::uint64_t cycle = 0, times = 1, at_a_time = 2;
};

enum class By { kEngine, kEngineOneByOne, kIssuer };

struct Outcome {
  // Cycle at which each rank, or as rank -1 all, of an operation was complete.
  std::vector<std::tuple<std::uint64_t, int, int, int>> completions{};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> issued{};  // by plan: times, cycles
  std::uint64_t operations = 0, bytes = 0, waited = 0, last_end = 0;
  bool operator==(const Outcome&) const = default;
};

class RepeatedWork {
 public:
  RepeatedWork(const Topology& topology, const std::vector<Asked>& asked, By by)
      : asked_(asked), by_(by), operations_(topology), issued_(asked.size()) {
    operations_.set_skips(by == By::kEngine);
    for (const Asked& one : asked) {
      auto& left = left_.emplace_back();
      for (const Part& part : one.plan->plan.parts)
        left.emplace_back(part.members.size(), by == By::kIssuer ? one.times : 1);
    }
  }

  // Gives the number of repeats that were passed over, too.
  std::pair<Outcome, std::uint64_t> run() {
    operations_.on_rank_complete([&](OperationHandle handle, int part, int rank) {
      const int number = of_handle_.at(handle);
      if (--left_[number][part][rank] == 0)
        outcome_.completions.emplace_back(operations_.cycle(), number, part, rank);
    });
    operations_.on_complete([&](const OperationReport& report) {
      const int number = of_handle_.at(report.handle);
      const bool is_last = by_ != By::kIssuer || ++complete_[number] == asked_[number].times;
      if (is_last) outcome_.completions.emplace_back(operations_.cycle(), number, -1, -1);
      issue_more(number);
    });
    for (int i = 0; i < std::ssize(asked_); ++i)
      operations_.call_at(asked_[i].cycle, [this, i] { begin(i); });
    operations_.wait_all();
    for (const FlowOperations::Issued& one : operations_.issued())
      outcome_.issued.emplace_back(one.times, one.cycles);
    const OperationTotals& totals = operations_.totals();
    outcome_.operations = totals.operations;
    outcome_.bytes = totals.bytes;
    outcome_.waited = totals.waited_for_others;
    outcome_.last_end = totals.last_end;
    return {outcome_, operations_.skipped()};
  }

 private:
  void begin(int number) {
    const Asked& one = asked_[number];
    if (by_ == By::kIssuer) {
      for (std::uint64_t i = 0; i < one.at_a_time; ++i) issue_more(number);
      return;
    }
    IssueOptions options;
    options.times = one.times;
    options.at_a_time = one.at_a_time;
    of_handle_.emplace(operations_.issue(one.plan, {}, options), number);
  }
  void issue_more(int number) {
    if (by_ != By::kIssuer || issued_[number] == asked_[number].times) return;
    ++issued_[number];
    of_handle_.emplace(operations_.issue(asked_[number].plan, {}, {}), number);
  }

  const std::vector<Asked>& asked_;
  const By by_;
  FlowOperations operations_;
  std::vector<std::uint64_t> issued_;
  std::vector<std::vector<std::vector<std::uint64_t>>> left_;  // by part and rank
  std::map<int, std::uint64_t> complete_;
  std::map<OperationHandle, int> of_handle_;
  Outcome outcome_;
};

std::vector<Asked> random_work(const Topology& topology, Random& random) {
  std::vector<Asked> asked;
  for (int i = random_between(random, 1, 4); i > 0; --i) {
    asked.push_back({.plan = plan_to_repeat(topology, random, 1'000'000, 1, 2),
                     .cycle = random_between<std::uint64_t>(random, 0, 200'000),
                     .times = random_between<std::uint64_t>(random, 1, 60),
                     .at_a_time = random_between<std::uint64_t>(random, 1, 3)});
  }
  return asked;
}

void expect_equal(std::uint64_t seeds_from, std::uint64_t seeds) {
  std::uint64_t skipped = 0;
  for (std::uint64_t seed = seeds_from; seed < seeds_from + seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    static const std::vector<std::string> kMachines{"mesh_2x2", "fred_small", "mesh",
                                                    "fred_a",   "fred_d",     "torus"};
    const Topology topology =
        load_config("configs/" + kMachines[random.below(kMachines.size())] + ".yaml").topology;
    const std::vector<Asked> asked = random_work(topology, random);
    const auto [at_once, of_engine] = RepeatedWork(topology, asked, By::kEngine).run();
    const auto [one_by_one, none] = RepeatedWork(topology, asked, By::kEngineOneByOne).run();
    const auto [by_issuer, none_either] = RepeatedWork(topology, asked, By::kIssuer).run();
    EXPECT_EQ(at_once, one_by_one);
    // Times counted from the start of a run are rounded to fewer digits, so an end may differ by a
    // cycle.
    EXPECT_EQ(one_by_one.operations, by_issuer.operations);
    EXPECT_EQ(one_by_one.bytes, by_issuer.bytes);
    EXPECT_NEAR(static_cast<double>(one_by_one.last_end), static_cast<double>(by_issuer.last_end),
                static_cast<double>(by_issuer.operations));
    EXPECT_EQ(none + none_either, 0U);
    skipped += of_engine;
  }
  EXPECT_GT(skipped, seeds);
}

TEST(OperationRepeats, EndAsIfIssuedOneByOne) { expect_equal(1, 30); }

// Repeats as many as in a streamed model's iteration: a few are simulated.
TEST(OperationRepeats, ArePassedOverUpToTheLastOnes) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  Random random(7);
  constexpr std::uint64_t kTimes = 20'000;
  const Asked asked{.plan = plan_to_repeat(topology, random, 1'000'000, 1, 2), .times = kTimes};
  const auto [outcome, skipped] = RepeatedWork(topology, {asked}, By::kEngine).run();
  EXPECT_EQ(outcome.operations, kTimes);
  EXPECT_EQ(outcome.issued.front().first, kTimes);
  EXPECT_GT(skipped, kTimes - 1000);
}

// A call from outside happens at its cycle, with the skipped repeats counted up to it.
TEST(OperationRepeats, AreNotPassedOverBeyondACall) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  Random random(3);
  const PlanPointer plan = plan_to_repeat(topology, random, 1'000'000, 1, 2);
  std::vector<std::uint64_t> operations;
  for (const bool skips : {false, true}) {
    FlowOperations engine(topology);
    engine.set_skips(skips);
    IssueOptions options;
    options.times = 2000;
    options.at_a_time = 2;
    engine.issue(plan, {}, options);
    constexpr std::uint64_t kCycle = 777'777;
    engine.call_at(kCycle, [&] {
      EXPECT_EQ(engine.cycle(), kCycle);
      operations.push_back(engine.totals().operations);
    });
    engine.wait_all();
    operations.push_back(engine.totals().last_end);
  }
  ASSERT_EQ(operations.size(), 4U);
  EXPECT_EQ(operations[0], operations[2]);
  EXPECT_EQ(operations[1], operations[3]);
}

}  // namespace
}  // namespace fredsim::test
