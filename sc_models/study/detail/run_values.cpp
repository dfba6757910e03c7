// SPDX-License-Identifier: Apache-2.0
#include "study/detail/run_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "results/fields/document.h"
#include "results/fields/fabric.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;
using fields::Field;
using fields::Kind;
using fields::Many;
using fields::Object;

constexpr std::string_view kRuns = "runs";

// Keys that a row has already, or that are not the machine's doing.
constexpr auto kLeftOut = std::to_array<std::string_view>({"config", "seed", "skipped"});

template <class Fields>
bool is_among(const Fields& all, std::string_view key) {
  return std::ranges::find(all, key, &Field::key) != all.end();
}

bool is_left_out(const Field& field) {
  return is_among(fields::kDocumentFields, field.key) ||
         is_among(fields::kRunTailFields, field.key) ||
         std::ranges::find(kLeftOut, field.key) != kLeftOut.end();
}

enum class Shape : std::uint8_t { kNone, kScalar, kObject, kListOfRuns };

Shape shape_of(const Field& field) {
  if (is_left_out(field)) return Shape::kNone;
  if (field.type.kind == Kind::kObject) {
    if (field.type.many == Many::kOne) return Shape::kObject;
    return field.key == kRuns ? Shape::kListOfRuns : Shape::kNone;
  }
  if (field.type.many != Many::kOne) return Shape::kNone;
  switch (field.type.kind) {
    case Kind::kMembers:
    case Kind::kTexts:
    case Kind::kScalars:
    case Kind::kCauses:
    case Kind::kMachine:
      return Shape::kNone;
    default:
      return Shape::kScalar;
  }
}

void add_names(const Object& object, const std::string& prefix, std::vector<std::string>& names) {
  for (const Field& field : object.fields) {
    const std::string name = prefix + std::string(field.key);
    switch (shape_of(field)) {
      case Shape::kNone:
        break;
      case Shape::kScalar:
        names.push_back(name);
        break;
      case Shape::kObject:
        add_names(*field.type.object, name + ".", names);
        break;
      case Shape::kListOfRuns:
        add_names(*field.type.object, "", names);
        break;
    }
  }
}

class Values {
 public:
  explicit Values(const std::string& path) : path_(path) {}

  void add(const Object& object, const Json& json, const std::string& prefix) {
    check(json.is_object(), prefix, "an object");
    for (const Field& field : object.fields) {
      const auto found = json.find(std::string(field.key));
      if (found == json.end() || found->is_null()) continue;
      const std::string name = prefix + std::string(field.key);
      switch (shape_of(field)) {
        case Shape::kNone:
          break;
        case Shape::kScalar:
          check(found->is_primitive(), name, "a single value");
          values_[name] = *found;
          break;
        case Shape::kObject:
          add(*field.type.object, *found, name + ".");
          break;
        case Shape::kListOfRuns:
          check(found->is_array() && !found->empty(), name, "a list of runs");
          if (found->size() == 1) add(*field.type.object, found->front(), "");
          break;
      }
    }
  }
  Json take() { return std::move(values_); }

 private:
  void check(bool good, const std::string& key, std::string_view allowed) const {
    if (good) return;
    throw BadInput(fmt::format("{}: {}: found something else; allowed: {}, as fredsim writes it",
                               path_, key.empty() ? "the file" : key, allowed));
  }

  const std::string& path_;
  Json values_ = Json::object();
};

}  // namespace

std::vector<std::string> run_value_names(const fields::Object& document) {
  std::vector<std::string> names;
  add_names(document, "", names);
  return names;
}

Json run_values(const fields::Object& document, const Json& json, const std::string& path) {
  Values values(path);
  values.add(document, json, "");
  return values.take();
}

}  // namespace fredsim
