// SPDX-License-Identifier: Apache-2.0
// --engine flow beside --engine exact.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

json runs_of(Words words, const std::string& engine) {
  words.insert(words.end(), {"--engine", engine, "--quiet", "--json", "-"});
  const Outcome outcome = run_fredsim(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"] : json::array();
}

// Bytes and flits of every link, and the injected traffic, are equal; times at calibrated sizes
// are, too.
TEST(FlowEngine, HasTheTrafficOfExactRunsAndTheirTimesWhereCalibrated) {
  for (const std::string machine : {"mesh_2x2", "fred_small", "fred_d"}) {
    for (const std::string collective : {"all_reduce", "broadcast"}) {
      SCOPED_TRACE(machine + ", " + collective);
      const Words words{"run",          "configs/" + machine + ".yaml",
                        "--collective", collective,
                        "-b",           "64KiB",
                        "-e",           "4MiB",
                        "-f",           "4"};
      const json exact = runs_of(words, "exact");
      const json flow = runs_of(words, "flow");
      ASSERT_EQ(exact.size(), 4U);
      ASSERT_EQ(flow.size(), 4U);
      for (std::size_t r = 0; r < exact.size(); ++r) {
        const json& f = flow[r];
        EXPECT_EQ(f["engine"], "flow");
        EXPECT_EQ(f["payload"], "not carried");
        EXPECT_EQ(f["algorithm"], exact[r]["algorithm"]);
        EXPECT_EQ(f["traffic"], exact[r]["traffic"]);
        ASSERT_EQ(f["links"].size(), exact[r]["links"].size());
        for (std::size_t l = 0; l < f["links"].size(); ++l) {
          EXPECT_EQ(f["links"][l]["flits"], exact[r]["links"][l]["flits"]);
          EXPECT_EQ(f["links"][l]["bytes"], exact[r]["links"][l]["bytes"]);
        }
        EXPECT_EQ(f["cycles"], exact[r]["cycles"]);
        EXPECT_FALSE(f["error"]["sizes"].empty());
      }
    }
  }
}

// A size whose exact run costs no more than its calibration is run exactly, without error, and the
// result states it.
TEST(FlowEngine, TakesTheExactRunOfOneSize) {
  struct Work {
    const char *machine, *collective, *algorithm;
  };
  for (const auto& [machine, collective, algorithm] :
       std::vector<Work>{{"mesh_2x2", "all_reduce", "multi_tree"},
                         {"mesh_2x2", "all_to_all", "direct"},
                         {"fred_small", "all_gather", "in_switch"},
                         {"fred_b", "all_gather", "in_switch"},
                         {"fred_d", "all_reduce", "in_switch"},
                         {"fred_d", "reduce_scatter", "in_switch"},
                         {"mesh_reducing", "reduce_scatter", "in_switch"},
                         {"mesh_reducing", "all_reduce", "ring"},
                         {"mesh", "all_reduce", "multi_tree"},
                         {"torus", "broadcast", "chain"}}) {
    SCOPED_TRACE(std::string(machine) + ", " + collective + " by " + algorithm);
    const Words words{"run",          std::string("configs/") + machine + ".yaml",
                      "--collective", collective,
                      "--algorithm",  algorithm,
                      "-b",           "77777",
                      "-e",           "1300000",
                      "-f",           "4"};
    const json exact = runs_of(words, "exact");
    const json flow = runs_of(words, "flow");
    ASSERT_EQ(exact.size(), 3U);
    ASSERT_EQ(flow.size(), 3U);
    for (std::size_t r = 0; r < exact.size(); ++r) {
      EXPECT_EQ(flow[r]["cycles"], exact[r]["cycles"]) << exact[r]["size_bytes"];
      EXPECT_EQ(flow[r]["error"]["worst_percent"], 0) << exact[r]["size_bytes"];
      EXPECT_EQ(flow[r]["error"]["sizes"], json::array({exact[r]["size_bytes"]}));
    }
  }
}

class FlowsOfLargeSizes : public FolderTest {};

// Links of 500 ns with insufficient buffers: 2.2 times the time by bandwidth alone, at simulated
// and larger sizes.
TEST_F(FlowsOfLargeSizes, GoOnAsExactRuns) {
  const std::string ring = write("ring.yaml",
                                 "name: ring\nclock: 1 GHz\nfabric:\n  type: dimensions\n"
                                 "  dimensions:\n    - {block: ring, size: 8, bandwidth: 50 GB/s, "
                                 "latency: 500 ns}\n");
  const auto cycles = [&](const std::string& size, const std::string& engine) {
    const json runs = runs_of({"run", ring, "--algorithm", "ring", "--size", size}, engine);
    return runs.empty() ? 0 : runs[0]["cycles"].get<double>();
  };
  const double exact = cycles("2MiB", "exact");
  EXPECT_EQ(cycles("2MiB", "flow"), exact);
  EXPECT_NEAR(cycles("64MiB", "flow") / exact, 32, 32 * 0.05);
  EXPECT_NEAR(cycles("1GiB", "flow") / exact, 512, 512 * 0.05);
}

// Packets have an order from 4 MiB on; each then drains without waiting for other packets: small
// sizes take a seventh longer per byte.
TEST_F(FlowsOfLargeSizes, AreExactRunsWhereTheseRepeatThemselves) {
  const std::string links[] = {"s0, to: s1, bandwidth: 25",   "s1, to: s2, bandwidth: 12.5",
                               "s0, to: s3, bandwidth: 25",   "npu0, to: s3, bandwidth: 100",
                               "npu0, to: s2, bandwidth: 50", "npu1, to: s3, bandwidth: 25",
                               "npu2, to: s1, bandwidth: 25", "npu3, to: s1, bandwidth: 50",
                               "npu4, to: s0, bandwidth: 50", "npu4, to: s1, bandwidth: 100"};
  std::string text =
      "name: graph\nclock: auto\nfabric:\n  type: graph\n  nodes:\n"
      "    - {name: npu, kind: npu, count: 5}\n    - {name: s, kind: switch, count: 4}\n  links:\n";
  for (const std::string& link : links)
    text += "    - {from: " + link + " GB/s, latency: 500 ns}\n";
  const std::string graph = write("graph.yaml", text);
  const auto run = [&](const std::string& algorithm, const std::string& engine) -> json {
    const json runs = runs_of({"run", graph, "--algorithm", algorithm, "--size", "256MiB"}, engine);
    EXPECT_EQ(runs.size(), 1U);
    return runs.empty() ? json() : runs[0];
  };
  const json flow = run("ring", "flow");
  EXPECT_EQ(flow.at("cycles"), run("ring", "exact").at("cycles"));
  EXPECT_EQ(flow.at("error").at("worst_percent"), 0);
  const double direct = run("direct", "exact").at("cycles");
  EXPECT_NEAR(run("direct", "flow").at("cycles"), direct, 0.01 * direct);
}

// Sizes that are run, and sizes that are not.
TEST_F(FlowsOfLargeSizes, NeverTakeLess) {
  for (const std::string machine : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"}) {
    for (const std::string collective : {"all_reduce", "all_to_all"}) {
      double before = 0;
      for (const std::string size : {"64KiB", "1MiB", "256MiB", "1GiB"}) {
        const json runs =
            runs_of({"run", machine, "--collective", collective, "--size", size}, "flow");
        ASSERT_EQ(runs.size(), 1U);
        EXPECT_GE(runs[0]["cycles"].get<double>(), before)
            << machine << ", " << collective << ", " << size;
        before = runs[0]["cycles"].get<double>();
      }
    }
  }
}

// Groups whose paths cross, that share NPUs, or whose phases differ in a chiplet, at sizes that are
// not calibrated.
class FlowsTogether : public FolderTest {
 protected:
  // Groups begin `cycles` apart, by `key` of the work file.
  std::string work(const std::string& collective, const std::vector<std::string>& groups,
                   int cycles, const std::string& key) {
    std::string text;
    for (std::size_t g = 0; g < groups.size(); ++g)
      text += "- collective: " + collective + "\n  groups: [[" + groups[g] + "]]\n  " + key + ": " +
              std::to_string(1 + static_cast<int>(g) * cycles) + "\n";
    return write("work.yaml", text);
  }
  static void expect_near(const std::string& machine, const std::string& file,
                          const std::string& size) {
    const Words words{"run", "configs/" + machine + ".yaml", "--work", file, "--size", size};
    const json exact = runs_of(words, "exact");
    const json flow = runs_of(words, "flow");
    ASSERT_EQ(exact.size(), 1U);
    ASSERT_EQ(flow.size(), 1U);
    const auto cycles = [](const json& runs) { return runs[0]["cycles"].get<double>(); };
    EXPECT_LE(100 * std::abs(cycles(flow) / cycles(exact) - 1), kMaxPercentTogether);
    EXPECT_FALSE(flow[0]["error"].is_null());
  }

  static constexpr double kMaxPercentTogether = 5;
};

TEST_F(FlowsTogether, AreMeasuredWithTheirStarts) {
  struct Work {
    const char *machine, *collective;
    std::vector<std::string> groups;
  };
  const std::vector<std::string> crossing{"0,8", "1,9", "2,10", "3,11", "4,12", "5,13"};
  const std::vector<std::string> sharing{"0,3,7",   "2,5,9",    "4,7,11",   "6,9,13",
                                         "8,11,15", "10,13,17", "12,15,19", "14,17,1"};
  for (const auto& [machine, collective, groups] :
       std::vector<Work>{{"torus", "all_reduce", crossing},
                         {"torus", "all_to_all", sharing},
                         {"mesh", "all_gather", {"0,2,4,6,8", "1,3,5,7,9"}},
                         {"fred_a", "all_to_all", sharing},
                         {"fred_d", "all_to_all", sharing}}) {
    SCOPED_TRACE(std::string(machine) + ", " + collective);
    expect_near(machine, work(collective, groups, 110, "start"), "300000");
  }
  expect_near("fred_d", "configs/works/phase_change.yaml", "3000000");
}

// Sequential operations, each at its own cycle: 12 to 23 % off with the calibration offset of each
// alone.
TEST_F(FlowsTogether, AreRunExactlyOneByOne) {
  expect_near("torus",
              work("all_reduce", {"0,8", "1,9", "2,10", "3,11", "4,12", "5,13", "6,14", "7,15"},
                   205, "delay"),
              "1MiB");
  expect_near(
      "mesh",
      work("all_gather", {"0,2,4,6,8,10,12,14,16,18", "1,3,5,7,9,11,13,15,17,19"}, 205, "delay"),
      "1MiB");
}

TEST_F(FlowsTogether, AreRunExactlyInSwitches) {
  expect_near("fred_d",
              work("all_reduce", {"0,3,7", "2,5,9", "4,7,11", "6,9,13", "8,11,15", "10,13,17"}, 110,
                   "delay"),
              "1MiB");
  std::string text = read_text("configs/works/phase_change.yaml");
  text.replace(text.find("start: 400"), 10, "delay: 400");
  expect_near("fred_d", write("delayed.yaml", text), "2560KiB");
}

TEST(FlowEngine, SaysWhatHasNoMeasuredError) {
  const json runs =
      runs_of({"run", "configs/mesh.yaml", "--set", "npu.count=400", "--set", "fabric.width=20",
               "--set", "fabric.height=20", "--set", "io.count=0", "--size", "64MiB"},
              "flow");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_TRUE(runs[0]["error"].is_null());
  const Outcome table = run_fredsim({"run", "configs/mesh_2x2.yaml", "--collective", "all_to_all_v",
                                     "--size", "64KiB", "--engine", "flow"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("unmeasured"), std::string::npos) << table.out;
}

TEST(FlowEngine, RefusesWhatOnlyFlitsHave) {
  for (const Words& words : std::vector<Words>{{"--model", "rtl"},
                                               {"--wave", "/dev/null"},
                                               {"--lanes", "2"},
                                               {"--breakdown"},
                                               {"--timeline", "/dev/null"},
                                               {"--no-skip"},
                                               {"--timeout-cycles", "9"}}) {
    Words all{"run", "configs/fred_small.yaml", "--engine", "flow"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_fredsim(all);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(words.front() +
                               ": found with --engine flow; allowed: --engine exact, since"),
              std::string::npos)
        << outcome.err;
  }
  const Outcome outcome = run_fredsim({"run", "configs/fred_small.yaml", "--engine", "fluid"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--engine: found 'fluid'; did you mean 'flow'?"), std::string::npos);
}

}  // namespace
}  // namespace fredsim
