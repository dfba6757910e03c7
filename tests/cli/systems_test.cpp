// SPDX-License-Identifier: Apache-2.0
// Systems of dimensions on the command line: flows against exact runs, RTL against twins, output of
// info, and bad input.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class Systems : public testing::Test {
 protected:
  // A machine file with the given entries in the list of dimensions, followed by other lines.
  std::string system(const std::vector<std::string>& dimensions, const std::string& more = "") {
    const std::string path = folder_.file("system.yaml");
    std::ofstream file(path);
    file << "name: system\nclock: 1.5 GHz\nfabric:\n  type: dimensions\n  dimensions:\n";
    for (const std::string& one : dimensions) file << "    - {" << one << "}\n";
    file << more;
    return path;
  }

  json run(const std::string& path, Words words) {
    words.insert(words.begin(), {"run", path, "--quiet", "--json", "-"});
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
  }

  void expect_refusal(const std::string& path, Words words, const Words& parts) {
    words.insert(words.begin() + 1, path);
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 2);
    for (const std::string& part : parts)
      EXPECT_NE(outcome.err.find(part), std::string::npos) << part << " is not in " << outcome.err;
  }

  TemporaryFolder folder_;
};

const Words kRingAndSwitch{"block: ring, size: 4, bandwidth: 100 GB/s, latency: 50 ns",
                           "block: switch, size: 4, bandwidth: 50 GB/s, latency: 100 ns"};

// Rounding is stated to the byte if a size is not divisible by the NPUs of a dimension; otherwise
// there is none.
TEST_F(Systems, InjectWhatTheySayMoreThanSharesThatAreNotRounded) {
  constexpr std::uint64_t kNpus = 15;
  const std::string path =
      system({"block: ring, size: 3, bandwidth: 100 GB/s, latency: 50 ns",
              "block: fully_connected, size: 5, bandwidth: 60 GB/s, latency: 100 ns"});
  for (const auto& [collective, times] :
       {std::pair("all_reduce", 2), std::pair("reduce_scatter", 1), std::pair("all_gather", 1)}) {
    for (const std::uint64_t bytes : {15'000, 15'001, 15'004, 40'000}) {
      for (const std::string engine : {"exact", "flow"}) {
        Words words{"run",      path, "--collective", collective, "--size", std::to_string(bytes),
                    "--chunks", "2",  "--engine",     engine};
        const std::string text = run_fredsim(words, {.columns = "1000"}).out;  // unbroken notes
        words.erase(words.begin(), words.begin() + 2);
        const std::uint64_t injected = run(path, words)["traffic"]["injected_bytes"];
        const std::uint64_t exact = times * (kNpus - 1) * bytes;
        SCOPED_TRACE(
            fmt::format("{} of {}, {}: {} more", collective, bytes, engine, injected - exact));
        EXPECT_GE(injected, exact);
        EXPECT_EQ(
            text.find(fmt::format("inject {} B more than", injected - exact)) != std::string::npos,
            injected > exact)
            << text;
        EXPECT_EQ(text.find("rounded up to bytes") != std::string::npos, injected > exact);
      }
    }
  }
}

TEST_F(Systems, RefuseAUnicastBetweenOthersThanTwo) {
  const std::string path = system(kRingAndSwitch);
  for (const std::string group : {"all", "0-2"})
    expect_refusal(path, {"run", "--collective", "unicast", "--group", group, "--engine", "flow"},
                   {"members found, unicast goes from the first of a group of two"});
}

TEST_F(Systems, FlowsHaveTheTimesAndTheTrafficOfExactRuns) {
  for (const Words& dimensions :
       {kRingAndSwitch,
        Words{"machine: fred_small",
              "block: fully_connected, size: 3, bandwidth: 60 GB/s, latency: 100 ns",
              "block: switch, size: 2, bandwidth: 50 GB/s, latency: 100 ns"},
        Words{"machine: mesh_2x2",
              "block: switch, size: 4, in_switch: true, bandwidth: 50 GB/s, latency: 100 ns"}}) {
    const std::string path = system(dimensions);
    for (const std::string collective :
         {"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast"}) {
      for (const std::string size : {"40000", "1MiB"}) {
        SCOPED_TRACE(dimensions.front() + ", " + collective + " of " + size);
        const Words words{"--collective", collective, "--size", size, "--chunks", "3"};
        Words flow_words = words;
        flow_words.insert(flow_words.end(), {"--engine", "flow"});
        const json exact = run(path, words);
        const json flow = run(path, flow_words);
        ASSERT_FALSE(exact.is_null() || flow.is_null());
        EXPECT_EQ(exact["payload"], "exact");
        EXPECT_EQ(flow["algorithm"], exact["algorithm"]);
        EXPECT_EQ(flow["traffic"], exact["traffic"]);
        EXPECT_NEAR(flow["cycles"].get<double>() / exact["cycles"].get<double>(), 1, 0.01);
        ASSERT_EQ(flow["links"].size(), exact["links"].size());
        for (std::size_t l = 0; l < flow["links"].size(); ++l)
          EXPECT_EQ(flow["links"][l]["bytes"], exact["links"][l]["bytes"]);
      }
    }
  }
}

TEST_F(Systems, RtlIsTheTwin) {
  const std::string path = system({"machine: fred_small", "machine: fred_small, name: above"});
  for (const std::string stalls : {"--seed=1", "--seed=2"}) {
    const Words words{"--size", "64KiB", "--algorithm", "in_switch,in_switch", stalls};
    Words lockstep = words;
    lockstep.insert(lockstep.end(), {"--model", "lockstep"});
    EXPECT_EQ(run(path, lockstep)["cycles"], run(path, words)["cycles"]);
  }
}

// A system of one dimension is its machine.
TEST_F(Systems, OfOneDimensionIsTheMachine) {
  const std::string path = system({"machine: fred_small"});
  for (const std::string collective : {"all_reduce", "all_to_all"}) {
    for (const std::string engine : {"exact", "flow"}) {
      const Words words{"--collective", collective, "--size", "1MiB", "--engine", engine};
      const json machine = run("configs/fred_small.yaml", words);
      EXPECT_EQ(run(path, words)["cycles"], machine["cycles"]) << collective << ", " << engine;
    }
  }
}

TEST_F(Systems, LargeOnesAreMeasuredOnSmallerOnes) {
  const std::string path =
      system({"block: fully_connected, size: 8, bandwidth: 280 GB/s, latency: 100 ns",
              "block: ring, size: 8, bandwidth: 100 GB/s, latency: 300 ns",
              "block: switch, size: 64, bandwidth: 25 GB/s, latency: 500 ns, name: pod"});
  expect_refusal(path, {"run"}, {"64 ports", "--engine flow"});
  const json flow = run(path, {"--engine", "flow", "--size", "64MiB"});
  EXPECT_EQ(flow["groups"][0].size(), 4096U);
  EXPECT_EQ(flow["error"]["measured_on"],
            "system with 64 NPUs; pod of 64 extrapolated from 16 and 32");
  EXPECT_LT(flow["error"]["worst_percent"], 1);
  // The pod moves 2 x 63/64 of a 64th of the vector, at 25 GB/s.
  EXPECT_GT(flow["time_ns"], 2.0 * 63 / 64 * (64 << 20) / 64 / 25);
  const json part = run(path, {"--engine", "flow", "--size", "64MiB", "--group", "0-63"});
  EXPECT_EQ(part.at("error").at("measured_on"), flow.at("error").at("measured_on"));
  EXPECT_LT(part.at("error").at("worst_percent"), 1);
}

// Steps up and down take 20 phases each, and all are in the switches at once. Nothing is run before
// that is found.
TEST_F(Systems, PhasesWithoutRoomAreRefusedByBothEngines) {
  for (const std::string engine : {"exact", "flow"}) {
    for (const std::string chunks : {"1", "64"}) {
      expect_refusal(
          "configs/systems/fred_d_16.yaml",
          {"run", "--engine", engine, "--size", "16MiB", "--chunks", chunks, "--algorithm",
           "in_switch,direct", "--group", "0-39"},
          {"an operation needs 40 phases at once, wafer.0.l1_0.s0 has room for 24; allowed: fewer "
           "ranks, or an algorithm at the endpoints"});
    }
  }
}

// A file that can be read once: the systems that errors and extrapolations are taken from are of
// the same text.
TEST_F(Systems, ComeThroughAPipe) {
  const std::string path =
      system({kRingAndSwitch.front(),
              "block: switch, size: 40, bandwidth: 50 GB/s, latency: 500 ns, name: pod"});
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], text.str().data(), text.str().size()), std::ssize(text.str()));
  close(ends[1]);
  const Words words{"--engine", "flow", "--size", "64KiB", "--set", "switch.input_buffer=64KiB"};
  const json piped = run("/dev/fd/" + std::to_string(ends[0]), words);
  close(ends[0]);
  const json read = run(path, words);
  ASSERT_FALSE(piped.is_null() || read.is_null());
  EXPECT_EQ(piped["cycles"], read["cycles"]);
  EXPECT_EQ(piped["error"], read["error"]);
  EXPECT_FALSE(read["error"].is_null());
}

TEST_F(Systems, InfoSaysTheirDimensions) {
  const Outcome outcome = run_fredsim({"info", system(kRingAndSwitch)});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string part : {"2 dimensions, ring 4 x switch 4", "NPUs             16",
                                 "bisection        400 GB/s", "all together            16"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " is not in " << outcome.out;
}

TEST_F(Systems, RefuseBadInput) {
  const std::string ring = kRingAndSwitch.front();
  const Words info{"info"};
  expect_refusal(system({"block: switch, size: 300, bandwidth: 5 GB/s, latency: 1 ns",
                         "block: switch, size: 300, bandwidth: 5 GB/s, latency: 1 ns"}),
                 info, {"system.yaml:5: fabric.dimensions", "over 65536"});
  expect_refusal(system({"block: switch, size: 1, bandwidth: 5 GB/s, latency: 1 ns"}), info,
                 {":6: fabric.dimensions.1.size: found 1", "2 or more"});
  expect_refusal(system({"block: ring, size: 4, bandwidth: 0 GB/s, latency: 1 ns"}), info,
                 {":6: fabric.dimensions.1.bandwidth", "zero"});
  expect_refusal(system({"block: rung, size: 4, bandwidth: 5 GB/s, latency: 1 ns"}), info,
                 {":6: fabric.dimensions.1.block: found 'rung'; did you mean 'ring'?"});
  expect_refusal(system({"block: mesh, size: 4"}), info, {"block mesh without machine"});
  expect_refusal(system({"machine: fred_small, size: 4"}), info,
                 {"fabric.dimensions.1.size: found beside fabric.dimensions.1.machine"});
  expect_refusal(system({"machine: fred_small, block: mesh"}), info,
                 {"found a fred_tree", "a machine of block mesh"});
  expect_refusal(system({"machine: no_such_machine"}), info, {":6: ", "no_such_machine"});
  expect_refusal(system({ring + ", switch_latency: 1 ns"}), info, {"allowed in a block switch"});
  expect_refusal(system({ring + ", name: a", ring + ", name: a"}), info, {"'a' twice"});
  expect_refusal(system({ring}, "npu: {count: 4}\n"), info, {":7: npu.count: found 4"});
  const std::string over = "size: 4, bandwidth: 10 TB/s, latency: 1 ns";
  for (const std::string block : {"block: ring, ", "block: switch, ", "block: fully_connected, ",
                                  "block: switch, in_switch: true, "}) {
    expect_refusal(system({ring, block + over + ", name: up"}), info,
                   {":7: fabric.dimensions.2.bandwidth: link ", "the clock must be at least"});
  }
  expect_refusal(system({"block: switch, size: 4, bandwidth: 1 GB/s, latency: 1 ms"}), info,
                 {":6: fabric.dimensions.1.latency: a latency of 1000000 ns is more", "cycles"});
  // A system in a system; itself, too.
  expect_refusal(system({"machine: system.yaml"}), info,
                 {":6: fabric.dimensions.1.machine: ", "found 'system.yaml' in a machine",
                  "allowed there: a machine without machines"});
  expect_refusal(system({ring}, "faults: [\"npu:1\"]\n"), info, {":7: faults"});
  const std::string path = system(kRingAndSwitch);
  expect_refusal(path, {"run", "--group", "0,1,4"}, {"found 3 NPUs", "2 x 2", "all 4 NPUs"});
  expect_refusal(path, {"run", "--algorithm", "ring,ring,ring"}, {"3 words", "one, or 2"});
  expect_refusal(path, {"run", "--collective", "gather"}, {"found gather", "all_to_all"});
  expect_refusal(path, {"run", "--chunks", "4097"}, {"--chunks: found '4097'", "1 to 4096"});
  expect_refusal("configs/mesh.yaml", {"run", "--chunks", "2"}, {"--chunks: found 2", "a system"});
  expect_refusal(path, {"run", "--engine", "flow", "--wave", "w.fst"}, {"--wave", "no signals"});
  expect_refusal(path, {"traffic", "--rate", "0.01"}, {"a system of dimensions", "traffic"});
}

TEST_F(Systems, OrderChunks) {
  const std::string path = system(kRingAndSwitch);
  const auto run = [&](const Words& order) {
    Words words{"run", path, "--size", "64KiB", "--chunks", "8", "--json", "-"};
    words.insert(words.end(), order.begin(), order.end());
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json().at("runs").at(0);
  };
  const json pipelined = run({});
  EXPECT_EQ(pipelined.at("system").at("dimension_order"), "baseline");
  EXPECT_EQ(pipelined.at("system").at("chunk_order"), "pipelined");
  const json themis = run({"--dimension-order", "themis", "--chunk-order", "scf"});
  EXPECT_EQ(themis.at("system").at("dimension_order"), "themis");
  EXPECT_EQ(themis.at("system").at("chunk_order"), "scf");
  EXPECT_EQ(run({"--dimension-order", "themis"}).at("system").at("chunk_order"), "fifo");
  EXPECT_LT(themis.at("cycles"), pipelined.at("cycles")) << "latencies overlap";
  EXPECT_EQ(themis.at("payload"), "exact");
  double used = 0;
  for (const json& dimension : themis.at("system").at("dimensions")) {
    EXPECT_GT(dimension.at("utilization"), 0.0);
    EXPECT_LT(dimension.at("utilization"), 1.0);
    used +=
        dimension.at("bandwidth_gbps").get<double>() * dimension.at("utilization").get<double>();
  }
  EXPECT_NEAR(themis.at("system").at("utilization"), used / 150, 1e-3);
}

TEST_F(Systems, RefuseOrdersOfChunksThatThereAreNot) {
  const std::string path = system(kRingAndSwitch);
  const Words themis{"run", "--dimension-order", "themis"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_refusal("configs/mesh.yaml", themis, {"--dimension-order: found themis", "a system"});
  expect_refusal("configs/mesh.yaml", {"run", "--chunk-order", "scf"},
                 {"--chunk-order: found scf", "a system"});
  expect_refusal(path, with(themis, {"--chunk-order", "pipelined"}), {"allowed: fifo, scf"});
  expect_refusal(path, with(themis, {"--group", "0-3"}), {"one dimension", "two or more"});
  expect_refusal(path, with(themis, {"--collective", "all_to_all"}),
                 {"found themis for all_to_all", "all_reduce"});
  expect_refusal(path, with(themis, {"--threshold", "0"}), {"--threshold: found '0'", "1 to 1024"});
  expect_refusal(path, {"run", "--threshold", "4"}, {"without --dimension-order themis"});
}

}  // namespace
}  // namespace fredsim
