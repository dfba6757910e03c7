// SPDX-License-Identifier: Apache-2.0
// Option of a question as a row beside the member that it sets: the row defines its help and
// completion, the check of its value, its refusal for other kinds of questions, and its field in
// results.
//
// A table is a constexpr array of rows, one per option, in the order of the help:
//   rows::under(heading, row, …). `Options` is what the
// rows fill; a row names its member by the path from there, such as
//   word<&Question::training, &TrainingOptions::recompute>("--recompute", "WHAT", "what the help
//   says", {.words = "none full"}).
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"
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

// Words and limits of an option, or of an argument, whose name has no dashes.
struct OptionText {
  const char* name = "";     // "--recompute"
  const char* value{};       // placeholder in the help, "WHAT"; none: a flag
  const char* meaning = "";  // --help has its first sentence
  const char* heading = headings::kWork;
  std::string_view words{};         // values, blanks between them, in the order of the enumeration
  std::string_view offer{};         // words that shells offer; empty: all
  std::string (*more_words)(){};    // words that are known only at run time
  std::string (*more_meaning)(){};  // end of the meaning, known only at run time
  const char* initial = "";         // value that is read if none is given; empty: the member stays
  int least = 0;                    // minimum number of values
  int most = 0;                     // maximum number of values; 0: one
  std::uint64_t min = 1, max = std::numeric_limits<std::uint64_t>::max();
  const char* needs{};       // option that this one requires
  const char* allowed = "";  // the end of that message
  const char* only_exact{};  // reason why --engine flow has no such option
  Where where = kEverywhere;
  std::string_view reason{};  // a further sentence of its refusal elsewhere
  Where stated_in = 0;        // kinds whose results have it; 0: as `where`
  // Field of results; an empty key: there is none. `type` where it does not follow from the member.
  std::string_view key{};
  std::optional<fields::Type> type{};
  std::string_view unit{}, says{}, appears{};

  constexpr bool is_argument() const { return *name != '-'; }
  constexpr bool is_list() const { return most > 0; }
};
inline constexpr int kAnyNumber = std::numeric_limits<int>::max();

template <class Options>
struct OptionRow {
  using Json = nlohmann::ordered_json;
  OptionText text;
  // Checks a value that was given; none: the value is read together with other options.
  void (*read)(const OptionText&, Options&, const std::string&) = nullptr;
  // Value in results: null, or discarded where there is no key.
  Json (*stated)(const OptionText&, const Options&) = nullptr;
};

// Values as they were given, by option; empty: it was not.
class OptionTexts {
 public:
  std::string& operator[](std::string_view option) { return list(option, 1).front(); }
  const std::string& operator[](std::string_view option) const {
    static const std::string none;
    const std::vector<std::string>& all = list(option);
    return all.empty() ? none : all.front();
  }
  // Values of an option that may come several times.
  std::vector<std::string>& list(std::string_view option, std::size_t least = 0) {
    const auto found = texts_.find(option);
    auto& all = found != texts_.end() ? found->second : texts_[std::string(option)];
    if (all.size() < least) all.resize(least);
    return all;
  }
  const std::vector<std::string>& list(std::string_view option) const {
    static const std::vector<std::string> none;
    const auto found = texts_.find(option);
    return found != texts_.end() ? found->second : none;
  }
  bool has(std::string_view option) const { return !(*this)[option].empty(); }
  // Values of some options only.
  OptionTexts of(std::initializer_list<std::string_view> options) const {
    OptionTexts some;
    for (const std::string_view option : options) some.list(option) = list(option);
    return some;
  }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> texts_;
};

namespace rows {

template <class Value>
constexpr bool kIsOptional = false;
template <class Value>
constexpr bool kIsOptional<std::optional<Value>> = true;

// Member at the end of a path; optionals on the path are created.
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

// The class in which a path begins.
template <auto...>
struct BeginOf;
template <class Class, class Type, Type Class::*kFirst, auto... kRest>
struct BeginOf<kFirst, kRest...> {
  using type = Class;
};
template <auto... kPath>
using OptionsAt = typename BeginOf<kPath...>::type;

template <class Options>
constexpr OptionRow<Options> row(const char* name, const char* value, const char* meaning,
                                 OptionText rest) {
  rest.name = name;
  rest.value = value;
  rest.meaning = meaning;
  return {.text = rest};
}

constexpr void complete(OptionText& text, fields::Type type) {
  if (text.key.empty() || text.type) return;
  if (text.where != kEverywhere && type.kind != fields::Kind::kTrue)
    type.null = fields::Null::kSometimes;
  text.type = type;
}

// A member that has a word for every value: an enumeration, a flag or a number from 0.
template <auto... kPath>
constexpr auto word(const char* name, const char* value, const char* meaning, OptionText rest) {
  using Options = OptionsAt<kPath...>;
  OptionRow<Options> all = row<Options>(name, value, meaning, rest);
  complete(all.text, fields::word(rest.words));
  all.read = [](const OptionText& of, Options& options, const std::string& given) {
    auto& member = member_at<kPath...>(options);
    member = static_cast<std::remove_cvref_t<decltype(member)>>(
        parse_word(of.name, given, words_in(of.words)));
  };
  all.stated = [](const OptionText& of, const Options& options) {
    const auto index = static_cast<std::size_t>(member_at<kPath...>(options));
    return nlohmann::ordered_json(words_in(of.words).at(index));
  };
  return all;
}

// A whole number from `min` to `max`.
template <auto... kPath>
constexpr auto number(const char* name, const char* value, const char* meaning,
                      OptionText rest = {}) {
  using Options = OptionsAt<kPath...>;
  OptionRow<Options> all = row<Options>(name, value, meaning, rest);
  complete(all.text, rest.min > 0 ? fields::kPositive : fields::kCount);
  all.read = [](const OptionText& of, Options& options, const std::string& given) {
    auto& member = member_at<kPath...>(options);
    using Number = std::remove_cvref_t<decltype(member)>;
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
    member = static_cast<Number>(parse_number(given, of.name, of.min, std::min(of.max, kMax)));
  };
  all.stated = [](const OptionText&, const Options& options) {
    return nlohmann::ordered_json(member_at<kPath...>(options));
  };
  return all;
}

// A text as it was given, or several; an empty one: null.
template <auto... kPath>
constexpr auto text(const char* name, const char* value, const char* meaning,
                    OptionText rest = {}) {
  using Options = OptionsAt<kPath...>;
  OptionRow<Options> all = row<Options>(name, value, meaning, rest);
  complete(all.text, fields::kText);
  all.read = [](const OptionText&, Options& options, const std::string& given) {
    auto& member = member_at<kPath...>(options);
    if constexpr (requires {
                    member.push_back(given);
                    member.front() == given;
                  })
      member.push_back(given);
    else
      member = given;
  };
  all.stated = [](const OptionText&, const Options& options) {
    const auto& member = member_at<kPath...>(options);
    return member.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(member);
  };
  return all;
}

// Flag that changes the member from its default. Results have it where it is true.
template <auto... kPath>
constexpr auto flag(const char* name, const char* meaning, OptionText rest = {}) {
  using Options = OptionsAt<kPath...>;
  OptionRow<Options> all = row<Options>(name, nullptr, meaning, rest);
  complete(all.text, fields::kTrue);
  all.read = [](const OptionText&, Options& options, const std::string&) {
    const Options without{};
    member_at<kPath...>(options) = !member_at<kPath...>(without);
  };
  all.stated = [](const OptionText&, const Options& options) {
    return member_at<kPath...>(options)
               ? nlohmann::ordered_json(true)
               : nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded);
  };
  return all;
}

// A value by kParse(text) or kParse(text, option); a member that is a list gets one more.
template <auto kParse, auto... kPath>
constexpr auto parsed(const char* name, const char* value, const char* meaning,
                      OptionText rest = {}) {
  using Options = OptionsAt<kPath...>;
  OptionRow<Options> all = row<Options>(name, value, meaning, rest);
  all.read = [](const OptionText& of, Options& options, const std::string& given) {
    const auto value_of = [&] {
      if constexpr (std::is_invocable_v<decltype(kParse), const std::string&>)
        return kParse(given);
      else
        return kParse(given, of.name);
    };
    auto& member = member_at<kPath...>(options);
    if constexpr (requires { member.push_back(value_of()); })
      member.push_back(value_of());
    else
      member = value_of();
  };
  return all;
}

// Option read by a function, which sets several members.
template <class Options>
constexpr auto read_by(void (*read)(const OptionText&, Options&, const std::string&),
                       const char* name, const char* value, const char* meaning,
                       OptionText rest = {}) {
  OptionRow<Options> all = row<Options>(name, value, meaning, rest);
  all.read = read;
  return all;
}

// Option read together with others, by the code that completes the options.
template <class Options>
constexpr auto given(const char* name, const char* value, const char* meaning,
                     OptionText rest = {}) {
  return row<Options>(name, value, meaning, rest);
}

// A table, or a part of one, under one heading.
template <class First, class... Others>
constexpr auto under(const char* heading, First first, Others... others) {
  std::array<First, 1 + sizeof...(others)> all{first, others...};
  for (First& row : all) row.text.heading = heading;
  return all;
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

template <class Rows>
const auto& row_of(const Rows& rows, std::string_view name) {
  return *std::ranges::find_if(rows, [&](const auto& row) { return row.text.name == name; });
}

// Reads the given options, in the order of the rows, after the options that they need.
template <class Rows, class Options>
void read_rows(const Rows& rows, const OptionTexts& texts, Options& options) {
  for (const auto& row : rows)
    if (row.text.needs != nullptr && texts.has(row.text.name) && !texts.has(row.text.needs))
      throw BadInput(
          fmt::format("{}: found {} without {}; allowed: {}", row.text.name,
                      row.text.value == nullptr ? "it" : "'" + texts[row.text.name] + "'",
                      row.text.needs, row.text.allowed));
  for (const auto& [text, read, stated] : rows) {
    if (read == nullptr) continue;
    if (*text.initial != '\0' && texts.list(text.name).empty()) read(text, options, text.initial);
    for (const std::string& given : texts.list(text.name))
      if (!given.empty() || *text.initial != '\0') read(text, options, given);
  }
}

// True if an option was given, with another value than its default.
inline bool differs(const OptionText& option, const OptionTexts& texts) {
  const std::string_view initial =
      *option.initial != '\0' ? option.initial : option.words.substr(0, option.words.find(' '));
  return texts.has(option.name) && texts[option.name] != initial;
}

// Refuses options that flows do not support.
template <class Rows>
void refuse_with_flows(const Rows& rows, const OptionTexts& texts) {
  for (const auto& row : rows)
    if (row.text.only_exact != nullptr && differs(row.text, texts))
      throw BadInput(fmt::format("{}: found with --engine flow; allowed: --engine exact, since {}",
                                 row.text.name, row.text.only_exact));
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
