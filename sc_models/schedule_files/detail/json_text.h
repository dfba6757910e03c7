// SPDX-License-Identifier: Apache-2.0
// Values of a JSON file by their place, such as flows[2].share[0], which messages name.
//
// Errors: BadInput "FILE: flows[2].share[0]: found -1; allowed: 0 to 7".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "schedule_files/schedule_format.h"

namespace fredsim {

using PlainJson = nlohmann::json;

// Errors: BadInput with file and line, for a text that is no object of JSON.
PlainJson parse_json(const ScheduleText& file);

class JsonPlace {
 public:
  // Both must outlive it.
  JsonPlace(const std::string& file, const PlainJson& value) : file_(&file), value_(&value) {}

  const PlainJson& value() const { return *value_; }
  [[noreturn]] void fail(std::string_view key, const std::string& allowed) const;

  // Members of an object.
  void allow(std::initializer_list<std::string_view> keys) const;
  bool has(std::string_view key) const;
  JsonPlace at(std::string_view key) const;
  std::uint64_t number(std::string_view key, std::uint64_t min, std::uint64_t max) const {
    return at(key).number(min, max);
  }
  bool flag(std::string_view key) const { return at(key).flag(); }
  std::string text(std::string_view key) const { return at(key).text(); }
  std::vector<JsonPlace> list(std::string_view key) const { return at(key).list(); }

  // The value itself.
  std::uint64_t number(std::uint64_t min, std::uint64_t max) const;
  bool flag() const;
  std::string text() const;
  std::vector<JsonPlace> list() const;
  auto parsed(const auto& parse) const {
    try {
      return parse(text());
    } catch (const BadInput& error) {
      throw BadInput(place("") + ": " + error.what());
    }
  }

 private:
  JsonPlace(const std::string& file, const PlainJson& value, std::string path)
      : file_(&file), value_(&value), path_(std::move(path)) {}
  std::string place(std::string_view key) const;

  const std::string* file_;
  const PlainJson* value_;
  std::string path_{};
};

}  // namespace fredsim
