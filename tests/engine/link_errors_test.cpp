// Machines whose links find errors and send again: what is counted, and that nothing else depends on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "config/config.h"
#include "engine/comparable_results.h"
#include "engine/machine.h"
#include "fabric/simulation.h"

namespace fredsim::test {
namespace {

using Settings = std::vector<std::string>;

RunResult all_reduce(const std::string& config, const Settings& settings, std::uint64_t bytes,
                     bool skip = true) {
  const Topology topology = load_config("configs/" + config + ".yaml", settings).topology;
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  const Plan plan = make_plan(topology, Collective::kAllReduce, group, bytes, "auto");
  Simulation simulation;
  Machine machine("machine", topology, {.skip = skip});
  RunResult result;
  simulation.run([&] { result = machine.run(plan); });
  EXPECT_EQ(result.payload, "exact");
  return result;
}

std::uint64_t sum_of(const RunResult& result, std::uint64_t LinkResult::*count) {
  std::uint64_t sum = 0;
  for (const LinkResult& link : result.links) sum += link.*count;
  return sum;
}

const Settings kReliable{"link.reliability=link"};

class LinkErrorsOf : public testing::TestWithParam<const char*> {};

TEST_P(LinkErrorsOf, CostMoreTheMoreThereAre) {
  const auto with = [](const std::string& rate) {
    return Settings{"link.reliability=link", "link.bit_error_rate=" + rate};
  };
  constexpr std::uint64_t kBytes = 256 * 1024;
  std::uint64_t cycles = all_reduce(GetParam(), {}, kBytes).cycles;
  std::uint64_t resent = 0;
  for (const char* rate : {"0", "1e-6", "1e-5", "1e-4"}) {
    SCOPED_TRACE(rate);
    const RunResult result = all_reduce(GetParam(), with(rate), kBytes);
    EXPECT_GT(result.cycles, cycles);
    cycles = result.cycles;
    const std::uint64_t again = sum_of(result, &LinkResult::resent_flits);
    EXPECT_EQ(again == 0, std::string(rate) == "0");
    EXPECT_GE(again, resent);
    resent = again;
    EXPECT_EQ(sum_of(result, &LinkResult::lost_flits), 0U);
    for (const LinkResult& link : result.links) {
      EXPECT_EQ(link.retransmits, !link.on_die);
      EXPECT_EQ(link.busy_cycles, link.flits + link.resent_flits) << link.name;
      EXPECT_LE(link.utilization, 1.0) << link.name;
      // Go-Back-N: whatever was sent again had a reason.
      EXPECT_LE(link.resent_flits > 0, link.damaged_flits > 0) << link.name;
    }
  }
}

TEST_P(LinkErrorsOf, DoNotDependOnWhatIsSkipped) {
  const Settings settings{"link.reliability=link", "link.bit_error_rate=3e-6",
                          "link.error_burst=20", "link.flit_loss=0.001", "link.seed=5"};
  const RunResult skipping = all_reduce(GetParam(), settings, 100'000);
  EXPECT_EQ(results_and_parts(skipping),
            results_and_parts(all_reduce(GetParam(), settings, 100'000, false)));
  EXPECT_GT(sum_of(skipping, &LinkResult::lost_flits), 0U);
  Settings others = settings;
  others.back() = "link.seed=6";
  EXPECT_NE(comparable_results(skipping),
            comparable_results(all_reduce(GetParam(), others, 100'000)));
}

INSTANTIATE_TEST_SUITE_P(Configs, LinkErrorsOf, testing::Values("mesh", "fred_c", "fred_d"),
                         [](const auto& config) { return std::string(config.param); });

TEST(LinkErrors, LinksAreSlowerByWhatProtectsAFlit) {
  const Topology bare = load_config("configs/fred_d.yaml").topology;
  const Topology reliable = load_config("configs/fred_d.yaml", kReliable).topology;
  ASSERT_EQ(bare.links.size(), reliable.links.size());
  for (std::size_t l = 0; l < bare.links.size(); ++l) {
    // 512 B and a header of 12 B, and 6 B more.
    EXPECT_DOUBLE_EQ(reliable.links[l].rate.value(), bare.links[l].rate.value() * 524 / 530);
    EXPECT_DOUBLE_EQ(reliable.links[l].peak.value(), bare.links[l].peak.value() * 524 / 530);
  }
  const Topology mesh = load_config("configs/mesh.yaml", kReliable).topology;
  EXPECT_TRUE(std::ranges::any_of(mesh.links, [](const Link& link) {
    return link.on_die && link.rate == Rational{125, 128};
  })) << "links on a die are as they were";
}

// Errors differ from slice to slice, so none stands for another.
TEST(LinkErrors, AllSlicesAreSimulated) {
  EXPECT_FALSE(load_config("configs/fred_d.yaml", kReliable).topology.fred.simulate_all_slices);
  Settings settings = kReliable;
  settings.push_back("link.flit_loss=0.01");
  EXPECT_TRUE(load_config("configs/fred_d.yaml", settings).topology.fred.simulate_all_slices);
}

}  // namespace
}  // namespace fredsim::test
