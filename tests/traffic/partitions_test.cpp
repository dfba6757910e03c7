// SPDX-License-Identifier: Apache-2.0
// Fabrics in several partitions, on one thread or on several: cycles, counters and failures equal
// one partition's. Random machines, cuts and work, from seeds.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "fabric/point_text.h"
#include "support/comparable_results.h"
#include "support/random_machine.h"
#include "support/random_work.h"
#include "support/simulation.h"
#include "systems/make_plan.h"
#include "traffic/traffic_run.h"

namespace fredsim::test {
namespace {

Topology partitioned_machine(const std::string& name,
                             const std::vector<std::string>& overrides = {}) {
  return load_config("configs/" + name + ".yaml", overrides).topology;
}

// Every node in a random partition, so that links of a cycle cross, too.
Cut random_cut(const Topology& topology, int partitions, Random& random) {
  Cut cut(topology.nodes.size());
  for (int& partition : cut) {
    partition = static_cast<int>(random.below(static_cast<std::uint64_t>(partitions)));
  }
  for (int partition = 0; partition < partitions; ++partition) cut[partition] = partition;
  return cut;
}

TEST(Cuts, AreEvenAndKeepEndpointsWithTheirSwitch) {
  for (const char* name : {"mesh", "torus", "fred_small", "fred_a", "fred_d", "fred_64"}) {
    const Topology topology = partitioned_machine(name);
    const int max = max_partitions(topology);
    for (const int partitions : {1, 2, 3, 4, max}) {
      if (partitions > max) continue;
      SCOPED_TRACE(fmt::format("{} in {}", name, partitions));
      const Cut cut = cut_evenly(topology, partitions);
      EXPECT_EQ(partitions_of(topology, cut), partitions);
      std::vector<int> ports(static_cast<std::size_t>(partitions));
      int max_ports = 0;
      for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
        const Node& node = topology.nodes[id];
        if (node.is_switch()) {
          ports[cut[id]] += node.ports;
          max_ports = std::max(max_ports, node.ports);
          continue;
        }
        bool is_with_one = false;
        for (int port = 0; port < node.ports; ++port) {
          const int link = topology.link_out(id, port);
          if (link >= 0) is_with_one |= cut[topology.links[link].to] == cut[id];
        }
        EXPECT_TRUE(is_with_one) << node.name;
      }
      if (partitions <= 4) {
        EXPECT_LE(std::ranges::max(ports) - std::ranges::min(ports), 2 * max_ports);
      }
      EXPECT_EQ(look_ahead(topology, cut), partitions == 1 ? ~std::uint64_t{0} : 30U);
    }
  }
}

TEST(Cuts, WhatIsNoneIsRefused) {
  const Topology topology = partitioned_machine("mesh_2x2");
  Cut cut(topology.nodes.size(), 0);
  const auto refusal = [&] {
    return message_of<std::logic_error>([&] { FabricCore core(topology, 1, cut); });
  };
  EXPECT_EQ(refusal(), "");
  cut[0] = 2;
  EXPECT_EQ(refusal(), "partition 1 of 3 has no node");
  cut[0] = -1;
  EXPECT_EQ(refusal(), "a node in no partition");
  cut.resize(3);
  EXPECT_EQ(refusal(), fmt::format("a cut of 3 nodes; mesh_2x2 has {}", topology.nodes.size()));
}

TEST(Cuts, MoreThreadsThanSwitchesAreRefused) {
  const Topology topology = partitioned_machine("mesh_2x2");
  EXPECT_EQ(
      message_of<BadInput>([&] { TrafficRun run(topology, {.threads = 5}, factory_for({})); }),
      "--threads: found 5; allowed on mesh_2x2: 1 to 4, its switches");
}

struct Work {
  TrafficOptions options;
  double rate = 0;
};

Work random_work(const Topology& topology, std::uint64_t seed, Random& random) {
  Work work;
  work.options = {
      .pattern = {.kind = static_cast<PatternKind>(random.below(5))},
      .packet_flits =
          1 + static_cast<int>(random.below(static_cast<std::uint64_t>(topology.packet_flits))),
      .warmup_cycles = random.below(200),
      .window_cycles = 1 + random.below(400),
      .seed = seed};
  work.rate = injection_limit(topology) * static_cast<double>(1 + random.below(100)) / 100;
  return work;
}

// Everything that a run of traffic says, and where its fabric stands at the end.
std::string outcome(const Topology& topology, const Work& work, const Cut& cut, bool threads,
                    const FabricOptions& fabric, bool always_step) {
  TrafficOptions options = work.options;
  options.threads = threads ? partitions_of(topology, cut) : 1;
  TrafficRun run(topology, options, factory_for(fabric), cut);
  run.core().set_always_step(always_step);
  const TrafficPoint point = run.measure(work.rate);
  std::string text = text_of(point);
  text += fmt::format("\n{} {}", point.delivered_bytes, point.hops);
  for (const LinkResult& link : point.links) text += fmt::format(" {}", link.utilization);
  return text;
}

// Twins, in 2, 3 and 4 partitions. Threads of a random cut may synchronise at every edge, which is
// slow if they have to wait for processors: see ThreadsMayMeetAtEveryEdge.
void compare_all(const Topology& topology, const Work& work, Random& random) {
  const std::string whole = outcome(topology, work, {}, false, {}, false);
  for (const int partitions : {2, 3, 4}) {
    const Cut even = cut_evenly(topology, std::min(partitions, max_partitions(topology)));
    const Cut any = random_cut(topology, partitions, random);
    for (const bool always_step : {false, true}) {
      SCOPED_TRACE(fmt::format("{} partitions{}", partitions, always_step ? ", all step" : ""));
      EXPECT_EQ(outcome(topology, work, even, false, {}, always_step), whole);
      if (!always_step) {
        EXPECT_EQ(outcome(topology, work, even, true, {}, false), whole) << "threads";
      }
      EXPECT_EQ(outcome(topology, work, any, false, {}, always_step), whole)
          << fmt::format("cut {}", any);
    }
  }
}

class PartitionedConfig : public testing::TestWithParam<const char*> {};

TEST_P(PartitionedConfig, IsThatOfAWhole) {
  const Topology topology = partitioned_machine(GetParam());
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    compare_all(topology, random_work(topology, seed, random), random);
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, PartitionedConfig,
                         testing::Values("mesh_2x2", "mesh", "torus", "fred_small", "fred_d"),
                         [](const auto& param) { return std::string(param.param); });

TEST(PartitionedTraffic, IsThatOfAWholeOnRandomMachines) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_machine(random);
    compare_all(topology, random_work(topology, seed, random), random);
  }
}

// More routers than step in one group (Partition).
TEST(PartitionedTraffic, StepsInGroupsAsAlone) {
  const Topology topology = partitioned_machine(
      "mesh", {"fabric.width=9", "fabric.height=8", "npu.count=72", "io.count=0"});
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Work work = random_work(topology, seed, random);
    EXPECT_EQ(outcome(topology, work, {}, false, {}, false),
              outcome(topology, work, {}, false, {}, true));
  }
}

// Links so slow that flits are kept while they are serialised.
TEST(PartitionedTraffic, IsThatOfAWholeOnSlowLinks) {
  const Topology topology =
      partitioned_machine("mesh_2x2", {"npu.bandwidth=20 GB/s", "fabric.link_bandwidth=9 GB/s"});
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    compare_all(topology, random_work(topology, seed, random), random);
  }
}

TEST(PartitionedTraffic, ThreadsMayMeetAtEveryEdge) {
  const Topology topology = partitioned_machine("mesh_2x2");
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Random random(seed);
    const Cut cut = random_cut(topology, 2 + static_cast<int>(random.below(3)), random);
    SCOPED_TRACE(fmt::format("seed {}, cut {}", seed, cut));
    const Work work = {{.packet_flits = 3, .warmup_cycles = 20, .window_cycles = 100, .seed = seed},
                       1.5};
    EXPECT_EQ(outcome(topology, work, cut, true, {}, false),
              outcome(topology, work, {}, false, {}, false));
  }
}

TEST(PartitionedTraffic, WithVerilatedSwitches) {
  for (const char* name : {"mesh_2x2", "fred_small"}) {
    const Topology topology = partitioned_machine(name);
    Random random(7);
    const Work work = random_work(topology, 7, random);
    const std::string whole = outcome(topology, work, {}, false, {}, false);
    for (const SwitchModel model : {SwitchModel::kRtl, SwitchModel::kLockstep}) {
      for (const int partitions : {2, 3}) {
        SCOPED_TRACE(fmt::format("{} {} {}", name, switch_model_name(model), partitions));
        const FabricOptions fabric{.model = model, .own_contexts = true};
        EXPECT_EQ(outcome(topology, work, cut_evenly(topology, partitions), true, fabric, false),
                  whole);
        EXPECT_EQ(
            outcome(topology, work, random_cut(topology, partitions, random), false, fabric, true),
            whole);
      }
    }
  }
}

// Two sequential runs, each from a reset fabric.
TEST(PartitionedTraffic, RunsDoNotTouchEachOther) {
  const Topology topology = partitioned_machine("mesh");
  const TrafficOptions options{
      .packet_flits = 2, .warmup_cycles = 300, .window_cycles = 1000, .threads = 3};
  TrafficRun run(topology, options, factory_for({.own_contexts = true}));
  EXPECT_EQ(run.core().partitions(), 3);
  const std::string first = text_of(run.measure(0.3));
  run.measure(1);
  EXPECT_EQ(text_of(run.measure(0.3)), first);
}

// Collectives, whose endpoints are SystemC's: partitions take turns, edge by edge. Registers are
// read and written, idle cycles and recurring periods left out.
TEST(PartitionedCollectives, AreThoseOfAWhole) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_machine(random);
    const Cut cut = random_cut(topology, 2 + static_cast<int>(random.below(3)), random);
    std::vector<int> group(topology.npus.size());
    for (std::size_t rank = 0; rank < group.size(); ++rank) group[rank] = static_cast<int>(rank);
    const Plan plan =
        make_plan(topology, Collective::kAllReduce, group, 1 + random.below(300'000), "auto");
    Simulation simulation;
    Machine whole("whole", topology, {});
    Machine cut_up("cut", topology, {.cut = cut});
    simulation.run([&] {
      const RunResult expected = run_plan(whole, plan);
      const RunResult result = run_plan(cut_up, plan);
      EXPECT_EQ(results_and_parts(result), results_and_parts(expected));
      EXPECT_EQ(result.payload, "exact");
    });
  }
}

// Fails with its name at one edge after its reset.
class FailingEndpoint final : public EndpointCore {
 public:
  FailingEndpoint(int node, int edge) : node_(node), at_(edge) {}
  void reset() override { edge_ = 0; }
  void set_credits(int, int, int) override {}
  void step(SwitchPins& pins) override {
    pins.out_valid = 0;
    pins.in_credit = {};
    if (edge_++ == at_) throw RunFailed(fmt::format("node {} at edge {}", node_, at_));
  }
  bool idle() const override { return false; }
  bool empty() const override { return true; }
  void describe_waiting(const std::vector<std::string>&, std::vector<std::string>&) const override {
  }

 private:
  int node_, at_, edge_ = 0;
};

TEST(PartitionedFailures, TheEarliestIsThrownAndTheFabricCanBeReset) {
  Topology topology = partitioned_machine("mesh_2x2");
  for (const bool threads : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      const int partitions = 2 + static_cast<int>(random.below(3));
      const Cut cut =
          threads ? cut_evenly(topology, partitions) : random_cut(topology, partitions, random);
      FabricCore core(topology, 1, cut);
      core.set_threads(threads);
      std::vector<std::unique_ptr<FailingEndpoint>> endpoints;
      std::tuple<int, int, int> first{1 << 20, 0, 0};  // edge, partition, node
      for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
        const int edge = 100 + static_cast<int>(random.below(60));
        first = std::min(first, {edge, cut[id], id});
        endpoints.push_back(std::make_unique<FailingEndpoint>(id, edge));
        core.attach(id, *endpoints.back());
      }
      const auto [edge, partition, node] = first;
      for (int run = 0; run < 2; ++run) {
        core.reset();
        EXPECT_EQ(message_of<RunFailed>([&] { core.advance(1000); }),
                  fmt::format("node {} at edge {}", node, edge))
            << "seed " << seed;
      }
    }
  }
}

// A switch that keeps its inputs.
class DeafSwitch final : public SwitchCore {
 public:
  void reset() override { held_ = 0; }
  void step(SwitchPins& pins) override {
    held_ |= pins.in_valid;
    pins.out_valid = 0;
    pins.in_credit = {};
    pins.reg_rdata = mesh_pkg::MESH_ID;
  }
  bool idle() const override { return held_ == 0; }
  std::uint32_t error() const override { return 0; }
  std::string_view model() const override { return "deaf"; }

 private:
  std::uint32_t held_ = 0;
};

TEST(PartitionedFailures, ADeadlockIsFoundAtTheSameCycle) {
  const Topology topology = partitioned_machine("mesh_2x2");
  const auto message = [&](int threads) {
    TrafficRun run(topology, {.threads = threads},
                   [](const Node&, const SwitchShape&) { return std::make_unique<DeafSwitch>(); });
    return message_of<RunFailed>([&] { run.measure(0.1); });
  };
  const std::string whole = message(1);
  EXPECT_NE(whole.find("deadlock"), std::string::npos) << whole;
  for (const int threads : {2, 4}) EXPECT_EQ(message(threads), whole);
}

}  // namespace
}  // namespace fredsim::test
