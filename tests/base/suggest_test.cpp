// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.h"

#include <gtest/gtest.h>

#include <array>

namespace fredsim {
namespace {

TEST(Suggest, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("width", "width"), 0);
  EXPECT_EQ(edit_distance("Width", "wIDTH"), 0);
  EXPECT_EQ(edit_distance("widht", "width"), 1);  // neighbours swapped
  EXPECT_EQ(edit_distance("wdth", "width"), 1);
  EXPECT_EQ(edit_distance("widdth", "width"), 1);
  EXPECT_EQ(edit_distance("wadth", "width"), 1);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Suggest, DidYouMean) {
  constexpr std::array<std::string_view, 3> kKeys = {"width", "height", "link_latency"};
  EXPECT_EQ(did_you_mean("hight", kKeys), "; did you mean 'height'?");
  EXPECT_EQ(did_you_mean("link_latncy", kKeys), "; did you mean 'link_latency'?");
  EXPECT_EQ(did_you_mean("colour", kKeys), "");
  EXPECT_EQ(did_you_mean(std::string(10'000, 'w'), kKeys), "");
}

TEST(Suggest, JoinWords) {
  constexpr std::array<std::string_view, 3> kWords = {"a", "b", "c"};
  EXPECT_EQ(join_words(kWords), "a, b or c");
  EXPECT_EQ(join_words(std::span(kWords).first(2), "and"), "a and b");
  EXPECT_EQ(join_words(std::span(kWords).first(1)), "a");
  EXPECT_EQ(join_words({}), "");
}

}  // namespace
}  // namespace fredsim
