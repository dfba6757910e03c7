// Machines that have lost parts: every collective is exact on what is left, or refused with the reason; what it costs; and
// that nothing depends on the implementation of the switches.
#include "topology/faults.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "config/describe.h"
#include "engine/comparable_results.h"
#include "engine/machine.h"
#include "fabric/simulation.h"

namespace fredsim::test {
namespace {

using Texts = std::vector<std::string>;

const Texts kSlices{"fabric.slices=3"};

std::vector<std::string> parts_of(const Topology& topology) {
  std::vector<std::string> parts;
  std::istringstream lines(describe_parts(topology));
  for (std::string part; std::getline(lines, part);) parts.push_back(part);
  return parts;
}

Topology with_faults(const std::string& config, Texts settings, const Texts& faults) {
  settings.push_back(fmt::format("faults=['{}']", fmt::join(faults, "', '")));
  return load_config("configs/" + config + ".yaml", settings).topology;
}

RunResult run(const Topology& topology, Collective collective, std::uint64_t bytes,
              const std::string& algorithm = "auto", SwitchModel model = SwitchModel::kTlm) {
  const Plan plan = make_plan(topology, collective, npus_left(topology), bytes, algorithm);
  Simulation simulation;
  Machine machine("machine", topology, {.model = model});
  RunResult result;
  simulation.run([&] { result = machine.run(plan); });
  EXPECT_EQ(result.payload, "exact");
  return result;
}

class FaultsOf : public testing::TestWithParam<Collective> {};

TEST_P(FaultsOf, EverySinglePartLostLeavesAnExactResult) {
  const Topology whole = load_config("configs/fred_small.yaml", kSlices).topology;
  for (const std::string& part : parts_of(whole)) {
    SCOPED_TRACE(part);
    const Topology topology = with_faults("fred_small", kSlices, {part});
    EXPECT_EQ(npus_left(topology).size(), part.starts_with("npu:") ? 3U : 4U);
    for (const char* algorithm : {"auto", "paper"}) run(topology, GetParam(), 20'000, algorithm);
  }
}

INSTANTIATE_TEST_SUITE_P(Collectives, FaultsOf,
                         testing::Values(Collective::kAllReduce, Collective::kReduceScatter,
                                         Collective::kAllGather, Collective::kBroadcast,
                                         Collective::kReduce, Collective::kAllToAll),
                         [](const auto& collective) {
                           return std::string(to_string(collective.param));
                         });

// The slices that are left carry the whole vector.
TEST(Faults, AChipletOfOneOfFiveSlicesCostsAFourth) {
  constexpr std::uint64_t kBytes = 8 << 20;
  const auto cycles = [&](const Topology& topology) {
    return static_cast<double>(run(topology, Collective::kAllReduce, kBytes, "in_switch").cycles);
  };
  const double whole = cycles(load_config("configs/fred_d.yaml").topology);
  EXPECT_NEAR(cycles(with_faults("fred_d", {}, {"switch:l1_0.s0"})) / whole, 5.0 / 4, 0.02);
  EXPECT_NEAR(cycles(with_faults("fred_d", {}, {"switch:l1_0.s0", "switch:l1_3.s4"})) / whole,
              5.0 / 3, 0.03);
  // An NPU that is lost leaves the others their bandwidth.
  EXPECT_NEAR(cycles(with_faults("fred_d", {}, {"npu:7"})) / whole, 1, 0.02);
}

// A port at half its rate: its slice takes half as much as the others, a ninth of the vector.
TEST(Faults, ASlowPortGetsAsMuchAsItCarries) {
  constexpr std::uint64_t kBytes = 8 << 20;
  const Topology whole = load_config("configs/fred_d.yaml").topology;
  const Topology slow = with_faults("fred_d", {}, {"link:npu7.2->l1_1.s2.3*0.5"});
  const RunResult before = run(whole, Collective::kAllReduce, kBytes, "in_switch");
  const RunResult after = run(slow, Collective::kAllReduce, kBytes, "in_switch");
  EXPECT_NEAR(static_cast<double>(after.cycles) / static_cast<double>(before.cycles), 5.0 / 4.5,
              0.02);
  std::uint64_t all = 0;
  std::uint64_t of_slow = 0;
  for (const LinkResult& link : after.links) {
    if (!link.name.starts_with("npu7.")) continue;
    all += link.flits;
    if (link.name.starts_with("npu7.2->")) of_slow += link.flits;
  }
  EXPECT_NEAR(static_cast<double>(of_slow) / static_cast<double>(all), 1.0 / 9, 0.01);
}

TEST(Faults, AGroupThatNoSliceJoinsIsRefused) {
  const Topology topology = with_faults("fred_small", {"fabric.slices=2"},
                                        {"link:npu0.0->l1_0.s0.0", "link:npu3.1->l1_1.s1.1"});
  try {
    run(topology, Collective::kAllReduce, 1000);
    FAIL() << "no slice joins NPUs 0 and 3";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("no slice joins all members"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("lost: link:npu0.0"), std::string::npos)
        << error.what();
  }
  const Plan plan = make_plan(topology, Collective::kAllReduce, {0, 1, 2}, 1000, "auto");
  Simulation simulation;
  Machine machine("machine", topology, {});
  RunResult result;
  simulation.run([&] { result = machine.run(plan); });
  EXPECT_EQ(result.payload, "exact");
}

// Pairs and triples of parts, and all implementations.
class RandomFaults : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomFaults, GiveTheSameInEveryImplementationOrAreRefused) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const Texts parts = parts_of(load_config("configs/fred_small.yaml", kSlices).topology);
  Texts faults;
  for (std::uint64_t left = 2 + random.below(2); left != 0; --left) {
    std::string part = parts[random.below(parts.size())];
    if (part.starts_with("link:") && random.below(2) == 0)
      part += fmt::format("*0.{}", 1 + random.below(9));
    faults.push_back(part);
  }
  const std::uint64_t bytes = 1 + random.below(50'000);
  constexpr std::array kCollectives{Collective::kAllReduce, Collective::kReduceScatter,
                                    Collective::kAllToAll};
  const Collective collective = kCollectives[random.below(kCollectives.size())];
  try {
    const Topology topology = with_faults("fred_small", kSlices, faults);
    const RunResult rtl = run(topology, collective, bytes, "auto", SwitchModel::kRtl);
    EXPECT_EQ(comparable_results(run(topology, collective, bytes)), comparable_results(rtl));
    run(topology, collective, bytes, "auto", SwitchModel::kLockstep);
  } catch (const BadInput& error) {
    const std::string why = error.what();
    EXPECT_TRUE(why.find("no slice joins") != std::string::npos ||
                why.find("once") != std::string::npos || why.find("members") != std::string::npos)
        << fmt::format("{}", fmt::join(faults, " ")) << ": " << why;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFaults, testing::Range<std::uint64_t>(1, 61));

}  // namespace
}  // namespace fredsim::test
