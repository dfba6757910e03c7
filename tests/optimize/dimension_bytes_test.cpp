// SPDX-License-Identifier: Apache-2.0
// Bytes of collectives by dimension: groups by counting NPU positions, sums by the minimum that an
// algorithm of any kind sends.
#include "optimize/detail/dimension_bytes.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "base/error.h"

namespace fredsim::test {
namespace {

// Places of the span's first group in each dimension, counted.
std::vector<int> counted(const std::vector<int>& sizes, const GroupSpan& span) {
  std::vector<int> extents;
  int below = 1;
  for (const int size : sizes) {
    std::set<int> places;
    for (int i = 0; i < span.size; ++i) places.insert(i * span.stride / below % size);
    extents.push_back(static_cast<int>(places.size()));
    below *= size;
  }
  return extents;
}

TEST(DimensionBytes, FindsThePlacesOfAllGroupsThatAreBoxes) {
  const std::vector<int> sizes{4, 6, 8};
  int boxes = 0, refused = 0;
  for (int size = 1; size <= 192; ++size) {
    for (int stride = 1; stride * size <= 192; ++stride) {
      const GroupSpan span{.size = size, .stride = stride};
      const std::vector<int> expected = counted(sizes, span);
      const bool is_box =
          std::accumulate(expected.begin(), expected.end(), 1, std::multiplies<>()) == size;
      try {
        EXPECT_EQ(group_extents(sizes, span, "test"), expected) << size << " by " << stride;
        EXPECT_TRUE(is_box) << size << " by " << stride;
        ++boxes;
      } catch (const BadInput&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(boxes, 40);
  EXPECT_GT(refused, 50);
  EXPECT_EQ(group_extents({8, 128}, {.size = 16}, "test"), (std::vector{8, 2}));
  EXPECT_EQ(group_extents({8, 128}, {.size = 64, .stride = 16}, "test"), (std::vector{1, 64}));
  EXPECT_EQ(group_extents({8, 8, 16}, {.size = 64, .stride = 16}, "test"), (std::vector{1, 4, 16}));
}

TEST(DimensionBytes, SumsUpToWhatARingOverAllSends) {
  const std::vector<int> extents{4, 1, 8};
  const auto sum = [&](Collective collective) {
    const std::vector<double> sent = dimension_bytes(collective, 3200, extents, "test");
    return std::accumulate(sent.begin(), sent.end(), 0.0);
  };
  EXPECT_DOUBLE_EQ(sum(Collective::kAllReduce), 2.0 * 3200 * 31 / 32);
  EXPECT_DOUBLE_EQ(sum(Collective::kReduceScatter), 3200.0 * 31 / 32);
  EXPECT_DOUBLE_EQ(sum(Collective::kAllGather), 3200.0 * 31);
  EXPECT_EQ(dimension_bytes(Collective::kAllReduce, 3200, extents, "test"),
            (std::vector<double>{2 * 2400, 0, 2 * 700}));
  EXPECT_EQ(dimension_bytes(Collective::kAllGather, 100, extents, "test"),
            (std::vector<double>{2400, 0, 700}));
  EXPECT_EQ(dimension_bytes(Collective::kAllToAll, 3200, extents, "test"),
            (std::vector<double>{2400, 0, 2800}));
  EXPECT_THROW(dimension_bytes(Collective::kBroadcast, 1, extents, "test"), BadInput);
}

}  // namespace
}  // namespace fredsim::test
