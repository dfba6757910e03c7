// SPDX-License-Identifier: Apache-2.0
#include "study/study_schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "config/config_schema.h"
#include "results/reference.h"
#include "study/study.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kText = "string";

std::string_view meaning_of(std::string_view section, std::string_view name) {
  return study_file_keys().find(section, name)->meaning;
}

Json types(std::initializer_list<const char*> names) { return {{"type", names}}; }

// Schema of an item, or a list of items.
Json one_or_list(const Json& item) {
  return {
      {"anyOf", Json::array({item, Json{{"type", "array"}, {"items", item}, {"minItems", 1}}})}};
}

Json described(Json json, std::string_view description) {
  json["description"] = description;
  return json;
}

// Reference to a definition.
Json definition(std::string_view name) { return {{"$ref", fmt::format("#/definitions/{}", name)}}; }

// Reference with a description: draft 7 ignores keys beside a "$ref".
Json described_definition(std::string_view name, std::string_view description) {
  return {{"description", description}, {"allOf", Json::array({definition(name)})}};
}

// Values of a key of machine files: a list is one of values, of which each may be a list or map.
Json setting_schema() {
  Json schema = types({kText, "number", "boolean", "array", "object"});
  schema["minItems"] = 1;
  return schema;
}

Json settings_schema() {
  Json properties = Json::object();
  Json patterns = Json::object();
  for (const Key& key : config_keys()) {
    const std::string path(key.path);
    if (key.holds == Holds::kList)
      patterns[fmt::format("^{}[.][0-9]+[.]", path)] = definition("setting");
    if (key.holds == Holds::kNames || key.holds == Holds::kValues)
      patterns[fmt::format("^{}[.]", path)] = definition("setting");
    const std::string_view section = parent(key.path);
    const Key* const list =
        section.empty() ? nullptr : find_key(section, key.kinds.empty() ? nullptr : key.kinds[0]);
    if (list != nullptr && list->holds == Holds::kList) continue;
    properties[path] = described_definition("setting", key.meaning);
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"patternProperties", std::move(patterns)},
          {"additionalProperties", false},
          {"minProperties", 1}};
}

// Definition of the values of an option.
std::string_view form_definition(OptionForm form) {
  switch (form) {
    case OptionForm::kFlag:
      return "flags";
    case OptionForm::kValue:
      return "values";
    case OptionForm::kValues:
      return "lists";
  }
  return {};
}

Json work_schema(const StudyCommand& command) {
  Json properties = Json::object();
  for (const StudyOption& option : command.options)
    properties[option.name] = described_definition(form_definition(option.form), option.meaning);
  return {{"type", {"object", "null"}},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

Json definitions(std::span<const StudyCommand> commands) {
  Json all = {{"setting", setting_schema()},
              {"settings", settings_schema()},
              {"flags", one_or_list(types({"boolean"}))},
              {"values", one_or_list(types({kText, "number"}))},
              {"lists", one_or_list(definition("values"))}};
  for (const StudyCommand& command : commands) all[command.name] = work_schema(command);
  return all;
}

Json machines_schema() {
  const Json own = {
      {"type", "object"},
      {"properties",
       {{"file", described({{"type", kText}}, meaning_of("machines", "file"))},
        {"settings", described_definition("settings", meaning_of("machines", "settings"))}}},
      {"required", {"file"}},
      {"additionalProperties", false}};
  return described(one_or_list({{"anyOf", Json::array({Json{{"type", kText}}, own})}}),
                   meaning_of("", "machines"));
}

}  // namespace

Json study_file_schema(std::span<const StudyCommand> commands) {
  Json properties = {{"name", described({{"type", kText}}, meaning_of("", "name"))},
                     {"machines", machines_schema()},
                     {"settings", described_definition("settings", meaning_of("", "settings"))}};
  Json works = Json::array();
  for (const StudyCommand& command : commands) {
    properties[command.name] = described(one_or_list(definition(command.name)),
                                         fmt::format("options of {}", command.name));
    works.push_back({{"required", Json::array({command.name})}});
  }
  properties["seeds"] = described(
      one_or_list(
          {{"anyOf", Json::array({Json{{"type", "integer"}, {"minimum", 0}},
                                  Json{{"type", kText}, {"pattern", "^[0-9]+(:[0-9]+)?$"}}})}}),
      meaning_of("", "seeds"));
  properties["zip"] = {
      {"type", "array"},
      {"description", meaning_of("", "zip")},
      {"items", {{"type", "array"}, {"items", {{"type", kText}}}, {"minItems", 2}}},
      {"minItems", 1}};
  properties["exclude"] = {
      {"type", "array"},
      {"description", meaning_of("", "exclude")},
      {"items",
       {{"type", "object"}, {"additionalProperties", definition("setting")}, {"minProperties", 1}}},
      {"minItems", 1}};
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", "Study of fredsim"},
          {"definitions", definitions(commands)},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"required", {"machines"}},
          {"anyOf", std::move(works)},
          {"additionalProperties", false}};
}

std::string study_reference(std::span<const StudyCommand> commands) {
  std::string works;
  for (const StudyCommand& command : commands)
    works += fmt::format("{}`{}`", works.empty() ? "" : ", ", command.name);
  std::string text =
      "# Keys of studies\n\n"
      "`scripts/reference.sh` generates this page from the options of the commands "
      "(`fredsim schema study --markdown`).\n[study.schema.json](study.schema.json) is the same "
      "as a JSON schema for editors. "
      "[Studies and clusters](../user/studies_and_clusters.md) explains how to run studies.\n\n"
      "An axis has a value or a list of values; the points of a study are the product of all axes. "
      "Paths are from the working directory.\n\n"
      "| key | value | meaning |\n|---|---|---|\n";
  for (const FileKey* const key : study_file_keys().inside("")) {
    if (key->path == "seeds")  // commands come before it
      text += fmt::format(
          "| {} | axes by option, or a list of such maps | points of this command, with these "
          "options; maps of a list one after the other |\n",
          works);
    text += fmt::format("| `{}` | {} | {} |\n", key->path, key->form, key->meaning);
  }
  text += fmt::format("\nAt most {} points, exclusions not counted.\n", kMaxStudyPoints);
  for (const StudyCommand& command : commands) {
    text += fmt::format("\n## {}\n\n{}\n\n| option | value | meaning |\n|---|---|---|\n",
                        command.name, command.purpose);
    for (const StudyOption& option : command.options) {
      text += fmt::format(
          "| `{}` | {} | {} |\n", option.name,
          option.form == OptionForm::kFlag ? "true or false" : markdown_cell(option.value),
          markdown_cell(option.meaning));
    }
  }
  return text;
}

}  // namespace fredsim
