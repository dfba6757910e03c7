// SPDX-License-Identifier: Apache-2.0
// Rows of options: what each reads, refuses and states, and the whole table of `train`.
#include "results/option_row.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

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
  bool loud = false;
};

constexpr Where kHere = 1, kThere = 2;
constexpr auto kArray = std::to_array<OptionRow<Asked>>({
    rows::word<Asked, &Asked::inner, &Inner::colour>({.name = "--colour",
                                                      .value = "NAME",
                                                      .words = "red green",
                                                      .where = kHere,
                                                      .key = "colour"}),
    rows::number<Asked, &Asked::other, &Inner::count>(
        {.name = "--count", .value = "N", .max = 9, .key = "count"}),
    rows::text<Asked, &Asked::note>({.name = "--note", .value = "TEXT", .key = "note"}),
    rows::flag<Asked, &Asked::loud>({.name = "--loud", .key = "loud"}),
    rows::given<Asked>({.name = "--raw", .value = "TEXT"}),
});
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
