// SPDX-License-Identifier: Apache-2.0
#include "base/shell.h"

#include <gtest/gtest.h>

namespace fredsim {
namespace {

TEST(ShellQuoted, PlainWordsStayAsTheyAre) {
  for (const char* word : {"run", "--set", "switch.rtl_top=my_switch", "4:8,1", "a/b-c_d.e@f%+"}) {
    EXPECT_EQ(shell_quoted(word), word);
  }
}

TEST(ShellQuoted, OthersAreInSingleQuotes) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b;c"), "'a b;c'");
  EXPECT_EQ(shell_quoted("$HOME \"x\" `y` \\"), "'$HOME \"x\" `y` \\'");
  EXPECT_EQ(shell_quoted("o'neil dir"), R"('o'\''neil dir')");
}

}  // namespace
}  // namespace fredsim
