// SPDX-License-Identifier: Apache-2.0
#include "results/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "results/document.h"
#include "results/fields/run.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;
using fields::Field;
using fields::Kind;
using fields::Many;
using fields::Null;
using fields::Object;
using fields::Type;

Json json_words(std::string_view words) {
  Json list = Json::array();
  std::istringstream stream{std::string(words)};
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

Json at_least(const char* type, int min) { return {{"type", type}, {"minimum", min}}; }

Json reference(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

// Null appears there only for a testbench's own NPUs, in the object or in its members.
bool has_own_form(const Object& object) {
  return std::ranges::any_of(object.fields, [](const Field& field) {
    return field.type.null == Null::kOwn || field.type.null == Null::kOwnOrInterrupted ||
           (field.type.object != nullptr && has_own_form(*field.type.object));
  });
}

std::string name_of(const Object& object, bool is_own) {
  if (!is_own || !has_own_form(object)) return std::string(object.name);
  return &object == &fields::kRunDocument ? "own" : fmt::format("own_{}", object.name);
}

Json members() {
  return {{"type", "array"},
          {"items",
           {{"anyOf", Json::array({at_least("integer", 0),
                                   Json{{"type", "string"}, {"pattern", "^io[0-9]+$"}}})}}}};
}

Json one(const Type& type, bool is_own) {
  switch (type.kind) {
    case Kind::kText:
      return {{"type", "string"}};
    case Kind::kWord:
      return {{"enum", json_words(type.words)}};
    case Kind::kPayload:
      return {{"enum", {"exact", "incomplete", "not carried"}}};
    case Kind::kPattern:
      return {{"type", "string"}, {"pattern", type.words}};
    case Kind::kCount:
      return at_least("integer", 0);
    case Kind::kPositive:
      return at_least("integer", 1);
    case Kind::kSeveral:
      return at_least("integer", 2);
    case Kind::kNumber:
      return at_least("number", 0);
    case Kind::kFlag:
      return {{"type", "boolean"}};
    case Kind::kTrue:
      return {{"const", true}};
    case Kind::kSchema:
      return {{"const", kResultsSchema}};
    case Kind::kCommand:
      return {{"type", "string"}, {"pattern", is_own ? "^(?!fredsim )" : "^fredsim "}};
    case Kind::kMembers:
      return members();
    case Kind::kObject:
      return reference(name_of(*type.object, is_own));
    case Kind::kTexts:
      return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    case Kind::kScalars:
      return {{"type", "object"},
              {"additionalProperties", {{"type", {"number", "boolean", "string"}}}}};
    case Kind::kCauses:
      return {{"type", "object"},
              {"propertyNames", {{"enum", json_words(type.words)}}},
              {"additionalProperties", at_least("integer", 1)}};
    case Kind::kMachine:
      return reference("machine");
  }
  return {};
}

Json property(const Field& field, bool is_own) {
  Json json = one(field.type, is_own);
  if (field.type.many != Many::kOne) json = {{"type", "array"}, {"items", std::move(json)}};
  const bool is_null = field.type.null != Null::kNever && (field.type.null != Null::kOwn || is_own);
  if (is_null) json = {{"anyOf", Json::array({std::move(json), Json{{"type", "null"}}})}};
  json["description"] = field.unit.empty() ? std::string(field.meaning)
                                           : fmt::format("{} [{}]", field.meaning, field.unit);
  return json;
}

// Adds the conditions of an interrupted run: its additional keys, and the keys that only it may
// lack.
void add_interruption(const Object& object, bool is_own, Json& json) {
  if (!fields::has_field(object, "incomplete")) return;
  Json interrupted = Json::object();
  Json complete = Json::object();
  Json required = Json::array();
  for (const Field& field : object.fields) {
    const std::string key(field.key);
    const bool is_filled = field.type.null == Null::kInterrupted ||
                           (field.type.null == Null::kOwnOrInterrupted && !is_own);
    if (field.appears == fields::kWhenInterrupted) {
      required.push_back(key);
      complete[key] = false;
    }
    if (is_filled) complete[key] = {{"not", {{"type", "null"}}}};
    if (field.type.many == Many::kFilled) complete[key] = {{"minItems", 1}};
    if (field.type.kind == Kind::kPayload && !is_own) {
      interrupted[key] = {{"const", "incomplete"}};
      complete[key] = {{"enum", {"exact", "not carried"}}};
    }
  }
  json["if"] = {{"required", Json::array({"incomplete"})}};
  json["then"] = {{"properties", std::move(interrupted)}, {"required", std::move(required)}};
  json["else"] = {{"properties", std::move(complete)}};
}

// Adds the definition of an object and of every object in it.
void define(const Object& object, bool is_own, Json& definitions) {
  const std::string name = name_of(object, is_own);
  if (definitions.contains(name)) return;
  definitions[name] = Json();  // its place, before those of what is in it
  Json json = {{"description", object.meaning},
               {"type", "object"},
               {"properties", Json::object()},
               {"required", Json::array()}};
  for (const Field& field : object.fields) {
    json["properties"][std::string(field.key)] = property(field, is_own);
    if (field.appears.empty()) json["required"].push_back(field.key);
    if (field.type.object != nullptr) define(*field.type.object, is_own, definitions);
  }
  json["additionalProperties"] = false;
  add_interruption(object, is_own, json);
  definitions[name] = std::move(json);
}

}  // namespace

nlohmann::ordered_json results_schema(const nlohmann::ordered_json& machine,
                                      std::span<const Object* const> documents) {
  Json definitions = {{"machine", machine}};
  Json kinds = Json::array();
  for (const Object* document : documents) {
    for (const bool is_own : {false, true}) {
      if (is_own && !has_own_form(*document)) continue;
      define(*document, is_own, definitions);
      kinds.push_back(reference(name_of(*document, is_own)));
    }
  }
  definitions["own"]["description"] =
      "a testbench with NPUs of its own (sc_models/engine/measurement.h)";
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "Files of results that fredsim writes with --json"},
          {"description", "A kind of file per command; compare writes that of run."},
          {"anyOf", std::move(kinds)},
          {"$defs", std::move(definitions)}};
}

}  // namespace fredsim
