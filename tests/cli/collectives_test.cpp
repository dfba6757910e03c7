// SPDX-License-Identifier: Apache-2.0
// Collectives other than all_reduce, concurrent collectives, and messages for groups that conflict.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

json json_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run_fredsim(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
}

struct CollectiveCase {
  const char* collective;
  const char* mesh;          // algorithm
  const char* fred;          // in-switch where the fabric has FRED switches
  const char* endpoints;     // algorithm at the endpoints of a Fred fabric
  double injected_by_rings;  // all NPUs, in units of the size: mesh, Fred at the endpoints
  double injected_by_fred;
  double bus_factor;
};

void PrintTo(const CollectiveCase& c, std::ostream* out) { *out << c.collective; }

class CollectiveTest : public testing::TestWithParam<CollectiveCase> {};

TEST_P(CollectiveTest, RunsOnEveryFabric) {
  const CollectiveCase& c = GetParam();
  const auto check = [&](const std::vector<std::string>& machine, const char* algorithm,
                         double injected) {
    std::vector<std::string> arguments = machine;
    arguments.insert(arguments.end(),
                     {"--collective", c.collective, "--size", "64KiB", "--algorithm", "paper"});
    const json run = json_run(arguments);
    EXPECT_EQ(run["collective"], c.collective);
    EXPECT_EQ(run["algorithm"], algorithm);
    EXPECT_EQ(run["payload"], "exact");
    EXPECT_DOUBLE_EQ(run["traffic"]["injected_bytes"].get<double>(), injected * 65536);
    EXPECT_NEAR(run["busbw_gbps"].get<double>(), run["algbw_gbps"].get<double>() * c.bus_factor,
                1e-6);
    ASSERT_EQ(run["parts"].size(), 1U);
    EXPECT_EQ(run["parts"][0]["cycles"], run["cycles"]);
    EXPECT_EQ(run["parts"][0]["bound_ns"], run["derived"]["bound_ns"]);
  };
  check({"configs/mesh_2x2.yaml"}, c.mesh, c.injected_by_rings);
  check({"configs/fred_small.yaml"}, c.fred, c.injected_by_fred);
  check({"configs/fred_small.yaml", "--set", "fabric.in_switch=false"}, c.endpoints,
        c.injected_by_rings);
}

INSTANTIATE_TEST_SUITE_P(
    All, CollectiveTest,
    testing::Values(CollectiveCase{"all_reduce", "hier_ring", "in_switch", "hier_ring", 6, 4, 1.5},
                    CollectiveCase{"reduce_scatter", "hier_ring", "in_switch", "hier_ring", 3, 4,
                                   0.75},
                    CollectiveCase{"all_gather", "hier_ring", "in_switch", "hier_ring", 3, 1, 0.75},
                    CollectiveCase{"reduce", "chain", "in_switch", "chain", 3, 4, 1},
                    CollectiveCase{"broadcast", "chain", "in_switch", "chain", 3, 1, 1},
                    CollectiveCase{"multicast", "chain", "in_switch", "chain", 3, 1, 1},
                    CollectiveCase{"gather", "direct", "direct", "direct", 0.75, 0.75, 0.75},
                    CollectiveCase{"scatter", "direct", "direct", "direct", 0.75, 0.75, 0.75},
                    CollectiveCase{"all_to_all", "direct", "direct", "direct", 3, 3, 0.75}),
    [](const auto& one) { return std::string(one.param.collective); });

TEST(Collectives, UnicastGoesFromTheFirstToTheSecond) {
  for (const char* config : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"}) {
    const json run =
        json_run({config, "--collective", "unicast", "--group", "3,1", "--size", "1000"});
    EXPECT_EQ(run["traffic"]["injected_bytes"], 1000);
    std::uint64_t from_3 = 0;
    for (const json& link : run["links"])
      if (link["from"] == "npu3") from_3 += link["bytes"].get<std::uint64_t>();
    EXPECT_EQ(from_3, 1000U);
  }
}

TEST(Collectives, TheRootIsAPositionInTheGroup) {
  const json run = json_run({"configs/mesh_2x2.yaml", "--collective", "scatter", "--group", "2,0,3",
                             "--root", "2", "--size", "3KiB"});
  for (const json& link : run["links"]) {
    if (link["from"] == "npu3" || !link["from"].get<std::string>().starts_with("npu")) continue;
    EXPECT_EQ(link["flits"], 0) << link;
  }
  EXPECT_EQ(run["traffic"]["injected_bytes"], 2048);
}

TEST(Collectives, GroupsRunAtTheSameTime) {
  const json one = json_run({"configs/fred_small.yaml", "--group", "0,1", "--size", "32KiB"});
  const json two =
      json_run({"configs/fred_small.yaml", "--group", "0,1", "--group", "2,3", "--size", "32KiB"});
  EXPECT_EQ(two["groups"], json::parse("[[0, 1], [2, 3]]"));
  EXPECT_EQ(two["cycles"], one["cycles"]);
  EXPECT_EQ(two["parts"].size(), 2U);
  EXPECT_EQ(two["parts"][1]["priority"], "dp");
}

TEST(Collectives, OverlappingGroupsAreAConflictUnlessToldWhatToDo) {
  const std::vector<std::string> work{
      "configs/fred_small.yaml", "--group", "0,1,2", "--group", "2,3", "--size", "32KiB"};
  std::vector<std::string> arguments = work;
  arguments.insert(arguments.begin(), "run");
  const Outcome refused = run_fredsim(arguments);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_EQ(refused.out, "");
  for (const char* word : {"group 0,1,2", "group 2,3", "npu2", "--on-conflict"})
    EXPECT_NE(refused.err.find(word), std::string::npos) << refused.err;

  arguments = work;
  arguments.insert(arguments.end(), {"--on-conflict", "later"});
  const json later = json_run(arguments);
  EXPECT_EQ(later["algorithm"], "in_switch");
  EXPECT_GT(later["parts"][1]["start_cycle"], later["parts"][0]["cycles"]);
  const json& operations = later["operations"];
  EXPECT_EQ(operations["complete"], 2);
  EXPECT_EQ(operations["phases"]["preloaded"], 2);
  EXPECT_EQ(operations["phases"]["found"], 2);
  EXPECT_EQ(operations["phases"]["loaded"], 0);
  EXPECT_EQ(operations["waited_for_phases_cycles"], 0);
  EXPECT_EQ(operations["waited_for_others_cycles"], later["parts"][1]["start_cycle"]);

  arguments.back() = "unicast";
  const json unicast = json_run(arguments);
  EXPECT_EQ(unicast["algorithm"], "in_switch+ring");
  EXPECT_EQ(unicast["parts"][1]["start_cycle"], 0);
  EXPECT_FALSE(unicast.contains("operations"));
}

// Six NPUs on one switch, three groups that pairwise share µSwitches: in Fred_2(6) they conflict in
// any order; a reducing crossbar runs them side by side, each as fast as alone.
TEST(Collectives, AReducingCrossbarHasNoConflicts) {
  std::vector<std::string> work{"configs/fred_64.yaml",
                                "--size",
                                "32KiB",
                                "--set",
                                "npu.count=6",
                                "--set",
                                "npu.bandwidth=600 GB/s",
                                "--set",
                                "fabric.levels=[{below: 6}]",
                                "--set",
                                "fabric.slices=1",
                                "--set",
                                "fabric.middle=2",
                                "--group",
                                "0,2"};
  std::vector<std::string> groups = work;
  groups.insert(groups.end(), {"--group", "1,4", "--group", "3,5"});
  groups.insert(groups.begin(), "run");
  const Outcome refused = run_fredsim(groups);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("Fred_2(6): routing conflict"), std::string::npos) << refused.err;

  groups.erase(groups.begin());
  groups.insert(groups.end(), {"--set", "switch.kind=reducing_crossbar"});
  work.insert(work.end(), {"--set", "switch.kind=reducing_crossbar"});
  const json all = json_run(groups);
  EXPECT_EQ(all["algorithm"], "in_switch");
  EXPECT_EQ(all["payload"], "exact");
  EXPECT_EQ(all["cycles"], json_run(work)["cycles"]);
}

// One collective on FRED switches, on reducing crossbars, and on a mix by level: twins and RTL
// agree, and all add in the same order.
TEST(Collectives, SwitchesOfEveryLevelMayBeOfAnotherKind) {
  const std::vector<std::string> work{"configs/fred_small.yaml", "--size", "32KiB", "--group",
                                      "0,2,3"};
  const auto cycles = [&](std::vector<std::string> more) {
    more.insert(more.begin(), work.begin(), work.end());
    const json twins = json_run(more);
    more.insert(more.end(), {"--model", "lockstep"});
    const json lockstep = json_run(more);
    EXPECT_EQ(twins["algorithm"], "in_switch");
    EXPECT_EQ(twins["payload"], "exact");
    EXPECT_EQ(twins["cycles"], lockstep["cycles"]);
    EXPECT_EQ(twins["links"], lockstep["links"]);
    return twins["cycles"].get<int>();
  };
  // At four ports both have three stages; the crossbar's configuration is in place sooner.
  const int fred = cycles({});
  EXPECT_EQ(cycles({"--set", "switch.kind=reducing_crossbar"}), fred);
  EXPECT_EQ(
      cycles({"--set",
              "fabric={type: fred_tree, slices: 1, middle: 3, link_latency: 20 ns, in_switch: "
              "true, levels: [{below: 2, uplinks: 2, uplink_bandwidth: 1.2 TB/s}, {below: 2, "
              "kind: reducing_crossbar}]}"}),
      fred);
}

// A pool of adders that the flows share: the result does not depend on the number of adders; with
// one adder for every addition of a flow its flits never wait. The cost grows with the adders.
TEST(Collectives, AnAggregatorNeedsFewAdders) {
  const auto run = [](std::string machine, int adders, const std::string& size, const char* model) {
    const json done =
        json_run({machine, "--size", size, "--set", "switch.kind=aggregator", "--set",
                  "switch.params.ADDERS=" + std::to_string(adders), "--model", model});
    EXPECT_EQ(done["payload"], "exact");
    EXPECT_EQ(done["algorithm"], "in_switch");
    return done["cycles"].get<int>();
  };
  const int few = run("configs/fred_d.yaml", 1, "32KiB", "tlm");
  const int some = run("configs/fred_d.yaml", 4, "32KiB", "tlm");
  const int all = run("configs/fred_d.yaml", 11, "32KiB", "tlm");
  EXPECT_GT(few, some);
  EXPECT_GE(some, all);
  const int twins = run("configs/fred_small.yaml", 4, "32KiB", "tlm");
  EXPECT_EQ(run("configs/fred_small.yaml", 4, "32KiB", "rtl"), twins);
  EXPECT_EQ(run("configs/fred_small.yaml", 4, "32KiB", "lockstep"), twins);
}

// A FRED tree whose switches pass flits on only: endpoint algorithms, alike on twins, RTL and both.
TEST(Collectives, RunOnVoqCrossbarsAtTheEndpoints) {
  for (const char* const collective : {"all_reduce", "all_to_all"}) {
    std::vector<std::string> work{
        "configs/fred_small.yaml", "--collective", collective, "--size", "64KiB", "--set",
        "switch.kind=voq_crossbar"};
    const json twins = json_run(work);
    EXPECT_NE(twins["algorithm"], "in_switch");
    EXPECT_EQ(twins["payload"], "exact");
    for (const char* const model : {"rtl", "lockstep"}) {
      std::vector<std::string> other = work;
      other.insert(other.end(), {"--model", model});
      const json run = json_run(other);
      EXPECT_EQ(run["cycles"], twins["cycles"]) << model;
      EXPECT_EQ(run["links"], twins["links"]) << model;
    }
  }
  const Outcome refused = run_fredsim({"run", "configs/fred_small.yaml", "--size", "4KiB", "--set",
                                       "switch.kind=voq_crossbar", "--algorithm", "in_switch"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("in_switch needs switches that add"), std::string::npos)
      << refused.err;
}

// One level of them is enough for that.
TEST(Collectives, NeedSwitchesThatAddAtEveryLevel) {
  const json run = json_run(
      {"configs/fred_small.yaml", "--size", "32KiB", "--set",
       "fabric={type: fred_tree, slices: 1, middle: 3, link_latency: 20 ns, in_switch: false, "
       "levels: [{below: 2, uplinks: 2, uplink_bandwidth: 1.2 TB/s, kind: voq_crossbar}, "
       "{below: 2}]}"});
  EXPECT_NE(run["algorithm"], "in_switch");
  EXPECT_EQ(run["payload"], "exact");
}

class WorkTest : public FolderTest {
 protected:
  // `run` on the small Fred fabric with this work file.
  Outcome run_work(const std::string& text, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"run", "configs/fred_small.yaml", "--work",
                                       write("work.yaml", text)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_fredsim(arguments);
  }
};

TEST_F(WorkTest, SeveralCollectivesWithPrioritiesAndStarts) {
  const std::string work =
      "- collective: all_reduce\n"
      "  groups: [[0, 1], [2, 3]]\n"
      "  priority: mp\n"
      "  size: 8KiB\n"
      "- {collective: broadcast, root: 3, priority: pp, start: 100 ns}\n"
      "- {collective: all_to_all, algorithm: direct, start: 77}\n";
  const json run = run_work(work, {"--size", "20000", "--json", "-"}).json()["runs"][0];
  EXPECT_EQ(run["collective"], "all_reduce+broadcast+all_to_all");
  EXPECT_EQ(run["size_bytes"], 20000);
  ASSERT_EQ(run["parts"].size(), 4U);
  EXPECT_EQ(run["parts"][1]["group"], json::parse("[2, 3]"));
  EXPECT_EQ(run["parts"][1]["size_bytes"], 8192);
  EXPECT_EQ(run["parts"][2]["start_cycle"], 150);
  EXPECT_EQ(run["parts"][2]["priority"], "pp");
  EXPECT_EQ(run["parts"][3]["start_cycle"], 77);
  EXPECT_EQ(run["parts"][3]["algorithm"], "direct");
  const Outcome table = run_work(work);
  for (const char* word : {"2 + 2 + 4 + 4 NPUs", "priority", "0,1,2,3", "mp", "pp", "150"})
    EXPECT_NE(table.out.find(word), std::string::npos) << word << " in\n" << table.out;
}

TEST_F(WorkTest, BadFilesNameTheirLine) {
  expect_refused(run_work("- collective: all_reduce\n  gruops: all\n"),
                 {"work.yaml:2", "gruops", "did you mean 'groups'?"});
  expect_refused(run_work("- collective: all_redcue\n"), {"work.yaml:1", "'all_redcue'"});
  expect_refused(run_work("- size: 1KiB\n"), {"work.yaml:1", "collective"});
  expect_refused(run_work("- collective: gather\n  root: first\n"), {"work.yaml:2", "'first'"});
  expect_refused(run_work("- collective: gather\n  start: 5 parsecs\n"),
                 {"work.yaml:2", "5 parsecs"});
  expect_refused(run_work("- collective: gather\n  groups: []\n"),
                 {"work.yaml:2: groups: a list without groups"});
  expect_refused(run_work("- collective: gather\n  groups: [[]]\n"),
                 {"work.yaml:2: groups: a group without members"});
  for (const char* groups :
       {"[0, 1]", "3", "~", "{a: [0, 1]}", "[[0, 1], {2: 3}]", "[[0, {a: 1}]]"}) {
    expect_refused(run_work(std::string("- collective: gather\n  groups: ") + groups + "\n"),
                   {"work.yaml:2: groups"});
  }
  expect_refused(run_work("collective: gather\n"), {"work.yaml", "list"});
  expect_refused(run_work("- {collective: [}\n"), {"work.yaml:1"});
}

TEST_F(WorkTest, MatrixSaysWhoSendsHowMuch) {
  const auto total = [&](const std::string& file) {
    return json_run({"configs/mesh_2x2.yaml", "--collective", "all_to_all_v", "--matrix",
                     file})["traffic"]["injected_bytes"]
        .get<int>();
  };
  EXPECT_EQ(total(write("m.csv", "9,1,2,3\n0,0,0,0\n600 0 0 0\n1,1,1,5000\n")),
            1 + 2 + 3 + 600 + 3);
  EXPECT_EQ(total(write("m.json", "[[0,1,2,3],[0,0,0,0],[600,0,0,0],[1,1,1,0]]")),
            1 + 2 + 3 + 600 + 3);
  const auto refused = [&](const std::string& text, const std::vector<std::string>& words) {
    expect_refused(run_fredsim({"run", "configs/mesh_2x2.yaml", "--collective", "all_to_all_v",
                                "--matrix", write("bad", text)}),
                   words);
  };
  refused("1,2\n3,4\n", {"4 sizes", "4 × 4"});
  refused("1,2\n3\n", {"2 rows", "1 sizes"});
  refused("[[0,-1],[0,0]]", {"-1"});
  refused("0,x\n0,0\n", {"bad:1", "'x'"});
}

TEST(Collectives, RandomSizesFollowTheSeed) {
  const auto injected = [](const char* seed) {
    return json_run({"configs/mesh_2x2.yaml", "--collective", "all_to_all_v", "--size", "100KiB",
                     "--seed", seed})["traffic"]["injected_bytes"]
        .get<int>();
  };
  EXPECT_EQ(injected("1"), injected("1"));
  EXPECT_NE(injected("1"), injected("2"));
}

TEST(Collectives, CompareRunsTheSameWorkOnDifferentFabrics) {
  const Outcome outcome = run_fredsim(
      {"compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "--collective", "all_gather",
       "--group", "0,1,2", "--size", "10000", "--algorithm", "paper", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_DOUBLE_EQ(outcome.json()["runs"][1]["injected_traffic_reduction"].get<double>(), 2);
}

// With a pace RTL and twins follow the same trajectory, which is slightly longer; the results state
// the pace.
TEST(PacketOrder, PacedIsSaidAndTheSameInRtl) {
  std::vector<std::string> arguments{"configs/mesh_2x2.yaml", "--size", "2MiB", "--algorithm",
                                     "multi_tree"};
  const json plain = json_run(arguments);
  EXPECT_EQ(plain["parts"][0]["packet_order"], "recurring");
  arguments.insert(arguments.end(), {"--packet-order", "paced"});
  const json paced = json_run(arguments);
  EXPECT_EQ(paced["parts"][0]["packet_order"], "paced");
  EXPECT_GT(paced["parts"][0]["frame_cycles"], 0);
  EXPECT_GT(paced["cycles"], plain["cycles"]);
  EXPECT_LT(paced["cycles"].get<double>(), 1.05 * plain["cycles"].get<double>());
  arguments.insert(arguments.end(), {"--model", "lockstep"});
  EXPECT_EQ(json_run(arguments)["cycles"], paced["cycles"]);
}

// The order of arrival gives different cycles; the default is the order in which states recur. The
// results state either.
TEST(PacketOrder, RecurringIsTheDefaultAndArrivalIsWithout) {
  const std::vector<std::string> arguments{"configs/mesh.yaml", "--size",     "4MiB",
                                           "--algorithm",       "multi_tree", "--packet-order"};
  const auto with = [&](const char* order) {
    std::vector<std::string> all = arguments;
    all.emplace_back(order);
    return json_run(all);
  };
  const json arrival = with("arrival");
  EXPECT_FALSE(arrival["parts"][0].contains("packet_order"));
  EXPECT_FALSE(arrival.contains("idealised"));
  const json recurring = with("recurring");
  EXPECT_EQ(recurring["parts"][0]["packet_order"], "recurring");
  ASSERT_EQ(recurring["idealised"].size(), 1U);
  EXPECT_NE(recurring["idealised"][0].get<std::string>().find("--packet-order arrival"),
            std::string::npos);
  EXPECT_NE(arrival["cycles"], recurring["cycles"]);
  EXPECT_EQ(with("auto")["cycles"], recurring["cycles"]);
}

// Between routers that add an order costs, so there is one only where it is asked for.
TEST(PacketOrder, WhereItCostsItIsAskedFor) {
  const std::vector<std::string> arguments{"configs/mesh_reducing.yaml", "--size", "4MiB",
                                           "--algorithm", "multi_tree"};
  EXPECT_FALSE(json_run(arguments)["parts"][0].contains("packet_order"));
  std::vector<std::string> asked = arguments;
  asked.insert(asked.end(), {"--packet-order", "recurring"});
  EXPECT_EQ(json_run(asked)["parts"][0]["packet_order"], "recurring");
}

// A machine that keeps none says so, and runs as ever.
TEST(PacketOrder, OnATreeIsNotedAndWithoutEffect) {
  const Outcome noted = run_fredsim({"run", "configs/fred_small.yaml", "--packet-order", "paced"});
  EXPECT_NE(noted.out.find("packets have no pace"), std::string::npos) << noted.out;
  EXPECT_EQ(json_run({"configs/fred_small.yaml", "--packet-order", "paced"})["cycles"],
            json_run({"configs/fred_small.yaml"})["cycles"]);
}

}  // namespace
}  // namespace fredsim
