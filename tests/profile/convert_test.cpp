// SPDX-License-Identifier: Apache-2.0
// Conversion of the profiles of several ranks: their numbers, groups and files.
#include "profile/convert.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "profile/sample_profile.h"
#include "workload_files/chakra_reader.h"

namespace fredsim::test {
namespace {

SampleProfile of_rank(int rank, int world, const std::string& group, const std::string& ranks) {
  return SampleProfile()
      .rank(rank, world)
      .step(2, 0, 100)
      .kernel("a", 10, 12, 20)
      .collective("allreduce", 1000, 13, 32, 30,
                  {{"Process Group Name", group}, {"Process Group Ranks", ranks}})
      .wait(50)
      .kernel("b", 55, 62, 3);
}

std::string message_of(const std::vector<std::string>& profiles,
                       const std::vector<std::string>& hosts = {}) {
  try {
    convert_profiles(profiles, hosts, {});
  } catch (const BadInput& error) {
    return error.what();
  }
  return "no error";
}

TEST(ConvertProfiles, NumbersRanksAndNamesGroups) {
  const TemporaryFolder folder;
  of_rank(3, 4, "1", "[2, 3]").write(folder, "p0.json");
  of_rank(0, 4, "1", "[0, 1]").write(folder, "p1.json");
  of_rank(1, 4, "1", "[0, 1]").write(folder, "p2.json");
  of_rank(2, 4, "1", "[2, 3]").write(folder, "p3.json");
  const ConvertedProfiles converted = convert_profiles({folder.file("p%d.json")}, {}, {});
  ASSERT_EQ(converted.ranks.size(), 4U);
  EXPECT_EQ(converted.ranks[3].path, folder.file("p0.json"));
  const std::map<std::string, std::vector<int>> groups{{"1@0", {0, 1}}, {"1@2", {2, 3}}};
  EXPECT_EQ(converted.groups, groups);
}

TEST(ConvertProfiles, WritesWhatAReaderReads) {
  const TemporaryFolder folder;
  const std::string path = of_rank(0, 1, "0", "[0]").write(folder);
  const ConvertedProfiles converted = convert_profiles({path}, {}, {});
  std::ofstream(folder.file("a.0.et"), std::ios::binary) << trace_text(converted.ranks[0].graph);
  ChakraReader reader(folder.file("a.0.et"));
  TraceNode node;
  for (const ProfiledNode& expected : converted.ranks[0].graph.nodes) {
    ASSERT_TRUE(reader.next(node));
    EXPECT_EQ(node.name, expected.node.name);
    EXPECT_EQ(node.after, expected.node.after);
    EXPECT_EQ(node.duration_ps, expected.node.duration_ps);
    EXPECT_EQ(node.start_ps, static_cast<std::uint64_t>(expected.begin));
    EXPECT_EQ(node.bytes, expected.node.bytes);
    EXPECT_EQ(node.stream, expected.node.on_cpu ? 0 : expected.call >= 0 ? 40 : 7);
  }
  EXPECT_FALSE(reader.next(node));
}

TEST(ConvertProfiles, RefusesRanksOfDifferentJobs) {
  const TemporaryFolder folder;
  const std::string a = of_rank(0, 2, "0", "[0, 1]").write(folder, "a.json");
  const std::string same = of_rank(0, 2, "0", "[0, 1]").write(folder, "same.json");
  EXPECT_PRED2(has_text, message_of({a, same}), "distributedInfo.rank: found 0, which");
  const std::string beyond = of_rank(1, 2, "0", "[1, 2]").write(folder, "beyond.json");
  EXPECT_PRED2(has_text, message_of({a, beyond}), "process group '0': found rank 2");
  const std::string foreign = of_rank(1, 4, "0", "[2, 3]").write(folder, "foreign.json");
  EXPECT_PRED2(has_text, message_of({a, foreign}), "found ranks 2, 3; allowed: a group of rank 1");
  const std::string step = SampleProfile().rank(1, 2).step(3, 0, 9).write(folder, "step.json");
  EXPECT_PRED2(has_text, message_of({a, step}), "found steps 3; allowed: 2");
  EXPECT_PRED2(has_text, message_of({folder.file("none%d.json")}), "no file with 0");
  std::ofstream(folder.file("et.json"))
      << R"({"schema": "1.0.1", "nodes": [{"id": 1, "name": "aten::other", "tid": 1}]})";
  EXPECT_PRED2(has_text, message_of({a}, {folder.file("et.json")}),
               "Not found: record_param_comms");
  EXPECT_PRED2(has_text, message_of({a}, {a, a}), "--host: found 2 files; allowed: 1");
}

}  // namespace
}  // namespace fredsim::test
