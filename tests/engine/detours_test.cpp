// SPDX-License-Identifier: Apache-2.0
// detours, simulated: payload and bytes exact with groups and failed components at random, no time
// below the plan's bound.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

// Groups of 2 to 5 NPUs of 20 without one of them.
std::vector<CollectiveSpec> random_detours(int lost, std::uint64_t bytes, Random& random) {
  std::vector<int> npus(20);
  std::iota(npus.begin(), npus.end(), 0);
  std::erase(npus, lost);
  for (std::size_t k = npus.size(); k > 1; --k) std::swap(npus[k - 1], npus[random.below(k)]);
  std::vector<CollectiveSpec> work;
  for (auto at = npus.begin(); npus.end() - at >= 5;) {
    const auto size = static_cast<std::ptrdiff_t>(2 + random.below(4));
    CollectiveSpec& spec = work.emplace_back();
    spec.group.assign(at, at + size);
    spec.algorithm = "detours";
    spec.bytes = bytes;
    at += size;
  }
  return work;
}

// Flits that NPUs hand to the fabric: every hop of every tree.
std::uint64_t bytes_of_hops(const Plan& plan) {
  std::uint64_t bytes = 0;
  for (const Tree& tree : plan.trees)
    for_each_send(tree.ranks, [&](int, const Send&) { bytes += tree.bytes; });
  return bytes;
}

void run_detours(const std::string& machine, std::uint64_t seed, std::uint64_t bytes,
                 Random& random) {
  const int lost = static_cast<int>(random.below(20));
  SCOPED_TRACE(fmt::format("{}, seed {}, {} bytes, without npu{}", machine, seed, bytes, lost));
  const Topology topology =
      load_config("configs/" + machine + ".yaml", {fmt::format("faults=['npu:{}']", lost)})
          .topology;
  const std::vector<CollectiveSpec> work = random_detours(lost, bytes, random);
  const Plan plan = make_plan(topology, work);
  Simulation simulation;
  Machine built("machine", topology, {});
  simulation.run([&] {
    const RunResult result = run_plan(built, plan);
    EXPECT_EQ(result.payload, "exact");
    EXPECT_EQ(result.injected_bytes, bytes_of_hops(plan));
    EXPECT_GE(result.time_ns, plan.bound_ns);
  });
}

TEST(DetoursRun, IsExactWithFailedComponents) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    run_detours(seed % 2 == 0 ? "mesh" : "torus", seed, 1 + random.below(200'000), random);
  }
}

// Within a tenth of the program's bound at 4 MiB, with the latency of the paths, at random places.
TEST(DetoursRun, ReachesItsBound) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(50 + seed);
    SCOPED_TRACE(fmt::format("seed {}", 50 + seed));
    const Topology topology = load_config("configs/mesh.yaml").topology;
    const std::vector<CollectiveSpec> work = random_detours(-1, 4 << 20, random);
    const Plan plan = make_plan(topology, work);
    Simulation simulation;
    Machine built("machine", topology, {});
    simulation.run([&] {
      const RunResult result = run_plan(built, plan);
      EXPECT_EQ(result.payload, "exact");
      EXPECT_GE(result.time_ns, plan.bound_ns);
      EXPECT_LE(result.time_ns, 1.1 * plan.bound_ns);
    });
  }
}

}  // namespace
}  // namespace fredsim::test
