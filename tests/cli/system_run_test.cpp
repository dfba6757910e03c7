// SPDX-License-Identifier: Apache-2.0
// BiGraphs, fat trees and graphs: collectives flit by flit, RTL and twin alike, as flows, and
// systems that flows alone can run.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

json result_of(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run_fredsim(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json::object();
}

// Switches of 4 ports: 8 NPUs on 2 + 2 switches, 16 on 20.
Arguments small_bigraph() {
  return {
      "configs/systems/bigraph.yaml", "--set", "fabric.upper=2", "--set", "fabric.lower=2", "--set",
      "fabric.npus_per_switch=2"};
}
Arguments small_fat_tree() { return {"configs/systems/fat_tree.yaml", "--set", "fabric.radix=4"}; }

TEST(SystemRuns, CarryTheirPayload) {
  for (const Arguments& machine :
       {small_bigraph(), small_fat_tree(), Arguments{"configs/systems/graph.yaml"},
        Arguments{"configs/systems/infragraph.yaml"}}) {
    for (const auto& [collective, algorithm] :
         {std::pair("all_reduce", "ring"), std::pair("all_reduce", "direct"),
          std::pair("all_to_all", "direct")}) {
      SCOPED_TRACE(machine[0] + " " + collective + " " + algorithm);
      const json run = result_of(
          machine, {"--collective", collective, "--algorithm", algorithm, "--size", "64KiB"});
      EXPECT_EQ(run["payload"], "exact");
      EXPECT_GT(run["cycles"], 0);
    }
  }
}

TEST(SystemRuns, AreAlikeInRtlAndTwin) {
  for (const Arguments& machine : {small_bigraph(), small_fat_tree()}) {
    SCOPED_TRACE(machine[0]);
    const Arguments work{"--collective", "all_to_all", "--size",
                         "16KiB",        "--set",      "switch.input_buffer=24KiB"};
    const json twin = result_of(machine, work);
    for (const std::string model : {"rtl", "lockstep"}) {
      Arguments with = work;
      with.insert(with.end(), {"--model", model});
      EXPECT_EQ(result_of(machine, with)["cycles"], twin["cycles"]) << model;
    }
  }
}

// Equal paths: every link carries the same load as flit by flit.
TEST(SystemRuns, FlowsTakeTheSamePaths) {
  for (const Arguments& machine :
       {small_bigraph(), small_fat_tree(), Arguments{"configs/systems/graph.yaml"}}) {
    SCOPED_TRACE(machine[0]);
    const Arguments work{"--collective", "all_to_all", "--algorithm", "direct", "--size", "64KiB"};
    Arguments as_flows = work;
    as_flows.insert(as_flows.end(), {"--engine", "flow"});
    const json exact = result_of(machine, work)["links"];
    const json flows = result_of(machine, as_flows)["links"];
    ASSERT_EQ(exact.size(), flows.size());
    ASSERT_GT(exact.size(), 0U);
    for (std::size_t l = 0; l < exact.size(); ++l)
      EXPECT_EQ(exact[l]["flits"], flows[l]["flits"]) << exact[l]["name"];
  }
}

// Eight NPUs on four switches, and in pairs on slow ones beside.
std::string box_of_switches(const TemporaryFolder& folder) {
  std::ofstream(folder.file("box.yaml")) << R"(name: box
clock: 1 GHz
fabric:
  type: graph
  link_latency: 20 ns
  nodes: [{name: g, kind: npu, count: 8}, {name: nv, kind: switch, count: 4}, {name: pcie, kind: switch, count: 4}]
  links:
  - {from: g, to: nv, bandwidth: 100 GB/s}
  - {from: g0, to: pcie0, bandwidth: 25 GB/s}
  - {from: g1, to: pcie0, bandwidth: 25 GB/s}
  - {from: g2, to: pcie1, bandwidth: 25 GB/s}
  - {from: g3, to: pcie1, bandwidth: 25 GB/s}
  - {from: g4, to: pcie2, bandwidth: 25 GB/s}
  - {from: g5, to: pcie2, bandwidth: 25 GB/s}
  - {from: g6, to: pcie3, bandwidth: 25 GB/s}
  - {from: g7, to: pcie3, bandwidth: 25 GB/s}
)";
  return folder.file("box.yaml");
}

// Links into the switches all carry the same, in both engines, of flows between all NPUs and of one
// between two of them.
TEST(SystemRuns, BoxesUseAllOfTheirSwitches) {
  const TemporaryFolder folder;
  const std::string box = box_of_switches(folder);
  for (const std::string engine : {"exact", "flow"}) {
    for (const auto& [collective, algorithm, group] : {std::tuple("all_to_all", "direct", "all"),
                                                       {"all_reduce", "ring", "all"},
                                                       {"unicast", "auto", "0,5"}}) {
      SCOPED_TRACE(engine + " " + collective);
      const json run =
          result_of({box}, {"--engine", engine, "--collective", collective, "--algorithm",
                            algorithm, "--group", group, "--size", "256KiB"});
      std::map<std::string, double> into;  // flits, by switch
      for (const json& link : run["links"]) {
        const std::string to = link["to"];
        into[to.substr(0, to.find('.'))] += link["flits"].get<double>();
      }
      double least = into["nv0"], most = least;
      for (const char* const name : {"nv1", "nv2", "nv3"}) {
        least = std::min(least, into[name]);
        most = std::max(most, into[name]);
      }
      EXPECT_GT(least, 0);
      EXPECT_LE(most, 1.1 * least);
      if (std::string_view(collective) != "all_to_all") continue;
      EXPECT_EQ(into["pcie0"] + into["pcie3"], 0);
    }
  }
}

// A collective of several steps in a dimension names each of the algorithms that they have, as
// --algorithm takes them.
TEST(SystemRuns, NameAlgorithmsThatGiveTheSameRun) {
  for (const std::string size : {"64KiB", "1MiB", "64MiB"}) {
    SCOPED_TRACE(size);
    const Arguments work{"--engine", "flow", "--size", size};
    Arguments named = work;
    const json chosen = result_of({"configs/systems/themis_3d_sw_sw_sw_hetero.yaml"}, work);
    named.insert(named.end(), {"--algorithm", chosen.at("algorithm")});
    const json again = result_of({"configs/systems/themis_3d_sw_sw_sw_hetero.yaml"}, named);
    EXPECT_EQ(again["cycles"], chosen["cycles"]);
    EXPECT_EQ(again["algorithm"], chosen["algorithm"]);
    EXPECT_EQ(again["error"], chosen["error"]);
  }
  const Outcome refused = run_fredsim(
      {"run", "configs/systems/fred_d_16.yaml", "--engine", "flow", "--algorithm", "ring+nothing"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("found 'nothing'"), std::string::npos) << refused.err;
}

// Packets of hier_direct, which have no order, delay each other later than in the raced part of it;
// packets of the ring do not.
TEST(SystemRuns, TakeAnOrderOfPacketsWhereRacesAreClose) {
  const json chosen =
      result_of({"configs/systems/bigraph.yaml"}, {"--engine", "flow", "--size", "16MiB"});
  const json other =
      result_of({"configs/systems/bigraph.yaml"},
                {"--engine", "flow", "--size", "16MiB", "--algorithm", "hier_direct"});
  EXPECT_EQ(chosen["algorithm"], "ring");
  EXPECT_LT(1.05 * chosen["cycles"].get<double>(), other["cycles"].get<double>());
}

TEST(SystemRuns, LargeOnesRunAsFlowsAlone) {
  const Arguments large{"configs/systems/fat_tree.yaml", "--set", "fabric.radix=4", "--set",
                        "fabric.oversubscription=16"};
  const json run = result_of(large, {"--collective", "all_reduce", "--algorithm", "ring", "--size",
                                     "64MiB", "--engine", "flow"});
  EXPECT_EQ(run["payload"], "not carried");
  EXPECT_GT(run["cycles"], 0);
  for (const std::string command : {"run", "train", "traffic"}) {
    Arguments words = large;
    words.insert(words.begin(), command);
    if (command == "run")
      words.insert(words.end(), {"--collective", "all_reduce", "--size", "1MiB"});
    if (command == "train") words.insert(words.end(), {"--workload", "resnet152", "--dp", "256"});
    if (command == "traffic") words.insert(words.end(), {"--rate", "0.1"});
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 2) << command;
    for (const char* part :
         {"fat_tree.yaml: found e0_0 with 34 ports; allowed: up to 32 flit by flit",
          "--engine flow"})
      EXPECT_NE(outcome.err.find(part), std::string::npos) << command << ": " << outcome.err;
  }
}

}  // namespace
}  // namespace fredsim
