// SPDX-License-Identifier: Apache-2.0
// Rows of options: input, refusals and statements of each, and the whole table of `train`.
#include "results/option_row.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/fields/training.h"
#include "workload/training_rows.h"

namespace fredsim {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen };
struct Inner {
  Colour colour = Colour::kRed;
  int count = 2;
};
struct Asked {
  Inner inner;
  std::optional<Inner> other;
  std::string note;
  bool loud = false, fast = true;
  std::vector<int> numbers;
  std::string named;
  std::int8_t small = 1;
};

int doubled(const std::string& text) { return 2 * std::stoi(text); }
std::string behind(const std::string& text, const std::string& option) { return option + text; }

constexpr Where kHere = 1, kThere = 2;
constexpr auto kArray = rows::under(
    headings::kOutput,
    rows::word<&Asked::inner, &Inner::colour>(
        "--colour", "NAME", "", {.words = "red green", .where = kHere, .key = "colour"}),
    rows::number<&Asked::other, &Inner::count>("--count", "N", "", {.max = 9, .key = "count"}),
    rows::text<&Asked::note>("--note", "TEXT", "", {.key = "note"}),
    rows::flag<&Asked::loud>("--loud", "", {.only_exact = "flows are silent", .key = "loud"}),
    rows::flag<&Asked::fast>("--slow", ""), rows::given<Asked>("--raw", "TEXT", ""),
    rows::parsed<doubled, &Asked::numbers>("--double", "N", "", {.most = kAnyNumber}),
    rows::parsed<behind, &Asked::named>("--named", "TEXT", "", {.initial = "none"}),
    rows::number<&Asked::small>("--small", "N", "",
                                {.initial = "7", .needs = "--raw", .allowed = "with it"}));
constexpr std::span<const OptionRow<Asked>> kRows = kArray;

std::string refusal(const char* option, const char* value) {
  OptionTexts texts;
  texts[option] = value;
  Asked asked;
  try {
    read_rows(kRows, texts, asked);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(OptionRow, ReadsWhatWasGivenAndLeavesTheRest) {
  OptionTexts texts;
  texts["--colour"] = "green";
  texts["--count"] = "7";
  texts["--raw"] = "x";
  Asked asked;
  read_rows(kRows, texts, asked);
  EXPECT_EQ(asked.inner.colour, Colour::kGreen);
  EXPECT_EQ(asked.inner.count, 2);
  ASSERT_TRUE(asked.other.has_value());
  EXPECT_EQ(asked.other->count, 7);
  EXPECT_EQ(asked.note, "");
  EXPECT_FALSE(asked.loud);
}

TEST(OptionRow, RefusesOtherWordsAndNumbers) {
  EXPECT_EQ(refusal("--colour", "gren"), "--colour: found 'gren'; did you mean 'green'?");
  EXPECT_NE(refusal("--count", "10").find("--count"), std::string::npos);
  EXPECT_NE(refusal("--count", "0").find("--count"), std::string::npos);
  EXPECT_EQ(refusal("--count", "9"), "");
}

TEST(OptionRow, ReadsDefaultsListsAndFlagsEitherWay) {
  OptionTexts texts;
  texts.list("--double") = {"1", "3"};
  texts["--slow"] = "true";
  Asked asked;
  read_rows(kRows, texts, asked);
  EXPECT_EQ(asked.numbers, (std::vector<int>{2, 6}));
  EXPECT_FALSE(asked.fast);
  EXPECT_EQ(asked.named, "--namednone");
  EXPECT_EQ(asked.small, 7);
  texts["--named"] = "";  // given, and empty: read where there is a default
  read_rows(kRows, texts, asked);
  EXPECT_EQ(asked.named, "--named");
  EXPECT_EQ(texts.of({"--double"}).list("--double").size(), 2U);
  EXPECT_FALSE(texts.of({"--double"}).has("--slow"));
}

TEST(OptionRow, RefusesWhatItNeedsAndWhatAMemberCannotHold) {
  EXPECT_EQ(refusal("--small", "5"), "--small: found '5' without --raw; allowed: with it");
  OptionTexts texts;
  texts["--raw"] = "x";
  texts["--small"] = "128";
  Asked asked;
  EXPECT_THROW(read_rows(kRows, texts, asked), BadInput);
  texts["--small"] = "127";
  read_rows(kRows, texts, asked);
  EXPECT_EQ(asked.small, 127);
}

TEST(OptionRow, RefusesWithFlowsWhatDiffersFromItsDefault) {
  OptionTexts texts;
  texts["--note"] = "x";
  EXPECT_NO_THROW(refuse_with_flows(kRows, texts));
  texts["--loud"] = "true";
  try {
    refuse_with_flows(kRows, texts);
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_STREQ(
        error.what(),
        "--loud: found with --engine flow; allowed: --engine exact, since flows are silent");
  }
  texts["--named"] = "none";
  texts["--colour"] = "red";
  EXPECT_FALSE(differs(row_of(kRows, "--named").text, texts));
  EXPECT_FALSE(differs(row_of(kRows, "--colour").text, texts));
  texts["--colour"] = "green";
  EXPECT_TRUE(differs(row_of(kRows, "--colour").text, texts));
  EXPECT_STREQ(row_of(kRows, "--raw").text.heading, headings::kOutput);
}

TEST(OptionRow, StatesItsValueWhereItBelongs) {
  Asked asked;
  asked.other.emplace();
  const auto& colour = row_of(kRows, "--colour");
  EXPECT_EQ(stated(colour, asked, kHere), "red");
  EXPECT_TRUE(stated(colour, asked, kThere).is_null());
  EXPECT_EQ(stated_text(colour, asked, kThere), "");
  EXPECT_EQ(stated_text(row_of(kRows, "--count"), asked, kThere), "2");
  EXPECT_TRUE(stated(row_of(kRows, "--note"), asked, kHere).is_null());
  EXPECT_TRUE(stated(row_of(kRows, "--loud"), asked, kHere).is_discarded());
  asked.loud = true;
  EXPECT_EQ(stated(row_of(kRows, "--loud"), asked, kHere), true);
}

TEST(OptionRow, FieldsFollowFromTheMembers) {
  constexpr auto kFields = fields_of<kRows>();
  ASSERT_EQ(kFields.size(), 4U) << "--raw has none";
  EXPECT_EQ(kFields[0].type.kind, fields::Kind::kWord);
  EXPECT_EQ(kFields[0].type.null, fields::Null::kSometimes) << "it is not everywhere";
  EXPECT_EQ(kFields[1].type.kind, fields::Kind::kPositive);
  EXPECT_EQ(kFields[1].type.null, fields::Null::kNever);
  EXPECT_EQ(kFields[3].type.kind, fields::Kind::kTrue);
}

// Every value that a row of `train` offers by its words is read, and stated as it was given.
TEST(OptionRow, WordsOfTrainingAreStatedAsGiven) {
  std::set<std::string> names;
  for (const auto& row : kTrainingRows) {
    EXPECT_TRUE(names.insert(row.text.name).second) << row.text.name;
    EXPECT_STRNE(row.text.meaning, "") << row.text.name;
    if (row.text.words.empty()) continue;
    for (const std::string_view word : words_in(row.text.words)) {
      TrainingQuestion asked;
      asked.inference.emplace();
      row.read(row.text, asked, std::string(word));
      const auto value = row.stated(row.text, asked);
      if (value.is_discarded()) continue;  // a default that results leave out
      EXPECT_EQ(value, word) << row.text.name;
      if (!row.text.key.empty()) {
        EXPECT_NE(row.text.type->words.find(word), std::string_view::npos) << row.text.name;
      }
    }
    TrainingQuestion asked;
    asked.inference.emplace();
    EXPECT_THROW(row.read(row.text, asked, "no such word"), BadInput) << row.text.name;
  }
}

// The results of a training run have a field for every row with a key.
TEST(OptionRow, EveryKeyOfTrainingIsAFieldOfResults) {
  for (const auto& row : kTrainingRows) {
    if (row.text.key.empty()) continue;
    EXPECT_TRUE(fields::has_field(fields::kTrainingRun, row.text.key) ||
                fields::has_field(fields::kInference, row.text.key))
        << row.text.key << ": it is behind the ranges of report/fields/training.h";
  }
}

}  // namespace
}  // namespace fredsim
