// SPDX-License-Identifier: Apache-2.0
// Results of a run against sums by hand: flits in and out of switches, injected traffic of NPUs,
// bandwidths of works of several parts.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/collective_specs.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

using FlitsInOut = std::pair<std::uint64_t, std::uint64_t>;

class ResultsTest : public testing::Test {
 protected:
  // Runs works sequentially on a machine.
  std::vector<RunResult> run(const std::string& config,
                             const std::vector<std::vector<CollectiveSpec>>& works) {
    const Topology topology = load_config(config).topology;
    Machine machine("machine", topology, {});
    std::vector<RunResult> results;
    simulation_.run([&] {
      for (const auto& work : works)
        results.push_back(run_plan(machine, make_plan(topology, work)));
    });
    return results;
  }
  static std::map<std::string, FlitsInOut> flits_of(const RunResult& result) {
    std::map<std::string, FlitsInOut> flits;
    for (const SwitchResult& s : result.switches) flits[s.name] = {s.flits_in, s.flits_out};
    return flits;
  }

  Simulation simulation_;
};

// Two NPUs on each L1 switch. 100 flits per operand: additions in the switches reduce them, copies
// multiply them.
TEST_F(ResultsTest, FlitsIntoAndOutOfSwitches) {
  constexpr std::uint64_t kFlits = 100;
  const std::uint64_t bytes = kFlits * kFlitBytes;
  const std::vector<int> all{0, 1, 2, 3};
  const auto results =
      run("configs/fred_small.yaml", {{spec_of(Collective::kReduce, all, bytes)},
                                      {spec_of(Collective::kBroadcast, all, bytes)},
                                      {spec_of(Collective::kMulticast, {0, 2, 3}, bytes)},
                                      {spec_of(Collective::kReduce, {3, 2}, bytes)}});
  using Flits = std::map<std::string, FlitsInOut>;
  // Either L1 switch sends the sum of its two operands up; the total comes down to the root.
  EXPECT_EQ(flits_of(results[0]), (Flits{{"l1_0.s0", {3 * kFlits, 2 * kFlits}},
                                         {"l1_1.s0", {2 * kFlits, kFlits}},
                                         {"l2.s0.c0", {2 * kFlits, kFlits}}}));
  // Path: to the NPU beside the root and up, then to both on the other side.
  EXPECT_EQ(flits_of(results[1]), (Flits{{"l1_0.s0", {kFlits, 2 * kFlits}},
                                         {"l1_1.s0", {kFlits, 2 * kFlits}},
                                         {"l2.s0.c0", {kFlits, kFlits}}}));
  EXPECT_EQ(flits_of(results[2]), (Flits{{"l1_0.s0", {kFlits, kFlits}},
                                         {"l1_1.s0", {kFlits, 2 * kFlits}},
                                         {"l2.s0.c0", {kFlits, kFlits}}}));
  EXPECT_EQ(flits_of(results[3]),
            (Flits{{"l1_0.s0", {0, 0}}, {"l1_1.s0", {2 * kFlits, kFlits}}, {"l2.s0.c0", {0, 0}}}));
  // Injected bytes are the bytes that leave an NPU.
  EXPECT_EQ(results[0].injected_bytes, 4 * bytes);
  EXPECT_EQ(results[1].injected_bytes, bytes);
  EXPECT_EQ(results[0].injected_bytes_per_npu_max, bytes);
}

// Routers pass flits on, each of them once in and once out, but the first and the last one by a
// local port.
TEST_F(ResultsTest, FlitsThroughRoutersAndWhatNpusInject) {
  const auto results =
      run("configs/mesh_2x2.yaml", {{spec_of(Collective::kUnicast, {0, 3}, 10 * kFlitBytes),
                                     spec_of(Collective::kUnicast, {1, 0}, 25 * kFlitBytes - 100),
                                     spec_of(Collective::kUnicast, {1, 3}, 1)}});
  const RunResult& r = results.front();
  using Flits = std::map<std::string, FlitsInOut>;
  // X, then Y: 0 to 3 by router (1, 0), where NPU 1 is.
  EXPECT_EQ(flits_of(r),
            (Flits{{"r0_0", {35, 35}}, {"r1_0", {36, 36}}, {"r0_1", {0, 0}}, {"r1_1", {11, 11}}}));
  EXPECT_EQ(r.injected_bytes, 10U * 512 + 25 * 512 - 100 + 1);
  EXPECT_EQ(r.injected_bytes_per_npu_max, 25U * 512 - 100 + 1);
  EXPECT_EQ(r.flit_hops, 2U * 10 + 25 + 1);
  EXPECT_EQ(r.link_bytes, 2U * 10 * 512 + 25 * 512 - 100 + 1);
}

// "Bandwidths of the part that ends last over the whole time", whichever place it has in the work.
TEST_F(ResultsTest, BandwidthOfSeveralPartsIsThatOfTheOneThatEndsLast) {
  // Far apart, so that the order of ends is unambiguous. NCCL's factors: 2 (N-1)/N, (N-1)/N, 1.
  const CollectiveSpec early = spec_of(Collective::kBroadcast, {0, 1, 2, 3}, 50'000);
  const CollectiveSpec middle =
      spec_of(Collective::kReduceScatter, {0, 1, 2, 3}, 90'000, {.start_cycle = 10'000});
  const CollectiveSpec late =
      spec_of(Collective::kAllReduce, {0, 1, 2}, 30'000, {.start_cycle = 20'000});
  const CollectiveSpec latest =
      spec_of(Collective::kReduceScatter, {1, 2, 3}, 20'000, {.start_cycle = 30'000});
  struct Case {
    std::vector<CollectiveSpec> work;
    double bytes, factor;
    std::uint64_t largest;
  };
  const std::vector<Case> cases{{{early, middle, late}, 30'000, 4.0 / 3, 90'000},
                                {{early, late, middle}, 30'000, 4.0 / 3, 90'000},
                                {{late, early, middle}, 30'000, 4.0 / 3, 90'000},
                                {{middle, early}, 90'000, 3.0 / 4, 90'000},
                                {{early, latest, late}, 20'000, 2.0 / 3, 50'000},
                                {{early}, 50'000, 1, 50'000}};
  std::vector<std::vector<CollectiveSpec>> works;
  works.reserve(cases.size());
  for (const Case& c : cases) works.push_back(c.work);
  const auto results = run("configs/mesh_2x2.yaml", works);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    const RunResult& r = results[i];
    const double ns = static_cast<double>(r.cycles) / 1.5;
    EXPECT_DOUBLE_EQ(r.time_ns, ns);
    EXPECT_DOUBLE_EQ(r.algbw_gbps, cases[i].bytes / ns);
    EXPECT_DOUBLE_EQ(r.busbw_gbps, cases[i].bytes / ns * cases[i].factor);
    EXPECT_EQ(r.size_bytes, cases[i].largest);
    for (std::size_t p = 0; p < r.parts.size(); ++p) {
      const PartResult& part = r.parts[p];
      const CollectiveSpec& spec = cases[i].work[p];
      EXPECT_EQ(part.start_cycle, spec.start_cycle);
      EXPECT_EQ(part.group, spec.group);
      EXPECT_DOUBLE_EQ(part.time_ns, static_cast<double>(part.cycles) / 1.5);
      EXPECT_DOUBLE_EQ(part.algbw_gbps, static_cast<double>(spec.bytes) / part.time_ns);
      EXPECT_LE(part.start_cycle + part.cycles, r.cycles);
    }
  }
  EXPECT_EQ(results[0].collective, "broadcast+reduce_scatter+all_reduce");
  EXPECT_EQ(results[4].collective, "broadcast+reduce_scatter+all_reduce");
  EXPECT_EQ(results[3].collective, "reduce_scatter+broadcast");
}

}  // namespace
}  // namespace fredsim::test
