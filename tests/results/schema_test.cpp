// SPDX-License-Identifier: Apache-2.0
// Output of writers against the schema that is made from the tables: samples of every kind of file
// keep to it, and one value changed, left out or added does not.
#include "results/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "report/fields/all.h"
#include "schema_samples.h"

namespace fredsim {
namespace {

using nlohmann::json;

// Subset of JSON Schema (draft 2020-12) that results_schema() writes.
class SchemaCheck {
 public:
  explicit SchemaCheck(json schema) : schema_(std::move(schema)) {}

  // Empty: the value keeps to the definition.
  std::string problem_of(const json& value, const std::string& definition) const {
    return problem(value, schema_.at("$defs").at(definition), "");
  }
  // Problem of a file of any kind.
  std::string problem_of(const json& value) const { return problem(value, schema_, ""); }
  const json& definition(const std::string& name) const { return schema_.at("$defs").at(name); }

 private:
  static bool is_of(const json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return value.type_name() == type;
  }

  std::string problem(const json& value, const json& schema, const std::string& at) const {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : at + " must not be there";
    for (const auto& [keyword, of] : schema.items()) {
      const std::string found = keyword_problem(value, schema, keyword, of, at);
      if (!found.empty()) return found;
    }
    return "";
  }

  std::string keyword_problem(const json& value, const json& schema, const std::string& keyword,
                              const json& of, const std::string& at) const {
    const std::string wrong = at + ": " + keyword;
    if (keyword == "$ref") {
      const auto name = of.get<std::string>();
      return problem(value, definition(name.substr(name.rfind('/') + 1)), at);
    }
    if (keyword == "type") return is_of(value, of) ? "" : wrong + " " + of.get<std::string>();
    if (keyword == "const") return value == of ? "" : wrong;
    if (keyword == "enum") return std::ranges::count(of, value) > 0 ? "" : wrong;
    if (keyword == "minimum")
      return !value.is_number() || value.get<double>() >= of.get<double>() ? "" : wrong;
    if (keyword == "minItems")
      return !value.is_array() || value.size() >= of.get<std::size_t>() ? "" : wrong;
    if (keyword == "pattern") {
      const auto [pattern, is_new] = patterns_.try_emplace(of.get<std::string>());
      if (is_new) pattern->second = pattern->first;
      return !value.is_string() || std::regex_search(value.get<std::string>(), pattern->second)
                 ? ""
                 : wrong;
    }
    if (keyword == "anyOf") {
      return std::ranges::any_of(of,
                                 [&](const json& one) { return problem(value, one, at).empty(); })
                 ? ""
                 : wrong;
    }
    if (keyword == "not") return problem(value, of, at).empty() ? wrong : "";
    if (keyword == "if") {
      const bool holds = problem(value, of, at).empty();
      const auto branch = schema.find(holds ? "then" : "else");
      return branch == schema.end() ? "" : problem(value, *branch, at);
    }
    if (value.is_array() && keyword == "items") {
      for (std::size_t i = 0; i < value.size(); ++i)
        if (const auto p = problem(value[i], of, fmt::format("{}/{}", at, i)); !p.empty()) return p;
    }
    return value.is_object() ? member_problem(value, schema, keyword, of, at) : "";
  }

  std::string member_problem(const json& value, const json& schema, const std::string& keyword,
                             const json& of, const std::string& at) const {
    if (keyword == "required") {
      for (const json& key : of)
        if (!value.contains(key)) return at + " lacks " + key.get<std::string>();
    }
    const auto properties = schema.find("properties");
    for (const auto& [key, inner] : value.items()) {
      const bool is_named = properties != schema.end() && properties->contains(key);
      const std::string inside = at + "/" + key;
      std::string found;
      if (keyword == "properties" && is_named) found = problem(inner, of.at(key), inside);
      if (keyword == "additionalProperties" && !is_named) found = problem(inner, of, inside);
      if (keyword == "propertyNames") found = problem(key, of, inside);
      if (!found.empty()) return found;
    }
    return "";
  }

  json schema_;
  mutable std::map<std::string, std::regex> patterns_;
};

const SchemaCheck& schema() {
  static const SchemaCheck kSchema(
      json::parse(results_schema({{"type", "object"}}, fields::kDocuments).dump()));
  return kSchema;
}

class SampleFiles : public testing::TestWithParam<SampleFile> {};

TEST_P(SampleFiles, KeepToTheSchema) {
  const json file = GetParam().make();
  EXPECT_EQ(schema().problem_of(file, GetParam().definition), "");
  EXPECT_EQ(schema().problem_of(file), "");
}

// ---- files with one thing changed

struct DescribedObject {
  std::string place, definition;
  json value;
};

// Name of the definition that a property has by itself, in a list or unless it is null; empty:
// none, or a machine's.
std::string definition_in(const json& property) {
  if (const auto of = property.find("$ref"); of != property.end()) {
    const auto path = of->get<std::string>();
    const std::string name = path.substr(path.rfind('/') + 1);
    return name == "machine" ? "" : name;
  }
  if (const auto items = property.find("items"); items != property.end())
    return definition_in(*items);
  const auto any = property.find("anyOf");
  return any == property.end() ? "" : definition_in(any->front());
}

// All objects in a value that tables describe, of lists the first.
void collect_objects(const json& value, const std::string& definition, const std::string& place,
                     std::vector<DescribedObject>& objects) {
  objects.push_back({place, definition, value});
  const json& properties = schema().definition(definition).at("properties");
  for (const auto& [key, inner] : value.items()) {
    const std::string name = definition_in(properties.at(key));
    const json* const one = inner.is_array() && !inner.empty() ? &inner.front() : &inner;
    if (!name.empty() && one->is_object()) collect_objects(*one, name, place + "/" + key, objects);
  }
}

std::vector<DescribedObject> objects_of(const SampleFile& file) {
  std::vector<DescribedObject> objects;
  collect_objects(file.make(), file.definition, "", objects);
  EXPECT_GE(objects.size(), 3U);
  return objects;
}

TEST_P(SampleFiles, WithAFurtherKeyAnywhereDoNot) {
  for (auto& [place, definition, value] : objects_of(GetParam())) {
    EXPECT_EQ(schema().problem_of(value, definition), "") << place;
    value["colour"] = "red";
    EXPECT_EQ(schema().problem_of(value, definition), "/colour must not be there") << place;
  }
}

TEST_P(SampleFiles, WithAValueOfAnotherTypeDoNot) {
  const json others[] = {"no word of this", -1, true, json::array({-1.5}), {{"colour", 1}}};
  std::set<std::string> seen;
  for (const auto& [place, definition, object] : objects_of(GetParam())) {
    for (const auto& [key, value] : object.items()) {
      if (key == "machine") continue;  // the machine's own schema has it
      seen.insert(key);
      for (const json& other : others) {
        // A value of its own type may be right; the type of one that may be null is not known.
        const bool is_of_its_type = other.type() == value.type() && !other.is_number();
        if (is_of_its_type || (value.is_null() && (other.is_string() || other.is_boolean())))
          continue;
        json changed = object;
        changed[key] = other;
        EXPECT_NE(schema().problem_of(changed, definition), "")
            << place << "/" << key << " " << other;
      }
    }
  }
  EXPECT_GT(seen.size(), 12U);
}

TEST_P(SampleFiles, WithoutAKeyThatIsAlwaysThereDoNot) {
  int required = 0;
  for (const auto& [place, definition, object] : objects_of(GetParam())) {
    const json& always = schema().definition(definition).at("required");
    for (const auto& [key, value] : object.items()) {
      json changed = object;
      changed.erase(key);
      const bool is_required = std::ranges::count(always, json(key)) > 0;
      required += is_required ? 1 : 0;
      const std::string problem = schema().problem_of(changed, definition);
      if (is_required) {
        EXPECT_EQ(problem, " lacks " + key) << place;
      } else if (!object.contains("incomplete")) {
        EXPECT_EQ(problem, "") << place << "/" << key;
      }
    }
  }
  EXPECT_GT(required, 15);
}

INSTANTIATE_TEST_SUITE_P(All, SampleFiles, testing::ValuesIn(sample_files()),
                         [](const auto& file) { return std::string(file.param.name); });

// Together the samples have every key of the tables of these commands, so that every key is
// checked.
TEST(SampleFilesTogether, HaveEveryKeyOfTheirTables) {
  std::set<std::string> written;
  for (const SampleFile& sample : sample_files()) {
    const json file = sample.make();
    const std::function<void(const json&)> walk = [&](const json& value) {
      if (value.is_object())
        for (const auto& [key, inner] : value.items()) written.insert(key);
      for (const json& inner : value)
        if (inner.is_structured()) walk(inner);
    };
    walk(file);
  }
  std::set<std::string> visited;
  std::vector<std::string> missing;
  const std::function<void(const std::string&)> visit = [&](const std::string& name) {
    if (!visited.insert(name).second || name == "machine") return;
    for (const auto& [key, property] : schema().definition(name).at("properties").items()) {
      if (!written.contains(key)) missing.push_back(name + "." + key);
      const std::string text = property.dump();
      const std::regex reference("#/\\$defs/([a-z_0-9]+)");
      for (std::sregex_iterator at(text.begin(), text.end(), reference), end; at != end; ++at)
        visit((*at)[1]);
    }
  };
  for (const char* document : {"run", "own", "traffic", "training", "conflicts", "ranks", "doctor",
                               "optimize", "optimize_topology", "series_file", "trace_info"})
    visit(document);
  EXPECT_EQ(missing, std::vector<std::string>{});
  EXPECT_GT(visited.size(), 25U);
}

// ---- states that the schema distinguishes

TEST(ResultsSchema, OnlyInterruptedRunsHaveNoResult) {
  const json whole = whole_run_file();
  const json interrupted = interrupted_run_file();
  for (const char* key : {"algbw_gbps", "busbw_gbps"}) {
    json changed = whole;
    changed["runs"][0][key] = nullptr;
    EXPECT_EQ(schema().problem_of(changed, "run"), fmt::format("/runs/0/{}: not", key));
  }
  json exact = interrupted;
  exact["runs"][0]["payload"] = "exact";
  EXPECT_EQ(schema().problem_of(exact, "run"), "/runs/0/payload: const");
  json less = interrupted;
  less["runs"][0].erase("delivered_bytes");
  EXPECT_EQ(schema().problem_of(less, "run"), "/runs/0 lacks delivered_bytes");
  json more = whole;
  more["runs"][0]["delivered_bytes"] = 5;
  EXPECT_EQ(schema().problem_of(more, "run"), "/runs/0/delivered_bytes must not be there");
  json no_iteration = whole_training_file();
  no_iteration["runs"][0]["iterations_ns"] = json::array();
  EXPECT_EQ(schema().problem_of(no_iteration, "training"), "/runs/0/iterations_ns: minItems");
}

TEST(ResultsSchema, NullOfOwnNpusIsTheirsAlone) {
  json file = own_file();
  EXPECT_EQ(schema().problem_of(file, "own"), "");
  file["command"] = "fredsim run";
  EXPECT_EQ(schema().problem_of(file, "own"), "/command: pattern");
  EXPECT_NE(schema().problem_of(file, "run"), "");
  EXPECT_NE(schema().problem_of(file), "") << "it is of no kind";
  json whole = whole_run_file();
  for (const char* key : {"config", "machine", "size_bytes", "seed", "payload"}) {
    json changed = whole;
    changed["runs"][0][key] = nullptr;
    EXPECT_NE(schema().problem_of(changed, "run"), "") << key;
  }
}

}  // namespace
}  // namespace fredsim
