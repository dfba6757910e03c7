// SPDX-License-Identifier: Apache-2.0
// Random operations on small machines: groups, priorities, collectives, algorithms, times of issue,
// order, few rows. All payloads are exact, everything balances at the end, and twins and RTL take
// the same cycles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/communicator.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

CollectiveSpec random_spec(Random& random, int npus) {
  constexpr std::array kCollectives{Collective::kAllReduce,     Collective::kAllReduce,
                                    Collective::kReduceScatter, Collective::kAllGather,
                                    Collective::kReduce,        Collective::kBroadcast,
                                    Collective::kAllToAll,      Collective::kMulticast};
  CollectiveSpec spec;
  spec.collective = kCollectives[random.below(kCollectives.size())];
  spec.group.resize(static_cast<std::size_t>(npus));
  std::iota(spec.group.begin(), spec.group.end(), 0);
  for (std::size_t i = spec.group.size(); i > 1; --i)
    std::swap(spec.group[i - 1], spec.group[random.below(i)]);
  spec.group.resize(1 + random.below(spec.group.size()));
  spec.bytes = 1 + random.below(random.below(2) == 0 ? 2000 : 40'000);
  constexpr std::array kVcs{kMp, kPp, kDp};
  spec.vc = kVcs[random.below(3)];
  spec.root = static_cast<int>(random.below(spec.group.size()));
  return spec;
}

// End of every operation; issued one by one, many at once, some during others.
std::vector<std::uint64_t> run_random(const Topology& topology, std::uint64_t seed, int operations,
                                      SwitchModel model) {
  Simulation simulation;
  Random random(seed);
  Machine machine("machine", topology, {.model = model});
  std::vector<std::uint64_t> ends(static_cast<std::size_t>(operations));
  simulation.run([&] {
    Communicator communicator(machine, 6 + static_cast<int>(random.below(10)));
    communicator.on_complete(
        [&](const OperationReport& report) { ends[report.handle - 1] = report.ended; });
    const auto issue = [&] {
      IssueOptions options{.seed = random.next()};
      const std::uint64_t issued = communicator.totals().operations + communicator.in_flight();
      for (std::uint64_t n = random.below(3); n > 0 && issued > 0; --n) {
        options.after.push_back(
            {.operation = 1 + random.below(issued), .all_ranks = random.below(3) == 0});
        options.delay = random.below(2) * random.below(300);
      }
      CollectiveSpec spec = random_spec(random, static_cast<int>(topology.npus.size()));
      spec.start_cycle = random.below(3) == 0 ? random.below(2000) : 0;
      communicator.issue(std::vector{spec}, options);
    };
    int left = operations;
    communicator.begin();
    for (; left > operations / 2; --left) issue();
    communicator.start();
    std::uint64_t next = 0;
    communicator.on_cycle([&] {
      for (; left > 0 && communicator.cycle() >= next; --left) {
        issue();
        next = communicator.cycle() + random.below(2) * random.below(500);
      }
    });
    communicator.wait_all();
    while (left > 0) {
      sc_core::wait(100, sc_core::SC_NS);
      communicator.wait_all();
    }
    communicator.finish();
    EXPECT_EQ(communicator.totals().operations, static_cast<std::uint64_t>(operations));
  });
  return ends;
}

struct SmallMachine {
  const char* name;
  const char* config;
  std::vector<std::string> settings;
};

class RandomOperations : public testing::TestWithParam<SmallMachine> {};

TEST_P(RandomOperations, AreExactAndComplete) {
  const Topology topology = load_config(GetParam().config, GetParam().settings).topology;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ASSERT_NO_THROW(run_random(topology, seed, 40, SwitchModel::kTlm));
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RandomOperations,
                         testing::Values(SmallMachine{"Fred", "configs/fred_small.yaml", {}},
                                         SmallMachine{"FredOfTwoSlices",
                                                      "configs/fred_small.yaml",
                                                      {"fabric.slices=2", "fabric.uplinks=1"}},
                                         SmallMachine{"Mesh", "configs/mesh_2x2.yaml", {}},
                                         SmallMachine{"ReducingMesh",
                                                      "configs/mesh_2x2.yaml",
                                                      {"switch.kind=mesh_reducing"}}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(RandomOperationsInRtl, TakeTheSameCycles) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  for (std::uint64_t seed = 101; seed <= 104; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto twins = run_random(topology, seed, 24, SwitchModel::kTlm);
    EXPECT_EQ(run_random(topology, seed, 24, SwitchModel::kRtl), twins);
    EXPECT_EQ(run_random(topology, seed, 24, SwitchModel::kLockstep), twins);
  }
}

}  // namespace
}  // namespace fredsim::test
