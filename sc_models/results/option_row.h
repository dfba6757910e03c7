// SPDX-License-Identifier: Apache-2.0
// An option of a question as a row beside the member that it sets: from the row come its help and completion, the check of its value, the
// refusal where it means nothing, and its field in results.
//
// A table is a constexpr array of rows, one per option, in the order of the help. `Options` is what the rows fill; a row names its member
// by the path from there, such as word<&Question::training, &TrainingOptions::recompute>(…).
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/option_words.h"
#include "base/units.h"
#include "results/fields/field.h"

namespace fredsim {

// Headings of options in --help-all, the manual page and the reference.
namespace headings {
inline constexpr const char* kWork = "Work";
inline constexpr const char* kTraining = "Training";
inline constexpr const char* kInference = "Inference";
inline constexpr const char* kExperts = "Experts";
inline constexpr const char* kPlacement = "Placement";
inline constexpr const char* kSystems = "Systems";
inline constexpr const char* kNetwork = "Network search";
inline constexpr const char* kMachine = "Machine";
inline constexpr const char* kModel = "Model";
inline constexpr const char* kOutput = "Output";
inline constexpr const char* kWaves = "Waves";
inline constexpr const char* kLimits = "Limits";
inline constexpr const char* kHelp = "Help";
}  // namespace headings

// Kinds of questions, a bit each, as a table of rows has them.
using Where = unsigned;
inline constexpr Where kEverywhere = std::numeric_limits<Where>::max();

// Words and limits of an option.
struct OptionText {
  const char* name = "";  // "--recompute"
  const char* value{};    // "WHAT", as the help names it; none: a flag
  const char* heading = headings::kWork;
  std::string_view words{};  // values, blanks between them, in the order of the enumeration
  std::string_view offer{};  // words that shells offer; empty: all
  std::uint64_t min = 1, max = 0;
  const char* meaning = "";  // --help has its first sentence
  Where where = kEverywhere;
  std::string_view reason{};  // a further sentence of its refusal elsewhere
  Where stated_in = 0;        // kinds whose results have it; 0: the same
  // Field of results; an empty key: there is none. `type` where it does not follow from the member.
  std::string_view key{};
  std::optional<fields::Type> type{};
  std::string_view unit{}, says{}, appears{};
};

template <class Options>
struct OptionRow {
  using Json = nlohmann::ordered_json;
  OptionText text;
  // Checks a value that was given; none: it is read with others.
  void (*read)(const OptionText&, Options&, const std::string&) = nullptr;
  // Value in results: null, or discarded where there is no key.
  Json (*stated)(const OptionText&, const Options&) = nullptr;
};

// Values as they were given, by option; empty: it was not.
class OptionTexts {
 public:
  std::string& operator[](std::string_view option) {
    const auto found = texts_.find(option);
    return found != texts_.end() ? found->second : texts_[std::string(option)];
  }
  const std::string& operator[](std::string_view option) const {
    static const std::string none;
    const auto found = texts_.find(option);
    return found != texts_.end() ? found->second : none;
  }
  bool has(std::string_view option) const { return !(*this)[option].empty(); }

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

namespace rows {

template <class Value>
constexpr bool kIsOptional = false;
template <class Value>
constexpr bool kIsOptional<std::optional<Value>> = true;

// The member at the end of a path; what is optional on the way comes into being.
template <auto kFirst, auto... kRest, class Options>
constexpr auto& member_at(Options& options) {
  auto& next = options.*kFirst;
  if constexpr (sizeof...(kRest) == 0) {
    return next;
  } else if constexpr (kIsOptional<std::remove_cvref_t<decltype(next)>>) {
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(next)>>)
      if (!next) next.emplace();
    return member_at<kRest...>(*next);
  } else {
    return member_at<kRest...>(next);
  }
}

constexpr void complete(OptionText& text, fields::Type type) {
  if (text.key.empty() || text.type) return;
  if (text.where != kEverywhere && type.kind != fields::Kind::kTrue)
    type.null = fields::Null::kSometimes;
  text.type = type;
}

// A member that has a word for every value: an enumeration, a flag or a number from 0.
template <class Options, auto... kPath>
constexpr OptionRow<Options> word(OptionText text) {
  complete(text, fields::word(text.words));
  return {text,
          [](const OptionText& of, Options& options, const std::string& given) {
            auto& member = member_at<kPath...>(options);
            member = static_cast<std::remove_cvref_t<decltype(member)>>(
                parse_word(of.name, given, words_in(of.words)));
          },
          [](const OptionText& of, const Options& options) {
            const auto index = static_cast<std::size_t>(member_at<kPath...>(options));
            return nlohmann::ordered_json(words_in(of.words).at(index));
          }};
}

// A whole number from `min` to `max`.
template <class Options, auto... kPath>
constexpr OptionRow<Options> number(OptionText text) {
  complete(text, text.min > 0 ? fields::kPositive : fields::kCount);
  return {text,
          [](const OptionText& of, Options& options, const std::string& given) {
            auto& member = member_at<kPath...>(options);
            member = static_cast<std::remove_cvref_t<decltype(member)>>(
                parse_number(given, of.name, of.min, of.max));
          },
          [](const OptionText&, const Options& options) {
            return nlohmann::ordered_json(member_at<kPath...>(options));
          }};
}

// A text as it was given; empty: null.
template <class Options, auto... kPath>
constexpr OptionRow<Options> text(OptionText text) {
  complete(text, fields::kText);
  return {text,
          [](const OptionText&, Options& options, const std::string& given) {
            member_at<kPath...>(options) = given;
          },
          [](const OptionText&, const Options& options) {
            const std::string& member = member_at<kPath...>(options);
            return member.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(member);
          }};
}

// Results have it where it is true.
template <class Options, auto... kPath>
constexpr OptionRow<Options> flag(OptionText text) {
  complete(text, fields::kTrue);
  return {text,
          [](const OptionText&, Options& options, const std::string&) {
            member_at<kPath...>(options) = true;
          },
          [](const OptionText&, const Options& options) {
            return member_at<kPath...>(options)
                       ? nlohmann::ordered_json(true)
                       : nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded);
          }};
}

// Read with others, by the code that completes the options.
template <class Options>
constexpr OptionRow<Options> given(OptionText text) {
  return {text};
}

// Rows of several tables, one after the other.
template <class Options, std::size_t... kSizes>
constexpr auto join(const std::array<OptionRow<Options>, kSizes>&... tables) {
  std::array<OptionRow<Options>, (kSizes + ...)> all{};
  auto next = all.begin();
  ((next = std::copy(tables.begin(), tables.end(), next)), ...);
  return all;
}

}  // namespace rows

// Rows from one option to another, both included.
template <class Options>
constexpr std::span<const OptionRow<Options>> rows_between(std::span<const OptionRow<Options>> rows,
                                                           std::string_view first,
                                                           std::string_view last) {
  const auto at = [&](std::string_view name) {
    return std::ranges::find_if(
        rows, [&](const OptionRow<Options>& row) { return row.text.name == name; });
  };
  return {at(first), at(last) + 1};
}

template <class Options>
const OptionRow<Options>& row_of(std::span<const OptionRow<Options>> rows, std::string_view name) {
  return rows_between(rows, name, name).front();
}

// Reads what was given, in the order of the rows.
template <class Options>
void read_rows(std::span<const OptionRow<Options>> rows, const OptionTexts& texts,
               std::type_identity_t<Options>& options) {
  for (const OptionRow<Options>& row : rows)
    if (row.read != nullptr && texts.has(row.text.name))
      row.read(row.text, options, texts[row.text.name]);
}

// Value of an option in results, to a question of this kind.
template <class Options>
nlohmann::ordered_json stated(const OptionRow<Options>& row,
                              const std::type_identity_t<Options>& options, Where kind) {
  const Where where = row.text.stated_in != 0 ? row.text.stated_in : row.text.where;
  if ((where & kind) != 0) return row.stated(row.text, options);
  const bool is_left_out = row.text.type && row.text.type->kind == fields::Kind::kTrue;
  return is_left_out ? nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded)
                     : nlohmann::ordered_json();
}

// Text of the value in a table for programs; empty: nothing.
template <class Options>
std::string stated_text(const OptionRow<Options>& row, const std::type_identity_t<Options>& options,
                        Where kind) {
  const nlohmann::ordered_json value = stated(row, options, kind);
  if (value.is_null() || value.is_discarded()) return "";
  return value.is_string() ? value.template get<std::string>() : value.dump();
}

// Fields of results of the rows that have one; `kRows`: a span of them.
template <const auto& kRows>
constexpr auto fields_of() {
  constexpr auto kCount =
      std::ranges::count_if(kRows, [](const auto& row) { return !row.text.key.empty(); });
  std::array<fields::Field, static_cast<std::size_t>(kCount)> all{};
  auto next = all.begin();
  for (const auto& [text, read, stated] : kRows)
    if (!text.key.empty()) *next++ = {text.key, *text.type, text.unit, text.says, text.appears};
  return all;
}

}  // namespace fredsim
