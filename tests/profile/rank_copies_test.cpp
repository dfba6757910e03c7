// SPDX-License-Identifier: Apache-2.0
// Ranks that were not traced: groups shifted by their stride, groups that grow.
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "profile/convert.h"
#include "profile/sample_profile.h"
#include "workload_files/rank_manifest.h"
#include "workload_files/trace_check.h"

namespace fredsim::test {
namespace {

using GroupRanks = std::map<std::string, std::vector<int>>;

SampleProfile::Json of_group(const std::string& name, const std::vector<int>& ranks) {
  return {{"Process Group Name", name}, {"Process Group Ranks", SampleProfile::Json(ranks).dump()}};
}

// A tensor-parallel all-reduce, a data-parallel all-gather.
SampleProfile grouped_rank(int rank, int world, const std::vector<int>& tensor,
                           const std::vector<int>& data) {
  return SampleProfile()
      .rank(rank, world)
      .step(2, 0, 100)
      .kernel("a", 10, 12, 20)
      .collective("allreduce", 1000, 13, 32, 10, of_group("tp", tensor))
      .collective("_allgather_base", 600, 20, 45, 10, of_group("dp", data))
      .kernel("b", 55, 62, 3);
}

ConvertedProfiles copied(const std::vector<SampleProfile>& profiles, const RankCopies& copies) {
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const SampleProfile& one : profiles)
    paths.push_back(one.write(folder, fmt::format("p{}.json", paths.size())));
  return convert_profiles(paths, {}, {}, copies);
}

std::string copies_refusal(const std::vector<SampleProfile>& profiles, const RankCopies& copies) {
  try {
    copied(profiles, copies);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "no error";
}

const TraceNode& collective_node(const ProfileGraph& graph, TraceCollective collective) {
  for (const ProfiledNode& one : graph.nodes)
    if (one.node.type == TraceNodeType::kCollective && one.node.collective == collective)
      return one.node;
  throw std::logic_error("no such collective");
}

TEST(RankCopies, OneRankStandsForAll) {
  const ConvertedProfiles all =
      copied({grouped_rank(0, 8, {0, 1}, {0, 2, 4, 6})}, {.ranks = 8, .like = 0});
  ASSERT_EQ(all.ranks.size(), 1U);
  EXPECT_EQ(all.world, 8);
  EXPECT_EQ(all.trace_of, std::vector<int>(8, 0));
  EXPECT_EQ(all.groups, (GroupRanks{{"dp@0", {0, 2, 4, 6}},
                                    {"dp@1", {1, 3, 5, 7}},
                                    {"tp@0", {0, 1}},
                                    {"tp@2", {2, 3}},
                                    {"tp@4", {4, 5}},
                                    {"tp@6", {6, 7}}}));
  EXPECT_EQ(collective_node(all.ranks[0].graph, TraceCollective::kAllReduce).group, "tp");
  EXPECT_EQ(collective_node(all.ranks[0].graph, TraceCollective::kAllGather).bytes, 2400U);
}

TEST(RankCopies, AnyRankMayStandForAll) {
  const ConvertedProfiles all = copied({grouped_rank(5, 8, {4, 5}, {1, 3, 5, 7})}, {.like = 5});
  EXPECT_EQ(all.trace_of, std::vector<int>(8, 0));
  EXPECT_EQ(all.groups.at("tp@0"), std::vector<int>({0, 1}));
  EXPECT_EQ(all.groups.at("dp@0"), std::vector<int>({0, 2, 4, 6}));
}

TEST(RankCopies, GroupsWithoutAStrideAreRefused) {
  EXPECT_PRED2(has_text, copies_refusal({grouped_rank(0, 8, {0, 1}, {0, 2, 5, 6})}, {.ranks = 8}),
               "--like: process group 'dp'");
  EXPECT_PRED2(has_text, copies_refusal({grouped_rank(0, 8, {0, 1}, {0, 2, 5, 6})}, {.ranks = 8}),
               "found ranks 0, 2, 5, 6; allowed: a start and a stride");
  EXPECT_PRED2(has_text, copies_refusal({grouped_rank(1, 8, {1, 2}, {1})}, {.like = 1}),
               "found ranks 1, 2")
      << "pairs from 0 on are 0 and 1, 2 and 3";
  EXPECT_PRED2(has_text, copies_refusal({grouped_rank(0, 8, {0, 1}, {0, 2, 4, 6})}, {.ranks = 12}),
               "--ranks: found 12; allowed: a multiple of 8");
  EXPECT_PRED2(has_text, copies_refusal({grouped_rank(0, 8, {0, 1}, {0})}, {.like = 3}),
               "--like: found 3, of which there is no profile; allowed: 0");
}

TEST(RankCopies, AResizedGroupMultipliesRanksAndCopiesOtherGroups) {
  // Two replicas of two ranks: 0 and 1 share tensors, 0 and 2 share data.
  const std::vector<SampleProfile> four{
      grouped_rank(0, 4, {0, 1}, {0, 2}), grouped_rank(1, 4, {0, 1}, {1, 3}),
      grouped_rank(2, 4, {2, 3}, {0, 2}), grouped_rank(3, 4, {2, 3}, {1, 3})};
  const ConvertedProfiles all = copied(four, {.resized = {{"dp", 3}}});
  EXPECT_EQ(all.world, 6);
  EXPECT_EQ(all.trace_of, std::vector<int>({0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(all.groups, (GroupRanks{{"dp@0", {0, 2, 4}},
                                    {"dp@1", {1, 3, 5}},
                                    {"tp@0", {0, 1}},
                                    {"tp@2", {2, 3}},
                                    {"tp@4", {4, 5}}}));
  EXPECT_EQ(collective_node(all.ranks[0].graph, TraceCollective::kAllReduce).bytes, 4000U);
  EXPECT_EQ(collective_node(all.ranks[0].graph, TraceCollective::kAllGather).bytes, 1600U)
      << "a shard of 1/3 in place of 1/2 of 4800 B";
  // Tensors in the middle: strides move apart.
  const ConvertedProfiles wide = copied(four, {.resized = {{"tp", 4}}});
  EXPECT_EQ(wide.groups, (GroupRanks{{"dp@0", {0, 4}},
                                     {"dp@1", {1, 5}},
                                     {"dp@2", {2, 6}},
                                     {"dp@3", {3, 7}},
                                     {"tp@0", {0, 1, 2, 3}},
                                     {"tp@4", {4, 5, 6, 7}}}));
  EXPECT_EQ(wide.trace_of, std::vector<int>({0, 1, 0, 1, 2, 3, 2, 3}));
}

TEST(RankCopies, GroupsOfAllRanksGrowWithAPart) {
  const std::vector<int> all_ranks{0, 1, 2, 3};
  const ConvertedProfiles all =
      copied({grouped_rank(0, 4, all_ranks, {0, 2})}, {.like = 0, .resized = {{"dp", 64}}});
  EXPECT_EQ(all.world, 128);
  EXPECT_EQ(all.groups.at("tp").size(), 128U);
  EXPECT_EQ(all.groups.at("dp@1").size(), 64U);
  EXPECT_EQ(all.groups.at("dp@1").back(), 127);
}

TEST(RankCopies, WhatCannotGrowIsRefused) {
  const SampleProfile one = grouped_rank(0, 4, {0, 1}, {0, 2});
  EXPECT_PRED2(has_text, copies_refusal({one}, {.resized = {{"dp", 8}}}),
               "--resize: found 1 of 4 ranks; allowed: all, or --like");
  EXPECT_PRED2(has_text, copies_refusal({one}, {.like = 0, .resized = {{"pp", 8}}}),
               "--resize: found 'pp'; allowed: 'dp', 'tp'");
  SampleProfile sends = one;
  sends.collective("send", 10, 40, 60, 3, {{"Dst Rank", 1}});
  EXPECT_PRED2(has_text, copies_refusal({sends}, {.like = 0}), "found a send in");
  SampleProfile uneven = one;
  SampleProfile::Json splits = of_group("dp", {0, 2});
  splits["In split size"] = "[1, 9]";
  uneven.collective("all_to_allv", 10, 40, 60, 3, splits);
  EXPECT_PRED2(has_text, copies_refusal({uneven}, {.like = 0, .resized = {{"dp", 4}}}),
               "found an all-to-all with a size for each of 2 ranks");
  EXPECT_EQ(copies_refusal({uneven}, {.like = 0, .resized = {{"tp", 4}}}), "no error");
  const std::vector<SampleProfile> three{grouped_rank(0, 3, {0, 1}, {0}),
                                         grouped_rank(1, 3, {0, 1}, {1}),
                                         grouped_rank(2, 3, {2}, {2})};
  EXPECT_PRED2(has_text, copies_refusal(three, {.resized = {{"tp", 4}}}), "process group 'tp'");
}

TEST(RankCopies, AManifestNamesTheTraceOfEachRank) {
  const TemporaryFolder folder;
  const std::string prefix = folder.file("t");
  const ConvertedProfiles all =
      copied({grouped_rank(0, 2, {0}, {0, 1})}, {.like = 0, .resized = {{"dp", 64}}});
  const std::string text = trace_text(all.ranks[0].graph);
  std::ofstream(prefix + ".0.et", std::ios::binary) << text;
  std::ofstream(manifest_file(prefix))
      << manifest_text({.traces = {"t.0.et"}, .ranks = all.trace_of});
  const TraceFiles files = check_traces(prefix);
  EXPECT_EQ(files.paths, std::vector<std::string>(64, prefix + ".0.et"));
  EXPECT_EQ(files.nodes, 64 * all.ranks[0].graph.nodes.size());
  EXPECT_EQ(files.communications, 64U * 2);
  const auto refusal = [&](const std::string& json) -> std::string {
    std::ofstream(manifest_file(prefix)) << json;
    try {
      check_traces(prefix);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_PRED2(has_text, refusal("[]"), "t.ranks.json: found no JSON object");
  EXPECT_PRED2(has_text, refusal(R"({"traces": ["t.0.et"], "ranks": [0, 1]})"),
               "ranks: found 1; allowed: 0 to 0, places in traces");
  EXPECT_PRED2(has_text, refusal(R"({"traces": ["a/t.0.et"], "ranks": [0]})"),
               "traces: found \"a/t.0.et\"; allowed: the name of a file");
  EXPECT_PRED2(has_text, refusal(R"({"traces": ["t.0.et"], "ranks": []})"),
               "ranks: found 0 ranks; allowed: 1 to 65536 ranks");
  EXPECT_PRED2(has_text, refusal(R"({"traces": ["gone.et"], "ranks": [0]})"), "gone.et: No such");
}

}  // namespace
}  // namespace fredsim::test
