// SPDX-License-Identifier: Apache-2.0
// Object of the results JSON that accepts only keys of its table (results/fields/field.h), in the
// order in which they are set.
//
// Errors: a key that is missing in the table does not compile; for a key known only at run time
//   (set_named) it is a std::logic_error.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "results/fields/field.h"

namespace fredsim {

template <const fields::Object& kObject>
class JsonObject {
 public:
  using Json = nlohmann::ordered_json;
  using Key = fields::Key<kObject>;

  // A template, so that a nested list in braces, whose keys would not be checked, is not a value.
  struct Member {
    template <class T>
    Member(Key member_key, T&& member_value)
        : key(member_key), value(std::forward<T>(member_value)) {}
    Key key;
    Json value;
  };

  JsonObject() = default;
  JsonObject(std::initializer_list<Member> members) { add(members); }

  void add(std::initializer_list<Member> members) {
    for (const Member& member : members) place(member.key.field().key) = member.value;
  }
  // Adds every member of an object whose fields are a subset of the fields of this one.
  template <const fields::Object& kPart>
  void add(const JsonObject<kPart>& part) {
    static_assert(std::ranges::all_of(kPart.fields, [](const fields::Field& field) {
      return fields::has_field(kObject, field.key);
    }));
    json_.update(part.json());
  }
  template <class T>
  void set(Key key, T&& value) {
    place(key.field().key) = Json(std::forward<T>(value));
  }
  template <class T>
  void set_named(std::string_view key, T&& value) {
    if (!fields::has_field(kObject, key))
      throw std::logic_error(fmt::format("{} has no field {}", kObject.name, key));
    place(key) = Json(std::forward<T>(value));
  }

  const Json& json() const { return json_; }
  // Conversion to a value of another object or list.
  operator Json() const& { return json_; }         // NOLINT
  operator Json() && { return std::move(json_); }  // NOLINT

 private:
  Json& place(std::string_view key) { return json_[std::string(key)]; }

  Json json_ = Json::object();
};

}  // namespace fredsim
