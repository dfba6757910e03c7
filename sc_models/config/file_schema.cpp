// SPDX-License-Identifier: Apache-2.0
#include "config/file_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

bool is_number(const FileKey& key) {
  return key.holds == Holds::kInteger || key.holds == Holds::kNumber;
}

Json number_schema(const FileKey& key) {
  Json json = {{"type", key.holds == Holds::kInteger ? "integer" : "number"}};
  const auto limit = [&](const char* name, double value) {
    if (key.holds == Holds::kInteger) {
      json[name] = static_cast<std::int64_t>(value);
    } else {
      json[name] = value;
    }
  };
  limit("minimum", key.min);
  if (key.max > 0) limit("maximum", key.max);
  // YAML in Python takes 40e3, without a dot, for a text.
  if (key.holds == Holds::kNumber)
    return {{"anyOf", {json, {{"type", "string"}, {"pattern", "^[0-9.]+(e[+-]?[0-9]+)?$"}}}}};
  return json;
}

Json section_schema(const FileKeys& file, std::string_view section);

Json value_schema(const FileKeys& file, const FileKey& key) {
  switch (key.holds) {
    case Holds::kText:
      return {{"type", {"string", "number"}}};
    case Holds::kWord:
      return {{"enum", words_in(key.words)}};
    case Holds::kKeys:
      return section_schema(file, key.path);
    case Holds::kList:
      return {{"type", "array"}, {"items", section_schema(file, key.path)}, {"minItems", 1}};
    case Holds::kInteger:
    case Holds::kNumber:
      return number_schema(key);
    case Holds::kBoolean:
      return {{"type", "boolean"}};
    case Holds::kOther:
      return Json::parse(key.schema);
    case Holds::kValue:
      break;
    default:
      throw std::logic_error(fmt::format("{}: files that are no machines have no {}", key.path,
                                         shown_holds(key.holds)));
  }
  return {{"type", {"string", "number"}}, {"pattern", kNumberAndUnit}};
}

Json key_schema(const FileKeys& file, const FileKey& key) {
  Json json = value_schema(file, key);
  json["description"] = key.meaning;
  if (key.default_value.empty()) return json;
  json["default"] = is_number(key) || key.holds == Holds::kBoolean ? Json::parse(key.default_value)
                                                                   : Json(key.default_value);
  return json;
}

bool is_needed(const FileKey& key) {
  return key.default_value.empty() && !key.is_optional && key.instead.empty();
}

Json section_schema(const FileKeys& file, std::string_view section) {
  Json properties = Json::object(), required = Json::array(), together = Json::object(),
       rules = Json::array();
  for (const FileKey* const key : file.inside(section)) {
    const std::string name(leaf(key->path));
    properties[name] = key_schema(file, *key);
    if (is_needed(*key)) required.push_back(name);
    if (!key->with.empty()) together[name] = {key->with};
    if (key->instead.empty()) continue;
    Json rule = {{"if", {{"required", {key->instead}}}},
                 {"then", {{"not", {{"required", {name}}}}}}};
    if (!key->is_optional) rule["else"] = {{"required", {name}}};
    rules.push_back(std::move(rule));
  }
  Json json = {{"type", "object"},
               {"properties", std::move(properties)},
               {"required", std::move(required)},
               {"additionalProperties", false}};
  if (!together.empty()) json["dependencies"] = std::move(together);
  if (!rules.empty()) json["allOf"] = std::move(rules);
  return json;
}

std::string shown_range(const FileKey& key) {
  if (key.max > 0) return fmt::format(", {:.15g} to {:.15g}", key.min, key.max);
  return key.min > 0 ? fmt::format(", {:g} or more", key.min) : "";
}

std::string shown_value(const FileKey& key) {
  if (key.holds == Holds::kWord) return fmt::format("`{}`", fmt::join(words_in(key.words), "`, `"));
  if (is_number(key)) return std::string(shown_holds(key.holds)) + shown_range(key);
  if (!key.form.empty()) return std::string(key.form);
  if (!key.unit.empty()) return fmt::format("{}: {}", key.unit, shown_holds(key.holds));
  return std::string(shown_holds(key.holds));
}

std::string shown_default(const FileKey& key) {
  if (!key.default_value.empty()) return fmt::format("`{}`", key.default_value);
  if (key.path.empty()) return "";
  if (key.is_optional) return "none";
  if (!key.instead.empty()) return fmt::format("required without `{}`", key.instead);
  return "required";
}

// Its own row, where the file is no map.
const FileKey* whole_file(const FileKeys& file) {
  const auto found = std::ranges::find(file.keys, std::string_view(), &FileKey::path);
  return found == file.keys.end() ? nullptr : &*found;
}

}  // namespace

std::string_view shown_holds(Holds holds) {
  switch (holds) {
    case Holds::kValue:
      return "number and unit";
    case Holds::kText:
      return "text or number";
    case Holds::kWord:
      return "word";
    case Holds::kKeys:
      return "section";
    case Holds::kList:
      return "list of sections";
    case Holds::kWords:
      return "list of words";
    case Holds::kInteger:
      return "integer";
    case Holds::kBoolean:
      return "true or false";
    case Holds::kNames:
      return "integers by name";
    case Holds::kValues:
      return "numbers with units by name";
    case Holds::kNumber:
      return "number";
    case Holds::kOther:
      return "lists";
  }
  return "";
}

Json file_schema(const FileKeys& file) {
  Json json = {{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", fmt::format("Keys of {} of fredsim", file.title)}};
  const FileKey* const whole = whole_file(file);
  json.update(whole != nullptr ? key_schema(file, *whole) : section_schema(file, ""));
  return json;
}

std::string file_reference(const FileKeys& file) {
  std::string text = fmt::format(
      "# Keys of {0}\n\n"
      "`scripts/reference.sh` generates this page from the table of keys in `{1}`.\nSuch a file is "
      "given with {2}. `fredsim schema {3}` prints the table as a JSON schema for editors.\n\n",
      file.title, file.source, file.given, file.name);
  if (const FileKey* const whole = whole_file(file)) {
    text += fmt::format("A file is a {}: {}.\n", whole->form, whole->meaning);
    if (whole->holds != Holds::kList) return text;
    text += "\n";
  }
  const bool has_sections =
      std::ranges::any_of(file.keys, [](const FileKey& key) { return !parent(key.path).empty(); });
  if (has_sections) text += "Keys of a list entry are written without the number of the entry.\n\n";
  text += "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const FileKey& key : file.keys) {
    if (key.path.empty()) continue;
    const std::string only_with = key.with.empty() ? "" : fmt::format("; only with `{}`", key.with);
    text += fmt::format("| `{}` | {} | {} | {}{} |\n", key.path, shown_value(key),
                        shown_default(key), key.meaning, only_with);
  }
  return text;
}

}  // namespace fredsim
