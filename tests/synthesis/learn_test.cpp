// SPDX-License-Identifier: Apache-2.0
#include "synthesis/learn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "small_job.h"
#include "synthesis/detail/ngram.h"

namespace fredsim {
namespace {

constexpr double kFactor = 0.9;

TEST(JobSequences, RanksThatDoTheSameHaveOneRole) {
  const TraceFolder folder;
  const JobSequences job = job_sequences(write_small_job(folder, "job"));
  EXPECT_EQ(job.layout.role_of, (std::vector<int>{0, 0, 0, 0}));
  ASSERT_EQ(job.layout.families.size(), 2U);
  EXPECT_EQ(job.layout.families[0].group_of, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_FALSE(job.layout.families[0].grows);
  EXPECT_EQ(job.layout.families[1].group_of, (std::vector<int>{0, 1, 0, 1}));
  EXPECT_TRUE(job.layout.families[1].grows);
  ASSERT_EQ(job.sequences.size(), 1U);
  EXPECT_EQ(job.sequences[0].size(), 9U);
  EXPECT_EQ(job.nodes, 36U);
}

// Recorded ranks take different times, for which others wait.
TEST(JobSequences, RanksThatComputeDifferentlyHaveRolesOfTheirOwn) {
  const TraceFolder folder;
  for (int rank = 0; rank < 4; ++rank) {
    ChakraWriter writer;
    TraceNode computation{.id = 0, .type = TraceNodeType::kCompute};
    computation.duration_ps = 1'000'000 * static_cast<std::uint64_t>(1 + rank / 2);
    writer.add(computation);
    TraceNode reduction{.id = 1, .type = TraceNodeType::kCollective, .after = {0}};
    reduction.bytes = 5000;
    writer.add(reduction);
    folder.write(fmt::format("own.{}.et", rank), writer.text());
  }
  const JobSequences job = job_sequences(folder.file("own"));
  EXPECT_EQ(job.layout.role_of, (std::vector<int>{0, 0, 1, 1}));
  ASSERT_EQ(job.sequences.size(), 1U);
  EXPECT_EQ(job.sequences[0].size(), 3U) << "a computation of each role, one reduction of all";
}

TEST(JobSequences, AreNamedByPrefixPatternOrFile) {
  const TraceFolder folder;
  const std::string prefix = write_small_job(folder, "job");
  for (const char* const ending : {"", ".%d.et", ".0.et"})
    EXPECT_EQ(job_sequences(prefix + ending).nodes, 36U) << ending;
}

// Two stages of two ranks: the first of each sends to both of the other. Their second ranks have
// groups of equal ranks and differ in the root alone.
TEST(JobSequences, RolesFollowTheRoot) {
  const TraceFolder folder;
  const std::array<std::vector<int>, 2> groups{{{0, 2, 3}, {0, 1, 2}}};
  for (int rank = 0; rank < 4; ++rank) {
    ChakraWriter writer;
    std::uint64_t id = 0;
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (std::ranges::count(groups[g], rank) > 0) {
        TraceNode node{.id = id++, .type = TraceNodeType::kCollective};
        node.collective = TraceCollective::kBroadcast;
        node.bytes = 5000;
        node.peer = g == 0 ? 0 : 2;
        node.group = fmt::format("{}", g);
        writer.add(node);
      }
    folder.write(fmt::format("pp.{}.et", rank), writer.text());
  }
  folder.write("pp.groups.json", R"({"0":[0,2,3],"1":[0,1,2]})");
  EXPECT_EQ(job_sequences(folder.file("pp")).layout.role_of, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Learn, ModelHasNeitherNamesNorExactSizes) {
  const TraceFolder folder;
  const LearnedModel learned =
      learn_model({job_sequences(write_small_job(folder, "job"))}, kFactor);
  const std::string text = model_text(learned.model);
  for (const char* const secret : {"secret", "tensor", "data", "even", "123456", "1234560"})
    EXPECT_EQ(text.find(secret), std::string::npos) << secret << " in " << text;
  EXPECT_NE(text.find("110000"), std::string::npos) << "123456 times 0.9, two digits: " << text;
}

TEST(Learn, LayersAreARepeat) {
  const TraceFolder folder;
  const LearnedModel learned =
      learn_model({job_sequences(write_small_job(folder, "job", {.layers = 12}))}, kFactor);
  ASSERT_EQ(learned.model.repeats.size(), 1U);
  EXPECT_EQ(learned.model.repeats[0].count, 12) << "the first layer, too, which waits for nothing";
  EXPECT_LT(learned.folded, learned.symbols);
}

TEST(Learn, SmallSizesDoNotTellTheFactor) {
  const TraceFolder folder;
  const LearnedModel learned =
      learn_model({job_sequences(write_small_job(folder, "job", {.bytes = 8}))}, kFactor);
  for (const TraceToken& token : learned.model.tokens)
    for (const std::uint64_t size : token.sizes.values)
      EXPECT_EQ(size & (size - 1), 0U) << size << ": allowed: powers of two";
}

TEST(Ngram, ContextsThatSayNoMoreAreLeftOut) {
  std::vector<ContextCounts> counts = count_contexts({{0, {1, 2, 1, 2, 3}, 1}}, 1, 3);
  prune_contexts(counts[0]);
  EXPECT_TRUE(counts[0].contains({1, 0})) << "2 comes after the first 1";
  EXPECT_FALSE(counts[0].contains({2, 0, 1, 1})) << "2 comes next, as after the second 1";
  EXPECT_EQ(next_symbols(counts[0], {kSequenceStart, 0, 1, 0, 2, 0, 1, 1}), (SymbolCounts{{2, 1}}));
}

TEST(Ngram, OrderIsFoundByHeldOutSequences) {
  // The symbol after 0 0 depends on the one before them.
  std::vector<ScopedSequence> sequences;
  for (int n = 0; n < 40; ++n) {
    const int one = 1 + (n * n / 3) % 2;
    sequences.push_back({0, {one, 0, 0, one, one, 0, 0, one}, 1});
  }
  const OrderBits bits = held_out_bits(sequences, 1, 3);
  EXPECT_LT(bits[3], bits[2] - 0.1);
  EXPECT_LT(bits[3], bits[1] - 0.1);
  EXPECT_GE(best_order(bits), 3);
}

}  // namespace
}  // namespace fredsim
