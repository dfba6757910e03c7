// SPDX-License-Identifier: Apache-2.0
// Traffic on the ranks of a run, as threads here: cycles, counters, latencies and failures equal
// one process. Random machines, cuts and work, from seeds; twins and Verilated switches, with
// random stalls.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "config/config.h"
#include "engine/machine.h"
#include "fabric/point_text.h"
#include "fabric/ranked_cut.h"
#include "support/local_ranks.h"
#include "support/random_machine.h"
#include "traffic/traffic_run.h"

namespace fredsim::test {
namespace {

std::string point_of(TrafficRun& run, double rate) {
  const TrafficPoint point = run.measure(rate);
  std::string text = text_of(point) + fmt::format("\n{} {}", point.delivered_bytes, point.hops);
  for (const LinkResult& link : point.links) text += fmt::format(" {}", link.utilization);
  for (const SwitchResult& s : point.switches) text += fmt::format(" {} {}", s.name, s.model);
  return text;
}

struct RankedTraffic {
  TrafficOptions options{};
  double rate = 0;
  FabricOptions fabric{};
};

RankedTraffic random_traffic(const Topology& topology, std::uint64_t seed, Random& random) {
  return {.options = {.pattern = {.kind = static_cast<PatternKind>(random.below(5))},
                      .packet_flits = 1 + static_cast<int>(random.below(
                                              static_cast<std::uint64_t>(topology.packet_flits))),
                      .warmup_cycles = random.below(200),
                      .window_cycles = 1 + random.below(400),
                      .seed = seed},
          .rate = injection_limit(topology) * static_cast<double>(1 + random.below(100)) / 100,
          .fabric = {.own_contexts = true}};
}

std::string of_one_process(const Topology& topology, const RankedTraffic& work) {
  TrafficRun run(topology, work.options, factory_for(work.fabric));
  return point_of(run, work.rate);
}

// `within`: a cut inside every rank; empty: none.
void expect_equal(const Topology& topology, const RankedTraffic& work, int ranks,
                  const Cut& by_rank, const Cut& within, const std::string& whole) {
  const auto outcomes = run_on_ranks(ranks, [&](Ranks& mine) {
    TrafficRun run(topology, work.options, factory_for(work.fabric),
                   cut_over(&mine, by_rank, within));
    EXPECT_EQ(point_of(run, work.rate), whole) << "rank " << mine.rank();
  });
  for (const RankOutcome& outcome : outcomes) EXPECT_EQ(outcome.error, "");
}

Cut random_parts(const Topology& topology, int parts, Random& random) {
  Cut cut(topology.nodes.size());
  for (int& part : cut) part = static_cast<int>(random.below(static_cast<std::uint64_t>(parts)));
  for (int part = 0; part < parts; ++part) cut[part] = part;
  return cut;
}

TEST(RankTraffic, IsThatOfOneProcessOnRandomMachines) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_machine(random);
    const RankedTraffic work = random_traffic(topology, seed, random);
    const std::string whole = of_one_process(topology, work);
    for (const int ranks : {2, 3, 4}) {
      SCOPED_TRACE(fmt::format("{} ranks", ranks));
      const int even = std::min(ranks, max_partitions(topology));
      if (even > 1) {
        const Cut by_rank = cut_evenly(topology, even);
        expect_equal(topology, work, even, by_rank, {}, whole);
        expect_equal(topology, work, even, by_rank, random_parts(topology, 3, random), whole);
      }
      expect_equal(topology, work, ranks, random_parts(topology, ranks, random), {}, whole);
    }
  }
}

TEST(RankTraffic, WithThreadsInEveryRank) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  Random random(3);
  RankedTraffic work = random_traffic(topology, 3, random);
  const std::string whole = of_one_process(topology, work);
  work.options.threads = 2;
  const Cut by_rank = cut_evenly(topology, 2);
  expect_equal(topology, work, 2, by_rank, cut_parts_evenly(topology, by_rank, 2), whole);
}

TEST(RankTraffic, WithVerilatedSwitches) {
  for (const char* name : {"mesh_2x2", "fred_small"}) {
    const Topology topology = load_config(fmt::format("configs/{}.yaml", name)).topology;
    Random random(7);
    RankedTraffic work = random_traffic(topology, 7, random);
    for (const SwitchModel model : {SwitchModel::kRtl, SwitchModel::kLockstep}) {
      SCOPED_TRACE(fmt::format("{} {}", name, switch_model_name(model)));
      work.fabric.model = model;
      const std::string whole = of_one_process(topology, work);
      for (const int ranks : {2, 3})
        expect_equal(topology, work, ranks, random_parts(topology, ranks, random), {}, whole);
    }
  }
}

TEST(RankTraffic, PartsOfRanksAreCutEvenly) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  const Cut by_rank = cut_evenly(topology, 3);
  const Cut within = cut_parts_evenly(topology, by_rank, 2);
  std::vector<int> ports(6);
  for (std::size_t id = 0; id < within.size(); ++id)
    if (topology.nodes[id].is_switch())
      ports[2 * by_rank[id] + within[id]] += topology.nodes[id].ports;
  EXPECT_GT(std::ranges::min(ports), 0) << fmt::format("{}", ports);
  EXPECT_LE(std::ranges::max(ports) - std::ranges::min(ports), 2 * 9) << fmt::format("{}", ports);
}

// A file that a machine file includes may differ where the command line and all files in it are the
// same.
TEST(RankedCuts, MachinesMustBeEqual) {
  const auto outcomes = run_on_ranks(3, [](Ranks& ranks) {
    std::vector<std::string> settings;
    if (ranks.rank() == 1) settings.emplace_back("fabric.link_latency=30ns");
    const Topology topology = load_config("configs/mesh.yaml", settings).topology;
    const NodeCosts costs = costs_of_nodes(topology, {});
    EXPECT_EQ(cut_by_rank(topology, costs, &ranks).size(), topology.nodes.size());
  });
  for (const RankOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.end.code, ExitCode::kBadInput);
    EXPECT_TRUE(outcome.end.text.starts_with("machine mesh: found '")) << outcome.end.text;
    EXPECT_TRUE(outcome.end.text.ends_with("on rank 1; allowed: the same on all ranks"))
        << outcome.end.text;
  }
}

}  // namespace
}  // namespace fredsim::test
