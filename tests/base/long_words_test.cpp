// SPDX-License-Identifier: Apache-2.0
// Long words in messages.
#include "base/long_words.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace fredsim {
namespace {

TEST(LongWords, ShortMessagesStay) {
  for (const std::string_view message :
       {"", "--size: found '4 KiB'; allowed: a size", "a file's 'name' isn't there\n  second line",
        "NPUs 0,1,2"})
    EXPECT_EQ(with_short_words(message), message);
  const std::string list = "groups " + std::string(300, '1') + ",2-" + std::string(300, '3');
  EXPECT_EQ(with_short_words(list), list) << "a list of numbers";
  const std::string text = "it's " + std::string(150, '.') + " a long text " +
                           std::string(150, '.') + " of ours, isn't it";
  EXPECT_EQ(with_short_words(text), text);
}

TEST(LongWords, AreCut) {
  const std::string word(70'000, 'x');
  EXPECT_EQ(with_short_words("found '" + word + "'; allowed: 1"),
            "found '" + std::string(100, 'x') + "…'; allowed: 1");
  std::string sentence;
  for (int i = 0; i < 10'000; ++i) sentence += "word " + std::to_string(i) + ' ';
  EXPECT_EQ(with_short_words("found '" + sentence + "'; allowed: 1"),
            "found '" + sentence.substr(0, 100) + "…'; allowed: 1");
}

TEST(LongWords, OfACommandLineAreCutWhereverTheyStand) {
  std::string word;
  for (int i = 0; i < 10'000; ++i) word += std::to_string(i) + ", ";
  const std::vector<std::string_view> words{"run", word};
  const std::string part = word.substr(1000, 5000);
  const std::string cut = with_short_words("begin " + part + " end, and " + part + " again", words);
  EXPECT_LT(cut.size(), 400U);
  EXPECT_TRUE(cut.starts_with("begin " + part.substr(0, 50)));
  EXPECT_NE(cut.find(" end, and "), std::string::npos) << cut;
  EXPECT_TRUE(cut.ends_with(" again"));
}

TEST(LongWords, CharactersStayWhole) {
  std::string word = "a";
  for (int i = 0; i < 300; ++i) word += "ö";
  const std::string cut = with_short_words(word);
  EXPECT_EQ(cut, word.substr(0, 99) + "…");
}

}  // namespace
}  // namespace fredsim
