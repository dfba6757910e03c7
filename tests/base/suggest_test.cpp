// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

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

using Words = std::vector<std::string_view>;

const Words kKeys = {"width", "height", "link_latency"};

TEST(Suggest, NearestWord) {
  EXPECT_EQ(nearest_word("hight", kKeys), "height");
  EXPECT_EQ(nearest_word("link_latncy", kKeys), "link_latency");
  EXPECT_EQ(nearest_word("colour", kKeys), "");
  EXPECT_EQ(nearest_word("", kKeys), "");
  EXPECT_EQ(nearest_word("-", kKeys), "");
  EXPECT_EQ(nearest_word(std::string(10'000, 'w'), kKeys), "");
}

TEST(Suggest, CaseAndSeparatorsAreNoDifference) {
  EXPECT_EQ(nearest_word("AllReduce", Words{"reduce", "all_reduce"}), "all_reduce");
  EXPECT_EQ(nearest_word("--Link-Latency", kKeys), "link_latency");
  EXPECT_EQ(nearest_word("fred_D", Words{"fred_b", "fred_d"}), "fred_d");
}

TEST(Suggest, PartsOfAWord) {
  EXPECT_EQ(nearest_word("latency", kKeys), "link_latency");
  EXPECT_EQ(nearest_word("mesh", Words{"torus2d", "mesh2d"}), "mesh2d");
  EXPECT_EQ(nearest_word("injection-rate", Words{"--seed", "--rate"}), "--rate");
  EXPECT_EQ(nearest_word("li", kKeys), "") << "two letters begin too many words";
}

// Any two words of two letters are near each other.
TEST(Suggest, ShortWordsAreNotNear) {
  EXPECT_EQ(nearest_word("xp", Words{"mp", "dp", "pp"}), "");
  EXPECT_EQ(nearest_word("MP", Words{"mp", "dp", "pp"}), "mp");
}

TEST(Suggest, NamesOfOthers) {
  const std::array aliases = {Alias{"width", "columns cols"}, Alias{"depth", "layers"}};
  EXPECT_EQ(nearest_word("Columns", kKeys, aliases), "width");
  EXPECT_EQ(nearest_word("layers", kKeys, aliases), "") << "of a word that is not allowed here";
  EXPECT_EQ(same_word("cols", kKeys, aliases), "width");
  EXPECT_EQ(same_word("hight", kKeys, aliases), "");
}

TEST(Suggest, AdviceIsTheNearestWordOrTheList) {
  EXPECT_EQ(advice("hight", kKeys), "did you mean 'height'?");
  EXPECT_EQ(advice("colour", kKeys), "allowed: width, height or link_latency");
  EXPECT_EQ(advice("colour", kKeys, {.last = "and"}), "allowed: width, height and link_latency");
  EXPECT_EQ(advice("x", Words{}, {.none = "none"}), "allowed: none");
}

TEST(Suggest, ListsTakeALine) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("machine_" + std::to_string(i));
  const Words words(names.begin(), names.end());
  const std::string list = list_words(words, "or", "fredsim info --machines");
  EXPECT_EQ(list, "machine_0, machine_1, machine_2 … (97 more: fredsim info --machines)");
  for (std::size_t n = 1; n < words.size(); ++n)
    EXPECT_LE(list_words(std::span(words).first(n)).size(), 72U) << n;
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
