// SPDX-License-Identifier: Apache-2.0
// Documents and their objects, with any contents.
#include "results/document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "results/fields/fabric.h"
#include "results/json_object.h"
#include "results/schema.h"
#include "results/version.h"

namespace fredsim {
namespace {

using nlohmann::json;

constexpr Origin kNamedOrigin{"1.2.3", "5da5371-dirty", "fredsim sample"};

TEST(Document, BeginsWithWhatMadeIt) {
  const nlohmann::ordered_json document = document_of(kNamedOrigin);
  std::vector<std::string> keys;
  for (const auto& [key, value] : document.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"fredsim", "commit", "schema", "command"}));
  EXPECT_EQ(document["schema"], kResultsSchema);
  EXPECT_EQ(document["command"], kNamedOrigin.command);
}

TEST(Document, IsIndentedUtf8ThatEndsInANewline) {
  EXPECT_EQ(text_of({{"b", 1}, {"a", {1, 2}}}),
            "{\n  \"b\": 1,\n  \"a\": [\n    1,\n    2\n  ]\n}\n");
  EXPECT_EQ(text_of("caf\xE9 µ \xF0\x9F"), "\"caf\uFFFD µ \uFFFD\"\n");
  EXPECT_EQ(text_of(json(0.1)), "0.1\n") << "shortest that reads back";
  EXPECT_EQ(text_of(json(std::numeric_limits<std::uint64_t>::max())), "18446744073709551615\n");
}

TEST(Document, OfThisProgramHasAVersionAndACommitOfItsPattern) {
  EXPECT_TRUE(std::regex_match(std::string(version()), std::regex("[0-9]+\\.[0-9]+\\.[0-9]+")));
  EXPECT_TRUE(std::regex_match(std::string(commit()), std::regex("[0-9a-f]{7,}(-dirty)?|unknown")))
      << commit();
  EXPECT_EQ(version_text(), fmt::format("fredsim {} (commit {})", version(), commit()));
  const Origin origin = origin_of("fredsim run x");
  EXPECT_EQ(origin.version, version());
  EXPECT_EQ(origin.commit, commit());
  EXPECT_EQ(origin.command, "fredsim run x");
}

TEST(JsonObject, TakesNoOtherKeyAndKeepsTheOrderOfItsWriter) {
  JsonObject<fields::kStalls> stalls;
  stalls.set_named("link", 3);
  stalls.set("credit", 4);
  stalls.set_named("link", 5);
  EXPECT_EQ(stalls.json().dump(), R"({"link":5,"credit":4})");
  try {
    stalls.set_named("colour", 1);
    FAIL() << "no error";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "stalls has no field colour");
  }
  EXPECT_EQ(stalls.json().size(), 2U);
}

}  // namespace
}  // namespace fredsim
