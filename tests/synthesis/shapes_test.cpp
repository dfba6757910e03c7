// SPDX-License-Identifier: Apache-2.0
// Shapes of operations (workload_files/trace_shapes.h) in models and in synthetic traces.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "small_job.h"
#include "synthesis/detail/joint_shape.h"
#include "synthesis/learn.h"
#include "synthesis/synthesize.h"
#include "workload_files/chakra_reader.h"

namespace fredsim {
namespace {

constexpr double kNoFactor = 1.0;  // sizes of two digits stay

TracePart part_of(const std::string& group, const std::string& collective,
                  const std::string& algorithm = "auto") {
  return {.group = group,
          .collective = collective,
          .bytes = 64'000,
          .priority = collective == "multicast" ? 1 : 0,
          .root = 0,
          .roots = 0,
          .algorithm = algorithm};
}

// Two stages of two data-parallel ranks; microbatches of different lengths go from one to the next,
// all replicas together.
std::string write_pipeline(const TraceFolder& folder, const std::string& name,
                           const std::string& algorithm = "auto") {
  const TraceShapes shapes{
      {0, {{}, {part_of("p0", "multicast", algorithm), part_of("p1", "multicast", algorithm)}, {}}},
      {1, {{}, {part_of("d0", "all_reduce")}, {part_of("d1", "all_reduce")}}},
      {2, {{part_of("d0", "all_reduce")}, {part_of("d1", "all_reduce")}, {}}}};
  const auto collective = [](std::uint64_t id, std::string group, int shape, int part) {
    TraceNode node{.id = id, .name = "secret", .type = TraceNodeType::kCollective};
    node.bytes = 64'000;
    node.group = std::move(group);
    node.shape = shape;
    node.part = part;
    return node;
  };
  for (int rank = 0; rank < 4; ++rank) {
    ChakraWriter writer(shapes);
    std::uint64_t id = 0;
    for (std::uint64_t microbatch = 0; microbatch < 6; ++microbatch) {
      TraceNode computation{.id = id, .name = "secret", .type = TraceNodeType::kCompute};
      if (id > 0) computation.after = {id - 1};
      computation.duration_ps = std::uint64_t{1'000'000} << microbatch;
      TraceNode transfer = collective(id + 1, fmt::format("p{}", rank % 2), 0, rank % 2);
      transfer.collective = TraceCollective::kBroadcast;
      transfer.priority = 1;
      transfer.peer = rank % 2;
      if (rank < 2) transfer.after = {id};
      writer.add(computation);
      writer.add(transfer);
      id += 2;
    }
    TraceNode gradient = collective(id, fmt::format("d{}", rank / 2), 1 + rank / 2, 0);
    gradient.after = {id - 2};
    writer.add(gradient);
    folder.write(fmt::format("{}.{}.et", name, rank), writer.text());
  }
  folder.write(name + ".groups.json", R"({"p0":[0,2],"p1":[1,3],"d0":[0,1],"d1":[2,3]})");
  return folder.file(name);
}

struct ReadTrace {
  TraceShapes shapes{};
  std::vector<TraceNode> nodes{};
};

ReadTrace read(const std::string& path) {
  ChakraReader reader(path);
  ReadTrace trace;
  TraceNode node;
  while (reader.next(node)) trace.nodes.push_back(node);
  trace.shapes = reader.shapes();
  return trace;
}

SyntheticJob drawn_job(const TraceFolder& folder, const std::string& source, int ranks,
                       const SynthesisScale& scale = {}) {
  const LearnedModel learned = learn_model({job_sequences(source)}, kNoFactor);
  const std::string path = folder.write("model.json", model_text(learned.model));
  SyntheticJob job = synthesize(read_model(path), ranks, 1, scale);
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    folder.write(fmt::format("drawn.{}.et", r), job.ranks[r]);
  return job;
}

// Computations of a rank, or its communications, in their order.
std::vector<TraceNode> nodes_of(const ReadTrace& trace, bool communicate) {
  std::vector<TraceNode> own;
  for (const TraceNode& node : trace.nodes)
    if (is_communication(node) == communicate) own.push_back(node);
  return own;
}

auto said(const TraceNode& node) {
  return std::tuple(node.after.size(), node.duration_ps, node.bytes, node.peer, node.part,
                    node.priority);
}

// Each rank does what it did in the source, in its order; operations meet as they did.
TEST(JointShapes, OfThePipelineAreThoseOfTheSource) {
  const TraceFolder folder;
  const std::string source = write_pipeline(folder, "source");
  const SyntheticJob job = drawn_job(folder, source, 4);
  for (int rank = 0; rank < 4; ++rank) {
    const ReadTrace before = read(fmt::format("{}.{}.et", source, rank));
    const ReadTrace after = read(folder.file(fmt::format("drawn.{}.et", rank)));
    for (const bool communicate : {false, true}) {
      const auto x = nodes_of(before, communicate), y = nodes_of(after, communicate);
      ASSERT_EQ(y.size(), x.size()) << "rank " << rank;
      for (std::size_t n = 0; n < x.size(); ++n) {
        EXPECT_EQ(said(y[n]), said(x[n])) << "rank " << rank << ", node " << n;
        if (!communicate) continue;
        const TraceShape &own = before.shapes.at(x[n].shape), &made = after.shapes.at(y[n].shape);
        EXPECT_EQ(made.work.size(), own.work.size());
        EXPECT_EQ(made.before.size(), own.before.size());
        EXPECT_EQ(made.beside.size(), own.beside.size());
        EXPECT_EQ(made.work.front().collective, own.work.front().collective);
        EXPECT_TRUE(job.groups.contains(made.work.front().group));
      }
    }
  }
}

TEST(JointShapes, GrowWithCopiesOfTheJob) {
  const TraceFolder folder;
  const SyntheticJob job = drawn_job(folder, write_pipeline(folder, "source"), 4, {.ranks = 2});
  const ReadTrace trace = read(folder.file("drawn.0.et"));
  std::size_t transfers = 0, gradients = 0;
  for (const auto& [number, shape] : trace.shapes)
    (shape.work.front().collective == "multicast" ? transfers : gradients) = shape.work.size();
  EXPECT_EQ(transfers, 4U) << "two groups a copy";
  EXPECT_EQ(gradients, 1U) << "a group that grows";
  EXPECT_EQ(job.groups.size(), 6U);
}

// Nodes of each rank by shape and part, or by group.
using RankMeetings = std::map<std::tuple<int, int, std::string>, std::size_t>;

// Every rank of a group comes to it equally often, whatever the number of ranks: none waits for
// another that does not come.
TEST(JointShapes, EveryRankOfAGroupComes) {
  const TraceFolder folder;
  const TraceModel model =
      learn_model({job_sequences(write_pipeline(folder, "source")),
                   job_sequences(write_small_job(folder, "other", {.layers = 3}))},
                  kNoFactor)
          .model;
  Random random(11);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const int ranks = 2 + static_cast<int>(random.below(30));
    const SyntheticJob job = synthesize(model, ranks, seed);
    std::vector<RankMeetings> met(job.ranks.size());
    for (std::size_t r = 0; r < job.ranks.size(); ++r)
      for (const TraceNode& node : read(folder.write("one.0.et", job.ranks[r])).nodes)
        if (node.type == TraceNodeType::kCollective) ++met[r][{node.shape, node.part, node.group}];
    for (const RankMeetings& own : met)
      for (const auto& [meeting, times] : own) {
        const auto& members = job.groups.at(std::get<2>(meeting));
        for (const int rank : members)
          EXPECT_EQ(met[static_cast<std::size_t>(rank)][meeting], times)
              << "seed " << seed << ", " << ranks << " ranks, group " << std::get<2>(meeting);
      }
  }
}

TEST(JointShapes, HaveNoWordsOfTheSource) {
  const TraceFolder folder;
  const LearnedModel learned = learn_model(
      {job_sequences(write_pipeline(folder, "source", "/home/secret/schedule.xml"))}, kNoFactor);
  EXPECT_EQ(model_text(learned.model).find("secret"), std::string::npos);
  EXPECT_EQ(known_algorithm("ring"), "ring");
  EXPECT_EQ(known_algorithm("paper"), "paper");
  EXPECT_EQ(known_algorithm("secret"), "auto");
}

// A shape of one replica of two is written as a collective of each group.
TEST(JointShapes, OfSomeGroupsOfAFamilyAreLeftOut) {
  const TraceFolder folder;
  const std::string source = write_pipeline(folder, "source");
  const JobSequences job = job_sequences(source);
  EXPECT_EQ(job.shapes.size(), 3U);
  const CommGroups groups{{"p0", {0, 2}}, {"p1", {1, 3}}, {"d0", {0, 1}}, {"d1", {2, 3}}};
  LayoutOfJob at;
  at.layout = job.layout;
  at.family_of = {{{0, 2}, 0}, {{1, 3}, 0}};
  at.layout.families = {{.group_of = {0, 1, 0, 1}}};
  EXPECT_TRUE(
      joint_shape({{}, {part_of("p0", "multicast"), part_of("p1", "multicast")}, {}}, groups, at));
  EXPECT_FALSE(joint_shape({{}, {part_of("p1", "multicast")}, {}}, groups, at));
}

}  // namespace
}  // namespace fredsim
