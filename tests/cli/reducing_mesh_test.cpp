// SPDX-License-Identifier: Apache-2.0
// A mesh whose routers add, on the command line: collectives in the routers and at the endpoints,
// groups, traffic, on twins, RTL and both in lockstep.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

std::vector<std::string> on_mesh(const char* command, std::vector<std::string> more) {
  more.insert(more.begin(),
              {command, "configs/mesh_2x2.yaml", "--set", "switch.kind=mesh_reducing"});
  return more;
}

json reducing_run(std::vector<std::string> more) {
  more.insert(more.end(), {"--json", "-"});
  const Outcome outcome = run_fredsim(on_mesh("run", std::move(more)));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
}

class ReducingMesh : public testing::TestWithParam<const char*> {};

TEST_P(ReducingMesh, CollectivesInTheRouters) {
  for (const char* collective :
       {"all_reduce", "reduce_scatter", "all_gather", "reduce", "broadcast", "multicast"}) {
    SCOPED_TRACE(collective);
    const std::vector<std::string> work{"--collective", collective, "--algorithm",
                                        "in_switch",    "--size",   "20000"};
    const json twins = reducing_run(work);
    EXPECT_EQ(twins["algorithm"], "in_switch");
    EXPECT_EQ(twins["payload"], "exact");
    std::vector<std::string> other = work;
    other.insert(other.end(), {"--model", GetParam()});
    const json run = reducing_run(other);
    EXPECT_EQ(run["payload"], "exact");
    EXPECT_EQ(run["cycles"], twins["cycles"]);
    EXPECT_EQ(run["links"], twins["links"]);
  }
}

TEST_P(ReducingMesh, CollectivesAtTheEndpoints) {
  for (const char* algorithm : {"ring", "hier_ring"}) {
    const json run =
        reducing_run({"--algorithm", algorithm, "--size", "20000", "--model", GetParam()});
    EXPECT_EQ(run["algorithm"], algorithm);
    EXPECT_EQ(run["payload"], "exact");
  }
  EXPECT_EQ(reducing_run({"--collective", "all_to_all", "--size", "20000", "--model",
                          GetParam()})["payload"],
            "exact");
}

TEST_P(ReducingMesh, SeveralGroupsAtOnce) {
  const json run = reducing_run({"--algorithm", "in_switch", "--group", "0,1", "--group", "3,2",
                                 "--size", "20000", "--model", GetParam()});
  EXPECT_EQ(run["payload"], "exact");
  EXPECT_EQ(run["parts"].size(), 2U);
  EXPECT_EQ(run["parts"][0]["cycles"], run["parts"][1]["cycles"]);
}

TEST_P(ReducingMesh, Traffic) {
  const Outcome outcome = run_fredsim(
      on_mesh("traffic", {"--rate", "0.2", "--warmup", "300", "--cycles", "1000", "--packet-flits",
                          "4", "--model", GetParam(), "--json", "-"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json run = outcome.json()["runs"][0];
  EXPECT_EQ(run["packets"], run["packets_arrived"]);
  EXPECT_EQ(run["saturated"], false);
}

INSTANTIATE_TEST_SUITE_P(Models, ReducingMesh, testing::Values("tlm", "rtl", "lockstep"),
                         [](const auto& model) { return std::string(model.param); });

// NPU 1 cannot send for two groups of one priority in the routers.
TEST(ReducingMeshGroups, ThatMeetAreAConflictWhereTheRoutersAreAskedFor) {
  const std::vector<std::string> groups{"--group", "0,1,2", "--group", "3,1", "--size", "20000"};
  std::vector<std::string> asked = groups;
  asked.insert(asked.end(), {"--algorithm", "in_switch"});
  const Outcome refused = run_fredsim(on_mesh("run", asked));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_EQ(refused.out, "");
  for (const char* word : {"group 0,1,2", "group 3,1", "npu1", "--on-conflict"})
    EXPECT_NE(refused.err.find(word), std::string::npos) << refused.err;
  asked.insert(asked.end(), {"--on-conflict", "later"});
  const json later = reducing_run(asked);
  EXPECT_EQ(later["algorithm"], "in_switch");
  EXPECT_EQ(later["payload"], "exact");
  EXPECT_GT(later["parts"][1]["start_cycle"], later["parts"][0]["cycles"]);
  asked.back() = "unicast";
  const json unicast = reducing_run(asked);
  EXPECT_TRUE(unicast["algorithm"].get<std::string>().starts_with("in_switch+"));
  EXPECT_EQ(unicast["payload"], "exact");
  // Unicasts and trees of one channel are never in flight together.
  EXPECT_GT(unicast["parts"][1]["start_cycle"], unicast["parts"][0]["cycles"]);
  // Without a request, both run at the endpoints.
  const json automatic = reducing_run(groups);
  EXPECT_EQ(automatic["algorithm"].get<std::string>().find("in_switch"), std::string::npos);
  EXPECT_EQ(automatic["payload"], "exact");
}

}  // namespace
}  // namespace fredsim
