// SPDX-License-Identifier: Apache-2.0
// Files of groups by name.
#include "workload_files/comm_groups.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.h"
#include "support/traces.h"

namespace fredsim {
namespace {

TEST(CommGroups, AreReadInTheirOwnOrder) {
  const TemporaryFolder folder;
  write_file(folder.file("g.json"), R"({"0": [3, 0, 1], "tp_1": [2]})");
  const CommGroups groups = read_comm_groups(folder.file("g.json"), 4);
  EXPECT_EQ(groups, (CommGroups{{"0", {3, 0, 1}}, {"tp_1", {2}}}));
}

TEST(CommGroups, RefusalsNameFileAndGroup) {
  const TemporaryFolder folder;
  const std::string path = folder.file("g.json");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{", "not JSON"},
      {"[[0]]", "found no object"},
      {R"({"a": 3})", "group a: found 3"},
      {R"({"a": []})", "group a: found []"},
      {R"({"a": [0, 4]})", "group a: found 4; allowed: a rank, 0 to 3"},
      {R"({"a": [-1]})", "group a: found -1"},
      {R"({"a": [1.5]})", "group a: found 1.5"},
      {R"({"a": [1, 2, 1]})", "group a: rank 1 comes twice"},
  };
  for (const auto& [text, want] : cases) {
    write_file(path, text);
    const std::string message = refusal_of([&] { read_comm_groups(path, 4); });
    EXPECT_EQ(message.rfind(path + ": ", 0), 0U) << message;
    EXPECT_NE(message.find(want), std::string::npos) << message;
  }
  EXPECT_NE(refusal_of([&] { read_comm_groups(folder.file("none"), 4); }).find("No such file"),
            std::string::npos);
}

}  // namespace
}  // namespace fredsim
