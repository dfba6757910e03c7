// SPDX-License-Identifier: Apache-2.0
#include "synthesis/synthesize.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "small_job.h"
#include "synthesis/learn.h"
#include "workload_files/trace_check.h"
#include "workload_files/trace_info.h"

namespace fredsim {
namespace {

TraceModel model_of(const TraceFolder& folder, const std::vector<SmallJob>& jobs) {
  std::vector<JobSequences> read;
  for (std::size_t n = 0; n < jobs.size(); ++n)
    read.push_back(job_sequences(write_small_job(folder, fmt::format("source{}", n), jobs[n])));
  return learn_model(read, 1.1).model;
}

// The job's files, checked as a run does.
TraceFiles written(const TraceFolder& folder, const SyntheticJob& job, const std::string& name) {
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    folder.write(fmt::format("{}.{}.et", name, r), job.ranks[r]);
  return check_traces(folder.file(name));
}

TEST(Synthesize, EqualSeedsGiveEqualTraces) {
  const TraceFolder folder;
  const TraceModel model = model_of(folder, {{}, {.layers = 6, .bytes = 150'000}, {.layers = 9}});
  const SyntheticJob one = synthesize(model, 4, 3);
  EXPECT_EQ(one.ranks, synthesize(model, 4, 3).ranks);
  std::set<std::vector<std::string>> different;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    different.insert(synthesize(model, 4, seed).ranks);
  EXPECT_GE(different.size(), 3U) << "seeds give traces of their own";
}

// No layer equals another, and nothing repeats.
TEST(Synthesize, OneJobWithoutRepeatsKeepsItsCountsAndOrder) {
  const TraceFolder folder;
  for (int rank = 0; rank < 4; ++rank) {
    ChakraWriter writer;
    for (std::uint64_t layer = 0; layer < 12; ++layer) {
      TraceNode node{.id = layer, .type = TraceNodeType::kCompute};
      if (layer > 0) node.after = {layer - 1};
      node.duration_ps = 10'000'000 * (1 + layer * layer % 7 + layer % 2 * 8);
      writer.add(node);
    }
    TraceNode gradient{.id = 12, .type = TraceNodeType::kCollective, .after = {11}};
    gradient.bytes = 100'000;
    writer.add(gradient);
    folder.write(fmt::format("one.{}.et", rank), writer.text());
  }
  const TraceModel model = learn_model({job_sequences(folder.file("one"))}, 1.0).model;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const SyntheticJob job = synthesize(model, 4, seed);
    EXPECT_EQ(job.nodes, 52U) << "seed " << seed;
    written(folder, job, "drawn");
    const auto source = read_trace_nodes(folder.file("one.0.et"));
    const auto drawn = read_trace_nodes(folder.file("drawn.0.et"));
    ASSERT_EQ(drawn.size(), source.size());
    for (std::size_t n = 0; n < source.size(); ++n)
      EXPECT_NEAR(static_cast<double>(drawn[n].duration_ps),
                  static_cast<double>(source[n].duration_ps),
                  0.2 * static_cast<double>(source[n].duration_ps))
          << "seed " << seed << ", node " << n;
  }
}

TEST(Synthesize, RanksOfAnUnequalAllToAllSendTheirShares) {
  const TraceFolder folder;
  const std::vector<std::uint64_t> bytes{40'000, 10'000, 0, 80'000};
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    ChakraWriter writer;
    TraceNode exchange{.id = 0, .type = TraceNodeType::kCollective};
    exchange.collective = TraceCollective::kAllToAll;
    exchange.bytes = bytes[rank];
    exchange.splits.assign(4, bytes[rank] / 4);
    TraceNode computation{.id = 1, .type = TraceNodeType::kCompute, .after = {0}};
    computation.duration_ps = 1'000'000 * (rank + 1);
    writer.add(exchange);
    writer.add(computation);
    folder.write(fmt::format("source.{}.et", rank), writer.text());
  }
  const TraceModel model = learn_model({job_sequences(folder.file("source"))}, 1.0).model;
  const TraceModel back = read_model(folder.write("model.json", model_text(model)));
  written(folder, synthesize(back, 4, 1), "drawn");
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    const auto nodes = read_trace_nodes(folder.file(fmt::format("drawn.{}.et", rank)));
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].bytes, bytes[rank]) << rank;
    EXPECT_EQ(nodes[0].splits.size(), 4U) << rank;
  }
}

TEST(Synthesize, ConsecutiveSeedsTakeLayoutsInTurn) {
  const TraceFolder folder;
  TraceModel model = model_of(folder, {{}});
  model.layouts.push_back(model.layouts[0]);
  model.layouts[1].families[1].group_of = {0, 0, 0, 0};
  model.scopes.insert(model.scopes.begin() + 1, model.scopes[0]);
  model.weights = {2, 4};
  std::map<std::size_t, int> groups;
  for (std::uint64_t seed = 0; seed < 6; ++seed) ++groups[synthesize(model, 4, seed).groups.size()];
  EXPECT_EQ(groups, (std::map<std::size_t, int>{{4, 2}, {2, 4}})) << "two of six, four of six";
}

TEST(Synthesize, GroupsAreThoseOfTheLayout) {
  const TraceFolder folder;
  const SyntheticJob job = synthesize(model_of(folder, {{}}), 4, 1);
  EXPECT_EQ(job.groups, (std::map<std::string, std::vector<int>>{
                            {"g0", {0, 1}}, {"g1", {2, 3}}, {"g2", {0, 2}}, {"g3", {1, 3}}}));
}

TEST(Synthesize, DataParallelGroupsGrowWithTheRanks) {
  const TraceFolder folder;
  const SyntheticJob job = synthesize(model_of(folder, {{}}), 4, 1, {.ranks = 2});
  ASSERT_EQ(job.ranks.size(), 8U);
  EXPECT_EQ(job.groups.size(), 6U) << "four of two ranks, two of four";
  EXPECT_EQ(job.groups.at("g4"), (std::vector<int>{0, 2, 4, 6}));
}

TEST(Synthesize, ScaleMultipliesLayersBytesAndTimes) {
  const TraceFolder folder;
  const TraceModel model = model_of(folder, {{.layers = 10}});
  const auto info = [&](const SynthesisScale& scale, const std::string& name) {
    written(folder, synthesize(model, 4, 1, scale), name);
    const std::string path = folder.file(name + ".0.et");
    return trace_info(path, read_trace_nodes(path));
  };
  const TraceInfo one = info({}, "one");
  const TraceInfo more = info({.layers = 2, .bytes = 4, .compute = 0.5}, "more");
  EXPECT_EQ(one.nodes, 21U);
  EXPECT_EQ(more.nodes, 41U) << "twice ten layers of two nodes, and the gradient";
  EXPECT_EQ(more.sizes.max, 4 * one.sizes.max);
  EXPECT_EQ(more.durations.max, one.durations.max / 2);
}

TEST(Synthesize, ParsesScales) {
  const SynthesisScale scale = parse_scale("layers=2,bytes=4,compute=0.5,ranks=8", "--scale");
  EXPECT_EQ(scale.layers, 2);
  EXPECT_EQ(scale.bytes, 4);
  EXPECT_EQ(scale.compute, 0.5);
  EXPECT_EQ(scale.ranks, 8);
  for (const char* const bad : {"layer=2", "layers", "layers=", "ranks=1.5", "bytes=0", "bytes=x"})
    EXPECT_THROW(parse_scale(bad, "--scale"), BadInput) << bad;
}

TEST(Synthesize, TracesOfAnyNumberOfRanksCanRun) {
  const TraceFolder folder;
  const TraceModel model = model_of(folder, {{}, {.layers = 7}});
  for (int ranks = 1; ranks <= 9; ++ranks) {
    const SyntheticJob job = synthesize(model, ranks, static_cast<std::uint64_t>(ranks));
    const std::string name = fmt::format("job{}", ranks);
    EXPECT_EQ(written(folder, job, name).nodes, job.nodes) << ranks;
    EXPECT_NO_THROW(job_sequences(folder.file(name))) << ranks;
  }
}

}  // namespace
}  // namespace fredsim
