// SPDX-License-Identifier: Apache-2.0
// Networks of others without a word about buffers: times by formula, in both engines; buffers that limit are named; laws of scale.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr double kGibibyte = 1 << 30;  // per second, as such files count bandwidths
constexpr double kMebibyte = 1 << 20;

// A network file of one dimension.
struct Network {
  const char* topology;
  int npus;
  double bandwidth;  // of a link, GiB/s
  double latency;    // of a link, ns
  int links;         // of an NPU
  // Vectors that an NPU sends in an all-reduce, and links that follow each other in it, on all of its links at once.
  double vectors() const { return 2.0 * (npus - 1) / npus; }
  double bandwidth_ns(double bytes) const {
    return vectors() * bytes / (links * bandwidth * kGibibyte) * 1e9;
  }
};

const std::vector<Network> kNetworks = {{"Ring", 4, 50, 500, 2},
                                        {"Ring", 8, 50, 500, 2},
                                        {"Ring", 16, 50, 500, 2},
                                        {"Ring", 8, 80, 500, 2},
                                        {"Switch", 2, 741.34, 936.25, 1},
                                        {"Switch", 8, 400, 936.25, 1},
                                        {"FullyConnected", 4, 100, 700, 3}};

class OwnNetwork : public FolderTest {
 protected:
  std::string machine(const Network& network, double faster = 1) const {
    write("network.yml", fmt::format("topology: [ {} ]\nnpus_count: [ {} ]\nbandwidth: [ {} ]\n"
                                     "latency: [ {} ]\n",
                                     network.topology, network.npus, network.bandwidth * faster,
                                     network.latency / faster));
    return write("machine.yaml",
                 fmt::format("name: own\nclock: {} GHz\n"
                             "fabric: {{type: astra_sim, file: network.yml}}\n",
                             2 * faster));
  }

  static json run(Words words) {
    words.insert(words.begin(), "run");
    const Outcome outcome = run_fredsim(with(std::move(words), {"--quiet", "--json", "-"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
  }
  static double time_of(const Words& words) { return run(words)["time_ns"].get<double>(); }
};

TEST_F(OwnNetwork, TakesTheTimeOfItsFormulaInBothEngines) {
  for (const Network& network : kNetworks) {
    SCOPED_TRACE(fmt::format("{} of {}", network.topology, network.npus));
    const std::string path = machine(network);
    const double formula = network.bandwidth_ns(64 * kMebibyte);
    for (const char* engine : {"exact", "flow"}) {
      const json result = run({path, "--size", "64MiB", "--engine", engine});
      EXPECT_NEAR(result["time_ns"].get<double>() / formula, 1, 0.05) << engine;
      EXPECT_FALSE(result["derived"].contains("credit_limit")) << result["derived"];
      EXPECT_NEAR(result["derived"]["network_bound_ns"].get<double>() / formula, 1, 0.001);
    }
  }
}

// Planted: a buffer of a packet in place of one that covers the round trip.
TEST_F(OwnNetwork, NamesTheBufferThatLimitsIt) {
  const std::string path = machine(kNetworks[5]);
  const Words small{path, "--size", "4MiB", "--set", "switch.input_buffer=24KiB"};
  for (const char* engine : {"exact", "flow"}) {
    const json limit = run(with(small, {"--engine", engine}))["derived"]["credit_limit"];
    EXPECT_EQ(limit["key"], "switch.input_buffer");
    EXPECT_EQ(limit["buffer_bytes"], 24 << 10);
    EXPECT_GT(limit["covering_bytes"], 800'000);
    EXPECT_NEAR(limit["carried_gbps"].get<double>(), 13.1, 0.1);  // 24 KiB in 2 x 936.25 ns
    const Outcome table = run_fredsim(with({"run"}, with(small, {"--engine", engine})));
    EXPECT_NE(table.out.find("buffers limit the busiest link"), std::string::npos) << table.out;
  }
  const Outcome info = run_fredsim({"info", path, "--set", "switch.input_buffer=24KiB"});
  EXPECT_NE(info.out.find("buffers of 24 KiB carry"), std::string::npos) << info.out;
  const Outcome covered = run_fredsim({"info", path});
  EXPECT_EQ(covered.out.find("carry"), std::string::npos) << covered.out;
}

TEST_F(OwnNetwork, GainsNothingByBuffersBeyondTheRoundTrip) {
  for (const Network& network : kNetworks) {
    SCOPED_TRACE(fmt::format("{} of {}", network.topology, network.npus));
    const std::string path = machine(network);
    const double covering = time_of({path, "--size", "8MiB"});
    const double larger = time_of({path, "--size", "8MiB", "--set", "switch.input_buffer=4MiB",
                                   "--set", "npu.receive_buffer=4MiB"});
    EXPECT_NEAR(covering / larger, 1, 0.01);
  }
}

// Rates and clock doubled, latencies halved: half of the time, to the cycle.
TEST_F(OwnNetwork, ScalesWithItsRatesAndLatencies) {
  for (const Network& network : kNetworks) {
    SCOPED_TRACE(fmt::format("{} of {}", network.topology, network.npus));
    const json once = run({machine(network), "--size", "1MiB"});
    const json twice = run({machine(network, 2), "--size", "1MiB"});
    EXPECT_EQ(once["cycles"], twice["cycles"]);
    EXPECT_DOUBLE_EQ(once["time_ns"].get<double>(), 2 * twice["time_ns"].get<double>());
  }
}

}  // namespace
}  // namespace fredsim
