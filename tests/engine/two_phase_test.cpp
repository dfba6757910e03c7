// SPDX-License-Identifier: Apache-2.0
// two_phase simulated: payload on random grids with failed components, switches as RTL and as
// twins, and how near its bound it comes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/simulation.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim::test {
namespace {

struct Grid {
  std::string config = "configs/mesh.yaml";
  int width = 5, height = 4;
  std::vector<std::string> settings(const std::vector<std::string>& faults = {}) const {
    std::vector<std::string> all{"io.count=0", fmt::format("npu.count={}", width * height),
                                 fmt::format("fabric.width={}", width),
                                 fmt::format("fabric.height={}", height)};
    if (!faults.empty()) all.push_back(fmt::format("faults=['{}']", fmt::join(faults, "', '")));
    return all;
  }
  Topology topology(const std::vector<std::string>& faults = {}) const {
    return load_config(config, settings(faults)).topology;
  }
};

RunResult run_all_to_all(const Topology& topology, std::uint64_t bytes,
                         const std::string& algorithm = "two_phase",
                         SwitchModel model = SwitchModel::kTlm) {
  Simulation simulation;
  Machine machine("machine", topology, {.model = model});
  RunResult result;
  simulation.run([&] {
    result = run_plan(
        machine, make_plan(topology, Collective::kAllToAll, npus_left(topology), bytes, algorithm));
  });
  return result;
}

TEST(TwoPhaseRun, CarriesItsPayloadWithFailedComponents) {
  int faulty = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const auto side = [&] { return 3 + static_cast<int>(random.below(3)); };
    Grid grid{random.below(2) == 0 ? "configs/mesh.yaml" : "configs/torus.yaml", side(), side()};
    const Topology whole = grid.topology();
    std::vector<std::string> faults;
    if (random.below(2) == 0)
      faults.push_back(fmt::format("npu:{}", random.below(whole.npus.size())));
    const Link& link = whole.links[random.below(whole.links.size())];
    faults.push_back("link:" + link.name + "*0.5");
    const Topology topology = grid.topology(faults);
    const RunResult result = run_all_to_all(topology, 1 + random.below(300'000));
    EXPECT_EQ(result.payload, "exact");
    EXPECT_GE(result.time_ns, result.bound_ns);
    EXPECT_GE(result.time_ns, result.network_bound_ns);
    faulty += topology.npus.size() < whole.npus.size() || topology.failed.any() ? 1 : 0;
  }
  EXPECT_EQ(faulty, 16);
}

TEST(TwoPhaseRun, IsTheSameOnRtl) {
  for (const Grid& grid : {Grid{.width = 3, .height = 3}, Grid{"configs/torus.yaml", 4, 3}}) {
    SCOPED_TRACE(grid.config);
    const Topology topology = grid.topology();
    for (const std::uint64_t bytes : {5'000, 60'000}) {
      const RunResult tlm = run_all_to_all(topology, bytes);
      const RunResult rtl = run_all_to_all(topology, bytes, "two_phase", SwitchModel::kRtl);
      EXPECT_EQ(rtl.payload, "exact");
      EXPECT_EQ(rtl.cycles, tlm.cycles);
      EXPECT_EQ(rtl.link_bytes, tlm.link_bytes);
    }
  }
}

// At most a twentieth over the time of the busiest link, or of a straight cut; X-Y routing takes a
// fifth more.
TEST(TwoPhaseRun, ComesNearTheBusiestLinksTime) {
  for (const Grid& grid : {Grid{}, Grid{.width = 4, .height = 4}, Grid{.width = 3, .height = 5},
                           Grid{.width = 6, .height = 3}, Grid{"configs/torus.yaml", 5, 4},
                           Grid{"configs/torus.yaml", 4, 4}}) {
    SCOPED_TRACE(fmt::format("{} {} x {}", grid.config, grid.width, grid.height));
    const Topology topology = grid.topology();
    const RunResult result = run_all_to_all(topology, 4 << 20);
    EXPECT_LT(result.time_ns, 1.05 * result.bound_ns);
    EXPECT_LT(result.time_ns, 1.05 * result.network_bound_ns);
    EXPECT_GT(run_all_to_all(topology, 4 << 20, "direct").time_ns, 1.15 * result.time_ns);
    EXPECT_EQ(run_all_to_all(topology, 4 << 20, "auto").cycles, result.cycles);
  }
}

// Few flits are nothing but latency, of which a corner has some.
TEST(TwoPhaseRun, AutoTakesTheFasterOneForFewBytes) {
  for (const Grid& grid : {Grid{}, Grid{.width = 3, .height = 6}, Grid{"configs/torus.yaml", 4, 4}})
    for (const std::uint64_t bytes : {1, 1'000, 8'000, 16'000, 32'000, 64'000}) {
      SCOPED_TRACE(
          fmt::format("{} {} x {}, {} bytes", grid.config, grid.width, grid.height, bytes));
      const Topology topology = grid.topology();
      const auto cycles = [&](const char* algorithm) {
        return static_cast<double>(run_all_to_all(topology, bytes, algorithm).cycles);
      };
      EXPECT_LE(cycles("auto"), 1.03 * std::min(cycles("direct"), cycles("two_phase")));
    }
}

}  // namespace
}  // namespace fredsim::test
