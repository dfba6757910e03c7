// SPDX-License-Identifier: Apache-2.0
// Files made from the tables of keys and kept in the tree: the schema of results and the pages of
// docs/reference.
//
// With FREDSIM_RENEW=1 the files are written (scripts/reference.sh).
#include "results/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file_text.h"
#include "config/config_schema.h"
#include "config/machine_schema.h"
#include "report/fields/all.h"
#include "results/schema.h"

namespace fredsim {
namespace {

struct MadeFile {
  const char* path;
  std::string text;
};

void PrintTo(const MadeFile& file, std::ostream* out) { *out << file.path; }

class Reference : public testing::TestWithParam<MadeFile> {};

TEST_P(Reference, IsThatOfTheTables) {
  const auto& [path, text] = GetParam();
  if (std::getenv("FREDSIM_RENEW") != nullptr) std::ofstream(path, std::ios::binary) << text;
  EXPECT_TRUE(file_text(path) == text) << path << " is stale; renew it: scripts/reference.sh";
}

INSTANTIATE_TEST_SUITE_P(
    Files, Reference,
    testing::Values(
        MadeFile{"sc_models/results/results.schema.json",
                 results_schema(machine_in_results_schema(), fields::kDocuments).dump(2) + "\n"},
        MadeFile{"docs/reference/machine.schema.json", machine_file_schema().dump(2) + "\n"},
        MadeFile{"docs/reference/results.md", results_reference(fields::kDocuments)},
        MadeFile{"docs/reference/machine_files.md", machine_reference()}),
    [](const testing::TestParamInfo<MadeFile>& made) { return std::to_string(made.index); });

void expect_sound(const fields::Object& object, std::set<std::string>& names) {
  if (!names.insert(std::string(object.name)).second) return;
  std::set<std::string> keys;
  for (const fields::Field& field : object.fields) {
    const std::string key(field.key);
    EXPECT_TRUE(keys.insert(key).second) << object.name << " has " << key << " twice";
    EXPECT_FALSE(field.meaning.empty()) << object.name << '.' << key;
    EXPECT_EQ(field.type.kind == fields::Kind::kObject, field.type.object != nullptr)
        << object.name << '.' << key;
    if (field.type.object != nullptr) expect_sound(*field.type.object, names);
  }
}

TEST(Fields, StandOnceInAnObjectAndHaveAMeaning) {
  std::set<std::string> names;
  for (const fields::Object* document : fields::kDocuments) expect_sound(*document, names);
  EXPECT_GT(names.size(), fields::kDocuments.size());
}

// Two objects of one name would share a definition.
void collect(const fields::Object& object, std::set<const fields::Object*>& objects) {
  if (!objects.insert(&object).second) return;
  for (const fields::Field& field : object.fields)
    if (field.type.object != nullptr) collect(*field.type.object, objects);
}

TEST(Fields, HaveObjectsOfDifferentNames) {
  std::set<const fields::Object*> objects;
  for (const fields::Object* document : fields::kDocuments) collect(*document, objects);
  std::set<std::string_view> names;
  for (const fields::Object* object : objects)
    EXPECT_TRUE(names.insert(object->name).second) << object->name;
}

// A schema, or each schema that a key may be one of.
std::vector<nlohmann::json> alternatives(const nlohmann::json& schema) {
  if (!schema.contains("anyOf") || schema.contains("description")) return {schema};
  return schema["anyOf"].get<std::vector<nlohmann::json>>();
}

// Every key is somewhere in the schema, under the sections of its path.
TEST(MachineSchema, HasEveryKey) {
  const nlohmann::json schema = machine_file_schema();
  for (const Key& key : config_keys()) {
    std::vector<nlohmann::json> found{schema};
    const std::string path(key.path);
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t dot = std::min(path.find('.', begin), path.size());
      std::vector<nlohmann::json> inside;
      for (nlohmann::json at : found) {
        if (at.contains("items")) at = nlohmann::json(at["items"]);
        const nlohmann::json inner = at.value("properties", nlohmann::json::object())
                                         .value(path.substr(begin, dot - begin), nlohmann::json());
        if (inner.is_object()) std::ranges::copy(alternatives(inner), std::back_inserter(inside));
      }
      ASSERT_FALSE(inside.empty()) << path;
      found = std::move(inside);
      begin = dot + 1;
    }
    EXPECT_TRUE(std::ranges::any_of(found, [&](const nlohmann::json& at) {
      return at.value("description", "") == key.meaning;
    })) << path;
  }
}

}  // namespace
}  // namespace fredsim
