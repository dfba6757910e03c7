// SPDX-License-Identifier: Apache-2.0
// Contract of the table of algorithms.
#include "collective/algorithm.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <set>

#include "base/error.h"
#include "fabrics.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

constexpr auto kCollectives = std::to_array<Collective>(
    {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
     Collective::kReduce, Collective::kBroadcast, Collective::kGather, Collective::kScatter,
     Collective::kAllToAll, Collective::kMulticast});

std::vector<Topology> machines() {
  return {mesh(4, 3),  torus(4, 3),          reducing_mesh(4, 3),
          fred_tree(), fred_tree({}, false), torus3d(3, 2, 2, 2)};
}

// Groups in a line, in a rectangle, apart, and all NPUs.
std::vector<std::vector<int>> groups() {
  return {{0, 1, 2}, {0, 1, 4, 5}, {0, 3, 9, 11, 6}, {7, 2}, first_ranks(12)};
}

TEST(Algorithms, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Algorithm* algorithm : algorithms()) {
    EXPECT_TRUE(names.insert(algorithm->name()).second) << algorithm->name();
    EXPECT_FALSE(is_choice(algorithm->name())) << algorithm->name();
    EXPECT_EQ(find_algorithm(algorithm->name()), algorithm);
  }
}

TEST(Algorithms, AreOnThePage) {
  std::ifstream file("docs/user/collectives.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const Algorithm* algorithm : algorithms())
    EXPECT_NE(page.find("`" + std::string(algorithm->name()) + "`"), std::string::npos)
        << algorithm->name();
}

TEST(Algorithms, PlainOnesFitEverywhere) {
  for (const Topology& topology : machines()) {
    for (const Collective collective : kCollectives) {
      for (const std::vector<int>& group : groups()) {
        Part part;
        part.collective = collective;
        for (const int member : group) part.members.push_back(topology.npus[member]);
        const Algorithm& plain = plain_algorithm(collective);
        EXPECT_TRUE(plain.exists_on(topology));
        EXPECT_EQ(plain.refusal(topology, part), "") << plain.name();
        const Algorithm& papers = paper_algorithm(topology, part);
        EXPECT_TRUE(papers.is_papers(topology, collective)) << papers.name();
        EXPECT_EQ(papers.refusal(topology, part), "") << papers.name();
      }
    }
  }
}

// An accepted algorithm is planned under its name; a refusal states the allowed algorithms, and
// these are planned.
TEST(Algorithms, PlanWhatTheyDoNotRefuse) {
  int planned = 0, refused = 0;
  for (const Topology& topology : machines()) {
    for (const Algorithm* algorithm : algorithms()) {
      for (const Collective collective : kCollectives) {
        for (const std::vector<int>& group : groups()) {
          if (!algorithm->has(collective)) continue;
          Part part;
          part.collective = collective;
          for (const int member : group) part.members.push_back(topology.npus[member]);
          const std::string name(algorithm->name());
          const std::string what = name + " " + to_string(collective) + " on " + topology.name;
          const std::string why = algorithm->refusal(topology, part);
          const bool exists = algorithm->exists_on(topology);
          if (why.empty()) {
            EXPECT_TRUE(exists) << what;
            const Plan plan = make_plan(topology, collective, group, 5000, name);
            EXPECT_EQ(plan.parts.front().algorithm, name) << what;
            EXPECT_FALSE(plan.trees.empty()) << what;
            ++planned;
            continue;
          }
          EXPECT_NE(why.find("; allowed: auto"), std::string::npos) << why;
          try {
            make_plan(topology, collective, group, 5000, name);
            ADD_FAILURE() << what << " is planned";
          } catch (const BadInput& error) {
            EXPECT_EQ(error.what(), "algorithm: " + why);
          }
          ++refused;
        }
      }
    }
  }
  EXPECT_GT(planned, 500);
  EXPECT_GT(refused, 100);
}

TEST(Algorithms, OfOneRootHaveAnotherName) {
  EXPECT_EQ(find_algorithm("ring", Collective::kReduce),
            find_algorithm("chain", Collective::kReduce));
  EXPECT_NE(find_algorithm("ring", Collective::kAllReduce), nullptr);
  EXPECT_EQ(find_algorithm("chain", Collective::kAllReduce), nullptr);
  EXPECT_EQ(allowed_algorithms(Collective::kReduce),
            "auto, paper, chain, ring, tree … (4 more: fredsim help run --all)");
  EXPECT_EQ(allowed_algorithms(Collective::kGather), "auto, paper or direct");
}

TEST(Choice, HasOneName) {
  EXPECT_EQ(choice_of("auto"), Choice::kFastest);
  EXPECT_EQ(choice_of("paper"), Choice::kPapers);
  for (const char* none : {"", "Auto", "paper ", "ring"})
    EXPECT_EQ(choice_of(none), Choice::kNone) << none;
  EXPECT_EQ(choice_names(), (std::vector<std::string_view>{"auto", "paper"}));
  for (const std::string_view name : choice_names()) EXPECT_EQ(to_string(choice_of(name)), name);
}

}  // namespace
}  // namespace fredsim::test
