// SPDX-License-Identifier: Apache-2.0
#include "config/machine_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/config_reader.h"
#include "config/config_schema.h"
#include "config/file_schema.h"
#include "topology/topology_kind.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOrAuto = "^( *[0-9.]+(e[+-]?[0-9]+)? *[A-Za-z/]+ *|auto)$";

enum class Use : std::uint8_t { kFile, kResults };

Json value_schema(const Key& key, Use use) {
  if (key.holds == Holds::kWord) return {{"enum", words_in(key.words)}};
  // YAML takes a value such as 0.5 for a number; results have every value as a text.
  Json json = {{"type", use == Use::kFile ? Json::array({"string", "number"}) : Json("string")}};
  if (key.holds != Holds::kValue) return json;
  json["pattern"] = key.counted_default.empty() ? kNumberAndUnit : kOrAuto;
  if (!key.words.empty()) json = {{"anyOf", {std::move(json), {{"enum", words_in(key.words)}}}}};
  return json;
}

Json integer_schema(const Key& key) {
  Json json = {{"type", "integer"}, {"minimum", key.from_zero ? 0 : 1}};
  if (key.path == "switch.phases_in_use" || key.path == "switch.adder_stages") json["maximum"] = 2;
  return json;
}

Json words_schema(const Key& key) {
  Json json = {{"type", "array"}, {"items", {{"type", "string"}}}};
  if (key.path == "faults") json["items"]["pattern"] = "^((link|switch):.+|(npu|io):[0-9]+)$";
  if (key.path != "switch.vc_order") return json;
  json["items"] = {{"enum", {"mp", "pp", "dp", "control"}}};
  json.update({{"minItems", 4}, {"maxItems", 4}, {"uniqueItems", true}});
  return json;
}

bool is_single_value(const Key& key) {
  return key.holds == Holds::kValue || key.holds == Holds::kText || key.holds == Holds::kWord;
}

// True if the key is required in a machine whose kind of topology has it.
bool is_required(const Key& key, Use use) {
  if (is_of_counted_npus(key.path)) return false;
  const bool is_always_there = !key.default_value.empty() || key.path == "switch.kind";
  if (is_always_there) return use == Use::kResults && key.parameter.empty() && !key.is_optional;
  return is_needed(key);
}

Json object_schema(std::string_view section, Use use);

Json key_schema(const Key& key, Use use) {
  Json json;
  switch (key.holds) {
    case Holds::kValue:
    case Holds::kText:
    case Holds::kWord:
      json = value_schema(key, use);
      break;
    case Holds::kKeys:
      json = object_schema(key.path, use);
      break;
    case Holds::kList:
      json = {{"type", "array"}, {"items", object_schema(key.path, use)}, {"minItems", 1}};
      break;
    case Holds::kWords:
      json = words_schema(key);
      break;
    case Holds::kInteger:
      json = integer_schema(key);
      break;
    case Holds::kNumber:
      json = {{"type", "number"}};
      break;
    case Holds::kOther:
      break;  // anything
    case Holds::kBoolean:
      json = {{"type", "boolean"}};
      break;
    case Holds::kNames:
      json = {{"type", "object"}, {"additionalProperties", {{"type", "integer"}, {"minimum", 0}}}};
      break;
    case Holds::kValues:
      json = {{"type", "object"}, {"additionalProperties", value_schema({}, use)}};
      break;
  }
  json["description"] = std::string(key.meaning);
  if (use == Use::kResults || key.default_value.empty()) return json;
  if (is_single_value(key)) json["default"] = std::string(key.default_value);
  if (key.holds == Holds::kInteger) json["default"] = std::stoi(std::string(key.default_value));
  return json;
}

// Properties that forbid these keys.
Json without(const std::vector<std::string_view>& names) {
  Json properties = Json::object();
  for (const std::string_view name : names) properties[std::string(name)] = false;
  return properties;
}

// Rule for the keys of a fabric of this kind beyond the common keys: required, replaceable by a
// list, or forbidden.
Json fabric_rule(const TopologyKind& kind, Use use) {
  std::vector<std::string_view> others, needed, replaced;
  std::string_view list;
  for (const Key& key : config_keys()) {
    if (parent(key.path) != "fabric" || key.kinds.empty()) continue;
    if (!key.is_of(kind)) {
      if (!find_key(key.path, &kind)->is_of(kind)) others.push_back(leaf(key.path));
    } else if (!key.instead.empty()) {
      replaced.push_back(leaf(key.path));
      list = leaf(key.instead);
    } else if (is_required(key, use)) {
      needed.push_back(leaf(key.path));
    }
  }
  Json rule = {{"properties", without(others)}, {"required", needed}};
  if (replaced.empty()) return rule;
  std::erase(needed, list);
  rule["required"] = needed;
  rule["if"] = {{"required", Json::array({list})}};
  rule["then"] = {{"properties", without(replaced)}};
  rule["else"] = {{"required", replaced}};
  return rule;
}

Json object_schema(std::string_view section, Use use) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Key& key : config_keys()) {
    if (parent(key.path) != section) continue;
    Json& property = properties[std::string(leaf(key.path))];
    // A path may name different keys in fabrics of different types.
    property = property.is_null() ? key_schema(key, use)
                                  : Json{{"anyOf", {property, key_schema(key, use)}}};
    const bool is_of_some = section == "fabric" && !key.kinds.empty();
    if (!is_of_some && is_required(key, use)) required.push_back(leaf(key.path));
  }
  Json json = {{"type", "object"},
               {"properties", std::move(properties)},
               {"required", std::move(required)},
               {"additionalProperties", false}};
  if (section != "fabric") return json;
  json["allOf"] = Json::array();
  for (const TopologyKind* kind : topology_kinds()) {
    json["allOf"].push_back({{"if", {{"properties", {{"type", {{"const", kind->name()}}}}}}},
                             {"then", fabric_rule(*kind, use)}});
  }
  return json;
}

// Rule for the keys that are required if the fabric does not count its NPUs.
Json counted_rule(Use use) {
  Json counting = Json::array();
  for (const TopologyKind* kind : topology_kinds())
    if (kind->counts_npus()) counting.push_back(kind->name());
  Json needed = Json::object();
  Json sections = Json::array();
  for (const std::string_view key : keys_of_counted_npus()) {
    // omitted, since the fabric may determine it
    if (key == "npu.count" && use == Use::kFile) continue;
    if (parent(key).empty()) {
      sections.push_back(key);
    } else {
      needed[std::string(parent(key))]["required"].push_back(leaf(key));
    }
  }
  const Json type = {{"properties", {{"type", {{"enum", counting}}}}}};
  return {{"if", {{"properties", {{"fabric", type}}}}},
          {"else", {{"required", sections}, {"properties", needed}}}};
}

Json whole_schema(Use use) {
  Json json = object_schema("", use);
  json.update(counted_rule(use));
  return json;
}

std::string shown_kinds(const Key& key) {
  return fmt::format("{}", fmt::join(names_of(key.kinds), ", "));
}

std::string shown_type(const Key& key) {
  const std::string_view type = shown_holds(key.holds);
  const bool has_words = key.holds == Holds::kValue && !key.words.empty();
  return fmt::format("{}{}", type, has_words ? ", or a word" : "");
}

std::string shown_default(const Key& key) {
  if (!key.counted_default.empty()) {
    return fmt::format(
        "{}; `{}` if the fabric counts its NPUs",
        key.default_value.empty() ? "required" : fmt::format("`{}`", key.default_value),
        key.counted_default);
  }
  if (!key.default_value.empty()) return fmt::format("`{}`", key.default_value);
  if (!is_value(key.holds)) return "";
  if (!key.instead.empty()) return fmt::format("required without `{}`", key.instead);
  if (is_of_counted_npus(key.path)) return "required unless the fabric determines it";
  return is_required(key, Use::kFile) ? "required" : "none";
}

}  // namespace

Json machine_file_schema() {
  Json json = {{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", "Machine file of fredsim"}};
  json.update(whole_schema(Use::kFile));
  return json;
}

Json machine_in_results_schema() { return whole_schema(Use::kResults); }

std::string machine_reference() {
  std::string text =
      "# Keys of machine files\n\n"
      "`scripts/reference.sh` generates this page from the table of keys in "
      "`sc_models/config/config_schema.cpp`.\n[machine.schema.json](machine.schema.json) has the "
      "same table as a JSON schema for editors: completion, descriptions, unknown keys. VS Code's "
      "YAML\n"
      "extension uses it if the first line of a file is "
      "`# yaml-language-server: $schema=PATH/machine.schema.json`.\n\n"
      "Keys of a list entry are written without the number of the entry.\n\n"
      "| key | value | fabric types | default | meaning |\n|---|---|---|---|---|\n";
  for (const Key& key : config_keys()) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.path, shown_type(key),
                        shown_kinds(key), shown_default(key), key.meaning);
  }
  return text;
}

}  // namespace fredsim
