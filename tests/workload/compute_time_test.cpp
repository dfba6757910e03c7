// SPDX-License-Identifier: Apache-2.0
// Times of computations: roofline, one rate, given ones.
#include "workload/compute_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace fredsim::test {
namespace {

// 1 TFLOP/s at half the peak; 1 GB/s.
const NpuCompute kNpu{.peak_gflops = 2000, .memory_bandwidth = 1'000'000'000, .efficiency = 0.5};

TEST(ComputeTime, IsTheLargerOfFlopsAndBytes) {
  ModelLayer layer{.name = "a", .parameters = 0, .flops = 1e6, .output_bytes = 1};
  EXPECT_DOUBLE_EQ(compute_ps({kNpu}, layer, 1, Pass::kForward, 4, 1), 4e6);
  EXPECT_DOUBLE_EQ(compute_ps({kNpu}, layer, 1, Pass::kBackward, 4, 1), 8e6);
  EXPECT_DOUBLE_EQ(compute_ps({kNpu}, layer, 1, Pass::kForward, 4, 2), 2e6);
  layer.parameters = 500;      // 1000 B: 1 us
  layer.output_bytes = 5'000;  // bytes in, 3000, and out, of 4 samples: 32000 B
  EXPECT_DOUBLE_EQ(compute_ps({kNpu}, layer, 3'000, Pass::kForward, 4, 1), 33e6);
  EXPECT_DOUBLE_EQ(compute_ps({kNpu}, layer, 3'000, Pass::kBackward, 4, 2), 33e6);
}

TEST(ComputeTime, ARateStandsInPlaceOfTheRoofline) {
  const ModelLayer layer{.name = "a", .parameters = 500, .flops = 1e6, .output_bytes = 5'000};
  EXPECT_DOUBLE_EQ(compute_ps({kNpu, 1e13}, layer, 3'000, Pass::kForward, 4, 1), 4e5);
}

TEST(ComputeTime, TimesOfTheFileAreTakenAsTheyAre) {
  const ModelLayer layer{.name = "a",
                         .parameters = 500,
                         .flops = 1e6,
                         .output_bytes = 5'000,
                         .reduces = false,
                         .forward_ps = 0,
                         .backward_ps = 70};
  EXPECT_EQ(compute_ps({kNpu, 1e13}, layer, 3'000, Pass::kForward, 4, 2), 0);
  EXPECT_EQ(compute_ps({kNpu}, layer, 3'000, Pass::kBackward, 4, 2), 70);
}

// Heads dealt out one by one: the worker with the most heads determines the time and the memory of
// a layer.
TEST(ComputeTime, WhereHeadsDoNotDivideTheWorkerWithTheMostCounts) {
  for (std::uint64_t heads = 1; heads <= 30; ++heads) {
    for (int mp = 1; mp <= 24; ++mp) {
      std::vector<std::uint64_t> dealt(static_cast<std::size_t>(mp));
      for (std::uint64_t head = 0; head < heads; ++head) ++dealt[head % dealt.size()];
      const auto most = static_cast<double>(std::ranges::max(dealt));
      const ModelLayer layer{.name = "a",
                             .flops = 1e6 * static_cast<double>(heads),
                             .kept_bytes = 7,
                             .kept_split_bytes = 10 * heads,
                             .score_bytes = 100 * heads,
                             .heads = heads};
      EXPECT_DOUBLE_EQ(compute_ps({kNpu, 1e12}, layer, 0, Pass::kForward, 1, mp), 1e6 * most);
      EXPECT_DOUBLE_EQ(kept_bytes(layer, mp, Recompute::kNone), 7 + 110 * most);
      EXPECT_DOUBLE_EQ(kept_bytes(layer, mp, Recompute::kSelective), 7 + 10 * most);
      if (heads % dealt.size() == 0) {
        EXPECT_EQ(sharing_workers(layer, mp), mp);  // to the last bit
      }
    }
  }
}

TEST(ComputeTime, RatesAndEfficienciesAreRead) {
  EXPECT_EQ(parse_flop_rate("990 TFLOP/s", "x"), 990'000U);
  EXPECT_EQ(parse_flop_rate("10.1PFLOP/s", "x"), 10'100'000U);
  EXPECT_EQ(parse_flop_rate("1 GFLOP/s", "x"), 1U);
  EXPECT_EQ(parse_flop_rate("1e3PFLOP/s", "x"), 1'000'000'000U);
  EXPECT_EQ(parse_flop_rate("1.5E-3 PFLOP/s", "x"), 1'500U);
  for (const char* wrong : {"", "990", "0 TFLOP/s", "-1 TFLOP/s", "990 TB/s", "nan TFLOP/s", "1e3",
                            "1eTFLOP/s", "1e99 PFLOP/s", "99999999999 PFLOP/s"})
    EXPECT_THROW(parse_flop_rate(wrong, "x"), BadInput) << wrong;
  EXPECT_EQ(parse_efficiency("0.4", "x"), 0.4);
  EXPECT_EQ(parse_efficiency("1", "x"), 1);
  for (const char* wrong : {"", "0", "1.1", "-1", "50 %", "nan"})
    EXPECT_THROW(parse_efficiency(wrong, "x"), BadInput) << wrong;
}

}  // namespace
}  // namespace fredsim::test
