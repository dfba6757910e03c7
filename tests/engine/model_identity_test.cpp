// SPDX-License-Identifier: Apache-2.0
// The project's promise: cycles, link counts, switch counters and payload do not depend on the
// implementations of the switches. Random machines, groups, sizes and mixes of implementations,
// each from a seed that a failure names.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

class ModelIdentity : public testing::TestWithParam<std::uint64_t> {
 protected:
  // A machine whose switches are among the Verilated ones; parameters that need no other RTL vary.
  Topology random_machine(std::vector<std::string> more = {}) {
    if (random_.below(2) == 0)
      more.push_back(fmt::format("switch.wire_cycles={}", 1 + random_.below(6)));
    const auto with_more = [&](std::vector<std::string> settings) {
      settings.insert(settings.end(), more.begin(), more.end());
      return settings;
    };
    if (random_.below(2) == 0) {
      return load_config(
                 "configs/mesh_2x2.yaml",
                 with_more({fmt::format("switch.kind={}",
                                        random_.below(2) == 0 ? "mesh" : "mesh_reducing"),
                            fmt::format("fabric.link_bandwidth={} GB/s", 100 + random_.below(668)),
                            fmt::format("fabric.link_latency={} ns", 1 + random_.below(40))}))
          .topology;
    }
    constexpr std::array<const char*, 4> kKinds{"fred", "reducing_crossbar", "aggregator",
                                                "voq_crossbar"};
    return load_config(
               "configs/fred_small.yaml",
               with_more({fmt::format("switch.kind={}", kKinds[random_.below(kKinds.size())]),
                          fmt::format("npu.bandwidth={} GB/s", 100 + random_.below(668)),
                          fmt::format("fabric.uplink_bandwidth={} GB/s", 200 + random_.below(1300)),
                          fmt::format("fabric.link_latency={} ns", 1 + random_.below(40))}))
        .topology;
  }

  Plan random_work(const Topology& topology) {
    std::vector<int> group(topology.npus.size());
    std::iota(group.begin(), group.end(), 0);
    for (std::size_t i = group.size() - 1; i > 0; --i)
      std::swap(group[i], group[random_.below(i + 1)]);
    group.resize(2 + random_.below(group.size() - 1));
    const std::uint64_t bytes = 1 + random_.below(random_.below(2) == 0 ? 5'000 : 100'000);
    return make_plan(topology, Collective::kAllReduce, group, bytes, "auto");
  }

  // All implementations of its switches, and a mix of them, give the same.
  void expect_the_same(const Topology& topology) {
    SCOPED_TRACE(fmt::format("seed {}", GetParam()));
    const auto mixed = [&](const Node& node, const SwitchShape& shape) {
      return make_switch(static_cast<SwitchModel>(random_.below(3)), shape, node.name);
    };
    Machine rtl("rtl", topology, {.model = SwitchModel::kRtl});
    Machine tlm("tlm", topology, {.model = SwitchModel::kTlm});
    Machine lockstep("lockstep", topology, {.model = SwitchModel::kLockstep});
    Machine mix("mix", topology, {}, mixed);
    simulation_.run([&] {
      for (int run = 0; run < 3; ++run) {
        const Plan plan = random_work(topology);
        const std::vector<std::string> expected = comparable_results(run_plan(rtl, plan));
        EXPECT_EQ(comparable_results(run_plan(tlm, plan)), expected);
        EXPECT_EQ(comparable_results(run_plan(lockstep, plan)), expected);
        EXPECT_EQ(comparable_results(run_plan(mix, plan)), expected);
      }
    });
  }

  Random random_{GetParam()};
  Simulation simulation_;
};

TEST_P(ModelIdentity, EveryMixOfImplementationsGivesTheSame) { expect_the_same(random_machine()); }

TEST_P(ModelIdentity, TheSameWhereLinksSendAgain) {
  expect_the_same(random_machine(
      {"link.reliability=link", fmt::format("link.bit_error_rate=1e-{}", 4 + random_.below(3)),
       fmt::format("link.flit_loss={}", random_.below(2) == 0 ? "0" : "0.002"),
       fmt::format("link.seed={}", GetParam())}));
}
INSTANTIATE_TEST_SUITE_P(Seeds, ModelIdentity, testing::Range<std::uint64_t>(1, 25));

// The wafer of the paper in full flow: all 35 chiplets, or 20 routers, compared in every cycle.
class WaferIdentity : public testing::TestWithParam<const char*> {};

TEST_P(WaferIdentity, LockstepRunsThroughAndGivesWhatTheTwinsGive) {
  const Topology topology = load_config(fmt::format("configs/{}.yaml", GetParam())).topology;
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  const Plan plan = make_plan(topology, Collective::kAllReduce, group, 1'000'000, "auto");
  Simulation simulation;
  Machine tlm("tlm", topology, {.model = SwitchModel::kTlm});
  Machine lockstep("lockstep", topology, {.model = SwitchModel::kLockstep});
  simulation.run([&] {
    EXPECT_EQ(comparable_results(run_plan(tlm, plan)),
              comparable_results(run_plan(lockstep, plan)));
  });
}

INSTANTIATE_TEST_SUITE_P(Configs, WaferIdentity,
                         testing::Values("mesh", "mesh_reducing", "torus", "fred_d"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace fredsim::test
