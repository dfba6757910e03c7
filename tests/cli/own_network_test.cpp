// SPDX-License-Identifier: Apache-2.0
// Networks in foreign formats that do not specify buffers: times by formula, in both engines;
// limiting buffers are named; invariance under scaling and renaming.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "support/program.h"
#include "support/random_range.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr double kGibibyte = 1 << 30;  // per second, as such files count bandwidths
constexpr double kMebibyte = 1 << 20;

struct Dimension {
  std::string block;
  int npus = 0;
  double bandwidth = 0;  // GiB/s, a link
  double latency = 0;    // ns, a link

  // Blocks go round both ways, a link's latency or a block's length apart; a ring of two has one
  // link.
  double ring_ns(double bytes, int steps) const {
    const double block = bytes / npus / (npus == 2 ? 1 : 2) / (bandwidth * kGibibyte) * 1e9;
    return std::max(steps * block + latency, steps * latency + block);
  }
  double reduce_scatter_ns(double bytes) const {
    if (block == "Ring") return ring_ns(bytes, npus - 1);
    const double rate = bandwidth * kGibibyte * (block == "Switch" ? 1 : npus - 1);
    return (npus - 1) * bytes / npus / rate * 1e9 + (block == "Switch" ? 2 : 1) * latency;
  }
  double all_reduce_ns(double bytes) const {
    return block == "Ring" ? ring_ns(bytes, 2 * (npus - 1)) : 2 * reduce_scatter_ns(bytes);
  }
};

// A network file, and a size in MiB at which the formula holds within 5 %.
struct Network {
  std::vector<Dimension> dimensions;
  int mebibytes = 0;

  double bytes() const { return mebibytes * kMebibyte; }
  // Dimensions take turns by chunks of 1 MiB; the slowest sets the pace.
  double formula_ns() const {
    const int chunks = dimensions.size() > 1 ? mebibytes : 1;
    double share = bytes() / chunks;
    std::vector<double> steps;
    for (std::size_t d = 0; d + 1 < dimensions.size(); ++d) {
      steps.push_back(2 * dimensions[d].reduce_scatter_ns(share));
      share /= dimensions[d].npus;
    }
    steps.push_back(dimensions.back().all_reduce_ns(share));
    return std::accumulate(steps.begin(), steps.end(), 0.0) +
           (chunks - 1) * std::ranges::max(steps);
  }
  std::string name() const {
    std::vector<std::string> blocks;
    for (const Dimension& d : dimensions) blocks.push_back(fmt::format("{} {}", d.block, d.npus));
    return fmt::format("{}, {} MiB", fmt::join(blocks, " x "), mebibytes);
  }
};

// Shapes of network files of ASTRA-sim (examples/network/analytical, inputs/network), some smaller.
std::vector<Network> networks() {
  return {{{{"Ring", 4, 50, 500}}, 4},
          {{{"Ring", 4, 3.125, 3.39}}, 1},
          {{{"Ring", 8, 50, 500}}, 8},
          {{{"Ring", 16, 80, 2000}}, 1},
          {{{"Switch", 2, 741.34, 936.25}}, 8},
          {{{"Switch", 8, 400, 936.25}}, 1},
          {{{"FullyConnected", 4, 100, 700}}, 4},
          {{{"Switch", 4, 400, 936.25}, {"Ring", 2, 50, 1000}}, 1},
          {{{"Switch", 4, 400, 936.25}, {"Ring", 4, 50, 1000}}, 2},
          {{{"Ring", 4, 80, 1000}, {"Ring", 4, 80, 1000}}, 4}};
}

// Networks of 8 NPUs at most, for laws that hold for any size.
std::vector<Network> small_networks() {
  std::vector<Network> small;
  for (Network& network : networks()) {
    int npus = 1;
    for (const Dimension& dimension : network.dimensions) npus *= dimension.npus;
    if (npus <= 8) small.push_back(std::move(network));
  }
  return small;
}

class OwnNetwork : public FolderTest {
 protected:
  // A machine that is `faster` times as fast in all: clock, rates and latencies.
  std::string machine(const Network& network, double faster = 1) const {
    const auto list = [&](auto value) {
      std::vector<std::string> words;
      for (const Dimension& d : network.dimensions) words.push_back(fmt::format("{}", value(d)));
      return fmt::format("[ {} ]", fmt::join(words, ", "));
    };
    write("network.yml", fmt::format("topology: {}\nnpus_count: {}\nbandwidth: {}\nlatency: {}\n",
                                     list([](const Dimension& d) { return d.block; }),
                                     list([](const Dimension& d) { return d.npus; }),
                                     list([&](const Dimension& d) { return d.bandwidth * faster; }),
                                     list([&](const Dimension& d) { return d.latency / faster; })));
    return write("machine.yaml", fmt::format("name: own\nclock: {} GHz\n"
                                             "fabric: {{type: astra_sim, file: network.yml}}\n",
                                             1.6 * faster));
  }

  static json run(Words words) {
    words.insert(words.begin(), "run");
    const Outcome outcome = run_fredsim(with(std::move(words), {"--quiet", "--json", "-"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
  }
  static json run(const std::string& path, int mebibytes, const Words& more = {}) {
    return run(with({path, "--size", fmt::format("{}MiB", mebibytes)}, more));
  }
};

// Packets of the all-gather may go before the reduce-scatter's have all come, which formulas leave
// out; none beats the network.
TEST_F(OwnNetwork, TakesTheTimeOfItsFormulaAtMost) {
  for (const Network& network : networks()) {
    SCOPED_TRACE(network.name());
    const json result = run(machine(network), network.mebibytes);
    EXPECT_LE(result["time_ns"].get<double>() / network.formula_ns(), 1.05);
    EXPECT_FALSE(result["derived"].contains("credit_limit")) << result["derived"];
    EXPECT_GE(result["derived"]["time_over_network_bound"], 1);
  }
}

// A GiB, as flows: latencies are next to nothing, and one dimension is at the bound of the network.
TEST_F(OwnNetwork, IsAtTheBoundOfTheNetworkWithLargeSizes) {
  for (const Network& network :
       {Network{{{"Ring", 8, 80, 1000}}, 1024}, {{{"Switch", 2, 741.34, 936.25}}, 1024}}) {
    SCOPED_TRACE(network.name());
    const json result = run(machine(network), network.mebibytes, {"--engine", "flow"});
    EXPECT_NEAR(result["time_ns"].get<double>() / network.formula_ns(), 1, 0.01);
    EXPECT_LE(result["derived"]["time_over_network_bound"], 1.01);
  }
}

// Planted: a buffer of a packet in place of one that covers the round trip.
TEST_F(OwnNetwork, NamesTheBufferThatLimitsIt) {
  const std::string path = machine({{{"Switch", 8, 400, 936.25}}});
  const Words small{path, "--size", "1MiB", "--set", "switch.input_buffer=24KiB"};
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
  for (const Network& network : small_networks()) {
    SCOPED_TRACE(network.name());
    const std::string path = machine(network);
    const json covering = run(path, 1);
    const json larger = run(path, 1,
                            {"--set", "switch.input_buffer=4MiB", "--set",
                             "npu.receive_buffer=4MiB", "--set", "switch.control_buffer=256KiB"});
    EXPECT_NEAR(covering["time_ns"].get<double>() / larger["time_ns"].get<double>(), 1, 0.005);
  }
}

// Windows cover the round trip, even if every rank injects between packets that other ranks pass
// on.
TEST_F(OwnNetwork, RunsRingsOverLongLinksAtTheirRate) {
  for (const char* collective : {"all_gather", "reduce_scatter", "all_reduce"}) {
    SCOPED_TRACE(collective);
    const json result = run("configs/systems/hgx_h200.yaml", 64,
                            {"--set", "npu.collective_overhead=0ns", "--collective", collective,
                             "--algorithm", "ring"});
    EXPECT_LE(result["derived"]["time_over_bound"], 1.05);
  }
}

// Rates and clock doubled, latencies halved: half of the time, to the cycle.
TEST_F(OwnNetwork, ScalesWithItsRatesAndLatencies) {
  for (const Network& network : small_networks()) {
    SCOPED_TRACE(network.name());
    const json once = run(machine(network), 1);
    const json twice = run(machine(network, 2), 1);
    EXPECT_EQ(once["cycles"], twice["cycles"]);
    EXPECT_NEAR(once["time_ns"].get<double>(), 2 * twice["time_ns"].get<double>(), 1e-6);
  }
}

// Nodes and links of a graph in some order, with names of some kind. NPUs keep theirs, as ranks go
// by it.
struct Listed {
  std::vector<std::string> npus, switches;
  std::vector<std::pair<int, int>> links;  // an NPU and a switch
  std::string names;                       // prefix of foreign names

  std::string name(int node) const {
    const auto npu = static_cast<std::size_t>(node);
    return npu < npus.size() ? npus[npu] : switches[npu - npus.size()];
  }
};

// Rates: the first switches are fast, switches from `slow` on are not. Every other link is listed
// from its switch.
std::string graph_text(const Listed& listed, int slow) {
  std::string text =
      "name: own\nclock: 1 GHz\nfabric:\n  type: graph\n  link_latency: 100 ns\n  nodes:\n";
  for (const std::string& npu : listed.npus)
    text += fmt::format("    - {{name: {}, kind: npu}}\n", npu);
  for (const std::string& chip : listed.switches)
    text += fmt::format("    - {{name: {}, kind: switch}}\n", chip);
  text += "  links:\n";
  for (std::size_t l = 0; l < listed.links.size(); ++l) {
    std::string from = listed.name(listed.links[l].first), to = listed.name(listed.links[l].second);
    if (l % 2 == 1) std::swap(from, to);
    text += fmt::format("    - {{from: {}, to: {}, bandwidth: {} GB/s}}\n", from, to,
                        listed.links[l].second < slow ? 100 : 25);
  }
  return text;
}

std::string infragraph_text(const Listed& listed, int slow) {
  std::string text = "devices:\n- name: " + listed.names + "box\n  components:\n";
  text += fmt::format("  - {{name: xpu, count: {}, choice: xpu}}\n", listed.npus.size());
  for (const std::string& chip : listed.switches)
    text += fmt::format("  - {{name: {}, count: 1, choice: switch}}\n", chip);
  text += "  links:\n";
  for (const auto& [name, rate] : {std::pair("fast", 100), {"slow", 25}}) {
    text += fmt::format(
        "  - {{name: {}{}, physical: {{bandwidth: {{gigabytes_per_second: {}}}, latency: {{ns: "
        "100}}}}}}\n",
        listed.names, name, rate);
  }
  text += "  edges:\n";
  for (std::size_t l = 0; l < listed.links.size(); ++l) {
    const auto& [npu, chip] = listed.links[l];
    std::string one = fmt::format("{{component: 'xpu[{}]'}}", npu);
    std::string two = fmt::format("{{component: {}}}", listed.name(chip));
    if (l % 2 == 1) std::swap(one, two);
    text += fmt::format("  - {{ep1: {}, ep2: {}, scheme: one2one, link: {}{}}}\n", one, two,
                        listed.names, chip < slow ? "fast" : "slow");
  }
  return text + "instances:\n- {name: i, device: " + listed.names + "box, count: 1}\n";
}

template <typename T>
void shuffle(Random& random, std::vector<T>& list) {
  for (std::size_t l = list.size(); l > 1; --l) std::swap(list[l - 1], list[random.below(l)]);
}

// Names of links and nodes, the order of links, and the order of a link's ends do not change the
// time.
TEST_F(OwnNetwork, TakesTheSameTimeWhateverItsNames) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int npus = 2 * test::random_between(random, 2, 4);
    const int fast = test::random_between(random, 2, 4);
    Listed plain;
    for (int i = 0; i < npus; ++i) plain.npus.push_back("g" + std::to_string(i));
    for (int s = 0; s < fast + npus / 2; ++s) plain.switches.push_back("s" + std::to_string(s));
    for (int i = 0; i < npus; ++i) {
      for (int s = 0; s < fast; ++s) plain.links.emplace_back(i, npus + s);
      plain.links.emplace_back(i, npus + fast + i / 2);
    }
    Listed other = plain;
    for (std::string& npu : other.npus) npu = "tensor_core_" + npu;
    for (std::string& chip : other.switches) chip = "a" + std::to_string(random.below(1000)) + chip;
    shuffle(random, other.links);
    other.names = "other_";
    for (const char* collective : {"all_reduce", "all_to_all"}) {
      std::vector<json> cycles;
      for (const Listed& listed : {plain, other}) {
        write("infra.yaml", infragraph_text(listed, npus + fast));
        for (const std::string& path : {write("graph.yaml", graph_text(listed, npus + fast)),
                                        write("own.yaml",
                                              "name: own\nclock: 1 GHz\n"
                                              "fabric: {type: infragraph, file: infra.yaml}\n")})
          cycles.push_back(run({path, "--size", "128KiB", "--collective", collective})["cycles"]);
      }
      EXPECT_EQ(cycles, std::vector<json>(4, cycles[0])) << collective;
    }
  }
}

}  // namespace
}  // namespace fredsim
