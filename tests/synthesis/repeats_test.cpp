// SPDX-License-Identifier: Apache-2.0
#include "synthesis/detail/repeats.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace fredsim {
namespace {

constexpr int kTokens = 10;

std::vector<int> unfolded(const RepeatFolder& folder, const std::vector<int>& folded) {
  std::vector<int> all;
  for (const int symbol : folded) {
    if (symbol < kTokens) {
      all.push_back(symbol);
      continue;
    }
    const TraceRepeat repeat = folder.repeats()[static_cast<std::size_t>(symbol - kTokens)];
    const std::vector<int> body =
        unfolded(folder, folder.blocks()[static_cast<std::size_t>(repeat.block)]);
    for (int n = 0; n < repeat.count; ++n) all.insert(all.end(), body.begin(), body.end());
  }
  return all;
}

TEST(Repeats, AreTheLongestFirst) {
  RepeatFolder folder(kTokens);
  // 9, then three times (1 2 1 2 3), then 8
  const std::vector<int> sequence{9, 1, 2, 1, 2, 3, 1, 2, 1, 2, 3, 1, 2, 1, 2, 3, 8};
  EXPECT_EQ(folder.fold(sequence), (std::vector<int>{9, kTokens + 1, 8}));
  EXPECT_EQ(folder.repeats(), (std::vector<TraceRepeat>{{0, 2}, {1, 3}}));
  EXPECT_EQ(folder.blocks(), (std::vector<std::vector<int>>{{1, 2}, {kTokens, 3}}));
}

TEST(Repeats, EqualBlocksOfTwoSequencesAreOne) {
  RepeatFolder folder(kTokens);
  EXPECT_EQ(folder.fold({1, 2, 1, 2}), folder.fold({1, 2, 1, 2}));
  EXPECT_NE(folder.fold({1, 2, 1, 2}), folder.fold({1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(folder.blocks().size(), 1U);
}

TEST(Repeats, UnfoldToTheSequence) {
  Random random(7);
  for (int n = 0; n < 300; ++n) {
    std::vector<int> sequence;
    const auto kinds = 1 + random.below(4);
    for (auto length = random.below(60); length > 0; --length)
      sequence.push_back(static_cast<int>(random.below(kinds)));
    RepeatFolder folder(kTokens);
    EXPECT_EQ(unfolded(folder, folder.fold(sequence)), sequence);
  }
}

}  // namespace
}  // namespace fredsim
