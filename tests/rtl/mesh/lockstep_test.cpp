// SPDX-License-Identifier: Apache-2.0
// RTL and twin in lockstep under arbitrary pin values: traffic that keeps the rules and traffic
// that breaks them (overflows, impossible destinations), pauses, registers read and written in
// mid-traffic, resets at any time. Every seed is a separate episode, named on failure.

#include "tb_mesh_router/lockstep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tb_mesh_router/router_implementations.h"

namespace fredsim::tb {
namespace {

constexpr std::uint64_t kSeed = 20'240'601;

struct Fuzz {
  RouterImplementation (*make)(SwitchModel);
  int episodes;
};

class MeshRouterLockstep : public testing::TestWithParam<Fuzz> {};

TEST_P(MeshRouterLockstep, NothingTellsTheImplementationsApart) {
  const RouterImplementation router = GetParam().make(SwitchModel::kLockstep);
  const auto core = router.make();
  fmt::print("seeds {} to {}\n", kSeed,
             kSeed + static_cast<std::uint64_t>(GetParam().episodes) - 1);
  LockstepCounts seen;
  for (int i = 0; i < GetParam().episodes; ++i) {
    const std::uint64_t seed = kSeed + static_cast<std::uint64_t>(i);
    SCOPED_TRACE(fmt::format("router {} seed {}", router.name, seed));
    ASSERT_NO_THROW(run_episode(*core, router.shape, seed, seen));
  }
  fmt::print(
      "{} cycles, {} flits in, {} out, {} register reads, {} writes, {} episodes with an overflow, "
      "{} with a lost route, stalls: credit {}, arbiter {}, link {}\n",
      seen.cycles, seen.flits_in, seen.flits_out, seen.reads, seen.writes, seen.overflows,
      seen.no_routes, seen.stall_credit, seen.stall_arbiter, seen.stall_link);
  EXPECT_GT(seen.flits_out, seen.cycles / 4);
  EXPECT_GT(seen.writes, 0U);
  EXPECT_GT(seen.overflows, 0U);
  EXPECT_GT(seen.no_routes, 0U);
  EXPECT_GT(seen.stall_credit, 0U);
  EXPECT_GT(seen.stall_arbiter, 0U);
  EXPECT_GT(seen.stall_link, 0U);
}

INSTANTIATE_TEST_SUITE_P(Built, MeshRouterLockstep,
                         testing::Values(Fuzz{wafer_router, 100}, Fuzz{small_router, 100},
                                         Fuzz{even_router, 75}, Fuzz{full_router, 25}),
                         [](const auto& test) {
                           return std::string(test.param.make(SwitchModel::kRtl).name);
                         });

}  // namespace
}  // namespace fredsim::tb
