// SPDX-License-Identifier: Apache-2.0
// Conversion of the profiles of several ranks: their numbers, groups and files.
#include "profile/convert.h"

#include <fmt/format.h>
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

TEST(ConvertProfiles, GroupsOfEqualRanksAreApart) {
  const TemporaryFolder folder;
  SampleProfile profile = of_rank(0, 1, "tp", "[0]");
  profile.collective("allreduce", 10, 70, 80, 3,
                     {{"Process Group Name", "dp"}, {"Process Group Ranks", "[0]"}});
  const ConvertedProfiles all = convert_profiles({profile.write(folder)}, {}, {});
  EXPECT_EQ(all.groups, (std::map<std::string, std::vector<int>>{{"dp", {0}}, {"tp", {0}}}));
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

// Peers are places in the group, as torch.distributed has them.
TEST(ConvertProfiles, PeersAreRanksOfTheJob) {
  const TemporaryFolder folder;
  const auto exchange = [&](int rank, const char* name, const char* key, int place) {
    return SampleProfile()
        .rank(rank, 4)
        .step(2, 0, 100)
        .collective(name, 1000, 13, 32, 30,
                    {{"Process Group Name", "pp"}, {"Process Group Ranks", "[1, 3]"}, {key, place}})
        .write(folder, fmt::format("p{}.json", rank));
  };
  const std::string sends = exchange(1, "send", "Dst Rank", 1);
  const std::string receives = exchange(3, "recv", "Src Rank", 0);
  const ConvertedProfiles all = convert_profiles({sends, receives}, {}, {});
  EXPECT_EQ(all.ranks[0].graph.nodes.back().node.peer, 3);
  EXPECT_EQ(all.ranks[1].graph.nodes.back().node.peer, 1);
  EXPECT_PRED2(has_text, message_of({exchange(1, "send", "Dst Rank", 2)}),
               "send: found peer 2 (Src Rank, Dst Rank); allowed: a place in the group, 0 to 1");
  EXPECT_PRED2(has_text, message_of({exchange(1, "send", "None", 2)}), "found no peer");
  const std::string splits =
      SampleProfile()
          .rank(0, 3)
          .collective("all_to_allv", 30, 13, 32, 30, {{"In split size", "[10, 20]"}})
          .write(folder, "splits.json");
  EXPECT_PRED2(has_text, message_of({splits}), "found 2 splits; allowed: 3");
}

TEST(ConvertProfiles, RefusesRanksOfDifferentJobs) {
  const TemporaryFolder folder;
  const std::string a = of_rank(0, 2, "0", "[0, 1]").write(folder, "a.json");
  const std::string same = of_rank(0, 2, "0", "[0, 1]").write(folder, "same.json");
  EXPECT_PRED2(has_text, message_of({a, same}), "distributedInfo.rank: found 0, which");
  const std::string beyond = of_rank(1, 2, "0", "[1, 2]").write(folder, "beyond.json");
  EXPECT_PRED2(has_text, message_of({a, beyond}), "process group '0': found rank 2");
  const std::string four = of_rank(0, 4, "0", "[0, 1]").write(folder, "four.json");
  const std::string foreign = of_rank(1, 4, "0", "[2, 3]").write(folder, "foreign.json");
  EXPECT_PRED2(has_text, message_of({four, foreign}),
               "found ranks 2, 3; allowed: a group of rank 1");
  const std::string step = SampleProfile().rank(1, 2).step(3, 0, 9).write(folder, "step.json");
  EXPECT_PRED2(has_text, message_of({a, step}), "found steps 3; allowed: 2");
  EXPECT_PRED2(has_text, message_of({folder.file("none%d.json")}), "no file with 0");
  std::ofstream(folder.file("et.json"))
      << R"({"schema": "1.0.1", "nodes": [{"id": 1, "name": "aten::other", "tid": 1}]})";
  EXPECT_PRED2(has_text, message_of({a}, {folder.file("et.json")}),
               "Not found: record_param_comms");
  EXPECT_PRED2(has_text, message_of({a}, {a, a}), "--host: found 2 files; allowed: 1");
}

// Operations have the same names on all ranks: numbers of processes tell their hosts apart.
TEST(ConvertProfiles, RefusesHostsOfOtherRanks) {
  const TemporaryFolder folder;
  const auto profile = [&](int rank, int process) {
    return SampleProfile()
        .process(process)
        .rank(rank, 2)
        .step(2, 0, 100)
        .cpu("aten::add", 10, 5)
        .kernel("a", 11, 12, 20)
        .write(folder, fmt::format("p{}.json", rank));
  };
  const auto host = [&](int process) {
    std::string path = folder.file(fmt::format("et{}.json", process));
    std::ofstream(path) << fmt::format(
        R"({{"schema": "1.0.1", "pid": {}, "nodes": [{{"id": 1, "name": "aten::add", "tid": 1}}]}})",
        process);
    return path;
  };
  const std::vector<std::string> profiles{profile(0, 70), profile(1, 71)};
  EXPECT_EQ(message_of(profiles, {host(70), host(71)}), "no error");
  EXPECT_EQ(message_of(profiles, {host(80), host(81)}), "no error") << "of another run";
  EXPECT_PRED2(
      has_text, message_of(profiles, {host(71), host(70)}),
      "et71.json for " + profiles[0] + ", although its process 71 is that of " + profiles[1]);
}

// A mistake each, and the text that names its place.
TEST(ConvertProfiles, RefusesBadInputByFileAndField) {
  const auto plain = [](int rank, int world) { return of_rank(rank, world, "0", "[0, 1]"); };
  SampleProfile late = plain(1, 2);
  late.event({{"ph", "X"},
              {"cat", "cuda_runtime"},
              {"name", "cudaLaunchKernel"},
              {"pid", 1},
              {"tid", 100},
              {"ts", 90},
              {"dur", 1},
              {"args", {{"correlation", 77}}}});
  late.event({{"ph", "X"},
              {"cat", "kernel"},
              {"name", "early"},
              {"pid", 0},
              {"tid", 7},
              {"ts", 70},
              {"dur", 1},
              {"args", {{"correlation", 77}, {"stream", 7}}}});
  SampleProfile more = plain(1, 2);
  more.collective("allreduce", 10, 70, 80, 3,
                  {{"Process Group Name", "0"}, {"Process Group Ranks", "[0, 1]"}});
  struct Mistake {
    std::vector<SampleProfile> profiles;
    std::string says;
    std::optional<std::pair<int, int>> steps{};
  };
  const std::vector<Mistake> mistakes{
      {{plain(0, 2)}, "--step: found 7", {{7, 7}}},
      {{plain(0, 2), plain(0, 2)}, "p1.json: distributedInfo.rank: found 0"},
      {{plain(0, 2), plain(1, 4)}, "p1.json: distributedInfo.world_size: found 4; allowed: 2"},
      {{plain(0, 2), of_rank(1, 2, "0", "[1]")},
       "process group '0': found 0 collectives of rank 1; allowed: 1, as many as rank 0"},
      {{plain(0, 2), more}, "p1.json: process group '0': found 2 collectives of rank 1"},
      {{plain(0, 2), late}, "(early): ts: found an end before the call that launched it"},
      {{SampleProfile().step(4, 50, 9).step(5, 20, 9)},
       "found ProfilerStep#4 behind ProfilerStep#5; allowed: a clock that runs forward"}};
  for (const Mistake& mistake : mistakes) {
    const TemporaryFolder folder;
    std::vector<std::string> paths;
    for (const SampleProfile& one : mistake.profiles)
      paths.push_back(one.write(folder, fmt::format("p{}.json", paths.size())));
    std::string message = "no error";
    try {
      convert_profiles(paths, {}, {.steps = mistake.steps});
    } catch (const BadInput& error) {
      message = error.what();
    }
    EXPECT_PRED2(has_text, message, mistake.says);
  }
}

// Operations that were launched before the profile began are kept, and counted.
TEST(ConvertProfiles, CountsKernelsWithoutALaunch) {
  const TemporaryFolder folder;
  SampleProfile profile = of_rank(0, 1, "0", "[0]");
  profile.event({{"ph", "X"},
                 {"cat", "kernel"},
                 {"name", "orphan"},
                 {"pid", 0},
                 {"tid", 7},
                 {"ts", 1},
                 {"dur", 2},
                 {"args", {{"correlation", 999}, {"stream", 7}}}});
  const ConvertedProfiles all = convert_profiles({profile.write(folder)}, {}, {});
  EXPECT_EQ(all.ranks[0].graph.without_launch, 1U);
  EXPECT_EQ(all.ranks[0].check.computations, 3U);
}

}  // namespace
}  // namespace fredsim::test
