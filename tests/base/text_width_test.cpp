// SPDX-License-Identifier: Apache-2.0
#include "base/text_width.h"

#include <gtest/gtest.h>

#include <clocale>

namespace fredsim {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("plain"), 5U);
  EXPECT_EQ(display_width("µSwitch 2×3…"), 12U);
  EXPECT_EQ(display_width("晶圆"), 4U) << "two columns each";
  EXPECT_EQ(display_width("e\u0301"), 1U) << "an accent on the letter before";
  EXPECT_EQ(display_width("a\xff\xfe"), 3U) << "no UTF-8: a column per byte";
}

TEST(DisplayWidth, LeavesTheLocaleAsItWas) {
  ::uselocale(LC_GLOBAL_LOCALE);
  display_width("µ");
  EXPECT_EQ(::uselocale(nullptr), LC_GLOBAL_LOCALE);
}

TEST(BeginningOf, TakesWholeCharacters) {
  EXPECT_EQ(beginning_of("µµµ", 2), "µµ");
  EXPECT_EQ(beginning_of("a晶圆", 2), "a") << "half a character is none";
  EXPECT_EQ(beginning_of("short", 10), "short");
}

TEST(Wrap, BreaksAtBlanksAndKeepsWhatFits) {
  EXPECT_EQ(wrap("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrap("one two three", 8), "one two\nthree");
  EXPECT_EQ(wrap("one  two\n\nthree\n", 8), "one  two\n\nthree\n");
  EXPECT_EQ(wrap("", 5), "");
  EXPECT_EQ(wrap("µµ µµ", 5), "µµ µµ");
}

TEST(Wrap, WhatIsBrokenOffHasTheLinesIndentationAndMore) {
  EXPECT_EQ(wrap("  one two three", 9, 2), "  one two\n    three");
  EXPECT_EQ(wrap("  one two three four", 9, 2), "  one two\n    three\n    four");
}

TEST(Wrap, NoLineBeginsWithASign) {
  EXPECT_EQ(wrap("load 78.6 %, 5 % more", 10), "load\n78.6 %,\n5 % more");
  EXPECT_EQ(wrap("20 ns = 30 cycles", 6), "20\nns =\n30\ncycles");
  EXPECT_EQ(wrap("two × three", 6), "two ×\nthree");
}

TEST(Wrap, CutsAWordThatIsWiderThanTheLine) {
  EXPECT_EQ(wrap("abcdefghij", 4), "abcd\nefgh\nij");
  EXPECT_EQ(wrap("  abcdefgh", 6, 2), "  abcd\n    ef\n    gh");
  EXPECT_EQ(wrap("see abcdefghij", 4), "see\nabcd\nefgh\nij");
  EXPECT_EQ(wrap("晶圆", 1), "晶\n圆") << "no narrower than a character";
  EXPECT_EQ(wrap("    ", 2), "    ") << "nothing to break";
}

TEST(Printable, HasNoControlCharacters) { EXPECT_EQ(printable("a\x1b[1m\n\tµ"), "a?[1m??µ"); }
TEST(Printable, MessagesKeepTheirLines) {
  EXPECT_EQ(printable_lines("a\x1b[1m\n\tµ\x7f"), "a?[1m\n?µ?");
}

}  // namespace
}  // namespace fredsim
