// SPDX-License-Identifier: Apache-2.0
// Fields of the results JSON: each key once, with its type, unit, meaning and condition.
//
// An Object is a table of fields; fields/*.h have one per object that a command writes. Made from
// them: the JSON itself (results/json_object.h takes no other keys), its schema (results/schema.h),
// the reference page (results/reference.h) and what `fredsim report` checks in the files that it
// reads.
// Errors: a Key that its object does not have does not compile.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

namespace fredsim::fields {

enum class Kind : std::uint8_t {
  kText,
  kWord,     // one of `words`, a space between them
  kPayload,  // "exact", "incomplete" of interrupted runs, or "not carried" of flows
  kPattern,  // a text that the regular expression `words` describes
  kCount,    // an integer, 0 or more
  kPositive,
  kSeveral,  // an integer, 2 or more
  kNumber,   // 0 or more
  kFlag,     // true or false
  kTrue,     // true; otherwise left out
  kSchema,   // kResultsSchema of results/document.h
  kCommand,  // a command line
  kMembers,  // a list of NPUs by number and I/O controllers by name
  kObject,
  kTexts,    // an object with texts under names that are in no table
  kScalars,  // and one with numbers, flags and texts
  kCauses,   // cycles by cause, `words`; non-zero causes only
  kMachine   // a machine file, with every key that its fabric type has
};

// kOwn: only in runs of a testbench with NPUs of its own (engine/measurement.h); kInterrupted: only
// in interrupted runs
enum class Null : std::uint8_t { kNever, kOwn, kInterrupted, kOwnOrInterrupted, kSometimes };

// kFilled: a list that is empty in interrupted runs only
enum class Many : std::uint8_t { kOne, kList, kFilled };

struct Object;

struct Type {
  Kind kind = Kind::kText;
  std::string_view words{};
  const Object* object = nullptr;
  Many many = Many::kOne;
  Null null = Null::kNever;
};

struct Field {
  std::string_view key;
  Type type;
  std::string_view unit;  // empty: none
  std::string_view meaning;
  std::string_view appears = {};  // empty: always
};

// Object of the JSON; `name`: name of its definition in the schema.
struct Object {
  std::string_view name;
  std::string_view meaning;
  std::span<const Field> fields;
};

inline constexpr Type kText{Kind::kText};
inline constexpr Type kCount{Kind::kCount};
inline constexpr Type kPositive{Kind::kPositive};
inline constexpr Type kNumber{Kind::kNumber};
inline constexpr Type kFlag{Kind::kFlag};
inline constexpr Type kTrue{Kind::kTrue};

// Units of fields.
inline constexpr std::string_view kNone, kCycles = "cycles", kNs = "ns", kBytes = "bytes",
                                         kFlits = "flits", kGbps = "GB/s", kGhz = "GHz";

// Conditions under which fields appear.
inline constexpr std::string_view kWhenInterrupted = "in interrupted runs";

constexpr Type word(std::string_view words) { return {Kind::kWord, words}; }
constexpr Type pattern(std::string_view expression) { return {Kind::kPattern, expression}; }
constexpr Type object(const Object& object) { return {Kind::kObject, {}, &object}; }
constexpr Type list(Type of, Many many = Many::kList) {
  of.many = many;
  return of;
}
constexpr Type or_null(Type type, Null null = Null::kSometimes) {
  type.null = null;
  return type;
}

// Concatenates the fields of several tables.
template <std::size_t... kSizes>
constexpr auto join(const std::array<Field, kSizes>&... tables) {
  std::array<Field, (kSizes + ...)> all{};
  auto next = all.begin();
  ((next = std::copy(tables.begin(), tables.end(), next)), ...);
  return all;
}

constexpr bool has_field(const Object& object, std::string_view key) {
  return std::ranges::any_of(object.fields, [&](const Field& field) { return field.key == key; });
}

// A key of kObject, from its text.
template <const Object& kObject>
class Key {
 public:
  // No comparison with null, which is no constant expression of GCC 12 with -fsanitize=undefined.
  consteval Key(const char* text) {  // NOLINT: on purpose
    for (const Field& field : kObject.fields) {
      if (field.key != text) continue;
      field_ = &field;
      return;
    }
    throw std::logic_error("no key of the object");
  }
  constexpr const Field& field() const { return *field_; }

 private:
  const Field* field_ = nullptr;
};

}  // namespace fredsim::fields
