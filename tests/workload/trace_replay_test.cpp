// SPDX-License-Identifier: Apache-2.0
// Profiles that are converted and run: relations between runs that hold whatever the times are.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "config/config.h"
#include "profile/convert.h"
#include "profile/sample_profile.h"
#include "support/simulation.h"
#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload/graph_run.h"
#include "workload/trace_tasks.h"
#include "workload_files/rank_manifest.h"

namespace fredsim::test {
namespace {

constexpr int kReplayedRanks = 4;
constexpr double kUnit = 6;  // unit of time, µs: whole cycles

// A rank that is late by its number, with an exchange of unequal sizes; all times by `scale`.
SampleProfile replayed_rank(int number, int place, double scale) {
  const auto at = [&](double units) { return units * kUnit * scale; };
  const std::array<std::string, kReplayedRanks> splits{"[100, 200, 300, 400]", "[10, 0, 500, 20]",
                                                       "[0, 0, 0, 0]", "[250, 250, 250, 250]"};
  const std::array<std::uint64_t, kReplayedRanks> sums{1000, 530, 0, 1000};
  const auto own = static_cast<std::size_t>(number);
  SampleProfile profile;
  profile.rank(place, kReplayedRanks).step(1, 0, at(100));
  profile.kernel("a", at(2), at(3), at(10 + number));
  profile.collective("allreduce", 40960, at(4), at(20), at(8));
  profile.kernel("beside", at(6), at(20), at(4));
  profile.wait(at(7));
  profile.kernel("b", at(8), at(30), at(5));
  profile.collective("all_to_allv", sums[own], at(10), at(36), at(6),
                     {{"In split size", splits[own]}});
  profile.wait(at(20));
  profile.kernel("c", at(21), at(43), at(3 * number + 1));
  return profile;
}

class TraceReplay : public testing::Test {
 protected:
  // Writes traces of the ranks, by their places, and returns their prefix.
  std::string write(const std::vector<SampleProfile>& ranks, const std::string& name) {
    std::vector<std::string> paths;
    for (const SampleProfile& one : ranks)
      paths.push_back(one.write(folder_, fmt::format("{}_{}.json", name, paths.size())));
    const ConvertedProfiles all = convert_profiles(paths, {}, {});
    for (const ConvertedRank& rank : all.ranks)
      write_file(fmt::format("{}.{}.et", folder_.file(name), rank.rank), trace_text(rank.graph));
    return folder_.file(name);
  }
  std::uint64_t cycles(const std::string& prefix, const TraceRules& rules) {
    const TraceFiles files = check_traces(prefix);
    TraceTasks tasks(files, groups_, {}, topology_, rules);
    const ShapePlans plans = plan_shapes(topology_, tasks.shapes(), OnConflict::kRefuse);
    Simulation simulation;
    Machine machine("machine", topology_, {});
    GraphOutcome outcome;
    simulation.run([&] { outcome = run_tasks(machine, tasks, plans); });
    return outcome.result.cycles;
  }
  TemporaryFolder folder_;
  CommGroups groups_;
  Topology topology_ = load_config("configs/fully_connected.yaml").topology;
};

std::vector<SampleProfile> replayed_ranks(double scale, const std::vector<int>& numbers) {
  std::vector<SampleProfile> ranks;
  for (int place = 0; place < kReplayedRanks; ++place)
    ranks.push_back(replayed_rank(numbers[static_cast<std::size_t>(place)], place, scale));
  return ranks;
}

TEST_F(TraceReplay, TwiceTheDurationsTakeTwiceTheTime) {
  const TraceRules recorded{.replays_communication = true};
  const std::uint64_t once = cycles(write(replayed_ranks(1, {0, 1, 2, 3}), "once"), recorded);
  const std::uint64_t twice = cycles(write(replayed_ranks(2, {0, 1, 2, 3}), "twice"), recorded);
  EXPECT_EQ(twice, 2 * once);
  const double us = static_cast<double>(once) * 1e6 / static_cast<double>(topology_.clock_hz);
  EXPECT_NEAR(us, 100 * kUnit, 0.03 * 100 * kUnit) << "the step as it was recorded";
}

TEST_F(TraceReplay, RenamedRanksTakeTheSameTimeWhereAllLinksAreEqual) {
  // Ranks 0 and 3 change places; sizes go with them.
  const std::string plain = write(replayed_ranks(1, {0, 1, 2, 3}), "plain");
  std::vector<SampleProfile> changed = replayed_ranks(1, {3, 1, 2, 0});
  EXPECT_EQ(cycles(plain, {.replays_communication = true}),
            cycles(write(changed, "changed"), {.replays_communication = true}));
}

// Ranks of one trace, by a manifest, take what copies of the trace take.
TEST_F(TraceReplay, SharedTracesTakeWhatCopiesTake) {
  const auto pair = [](int rank) {
    SampleProfile profile;
    profile.rank(rank, kReplayedRanks).step(1, 0, 60);
    profile.kernel("a", 2, 4, 9)
        .collective("allreduce", 4096, 6, 14, 8,
                    {{"Process Group Name", "tp"},
                     {"Process Group Ranks", rank < 2 ? "[0, 1]" : "[2, 3]"}});
    return profile;
  };
  const std::string path = pair(0).write(folder_, "one.json");
  const ConvertedProfiles one =
      convert_profiles({path}, {}, {}, {.ranks = kReplayedRanks, .like = 0});
  groups_ = one.groups;
  ASSERT_EQ(groups_.size(), 2U);
  const std::string shared = folder_.file("shared");
  write_file(shared + ".0.et", trace_text(one.ranks[0].graph));
  write_file(manifest_file(shared),
             manifest_text({.traces = {"shared.0.et"}, .ranks = one.trace_of}));
  const std::uint64_t of_shared = cycles(shared, {});
  const std::string copies = write({pair(0), pair(1), pair(2), pair(3)}, "copies");
  EXPECT_EQ(of_shared, cycles(copies, {}));
}

}  // namespace
}  // namespace fredsim::test
