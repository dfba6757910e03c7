// SPDX-License-Identifier: Apache-2.0
// `fredsim doctor`: planted limits come first, with the factor that a true run without them has.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/text_width.h"
#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr double kNoGain = 1.005;

class Doctor : public FolderTest {
 protected:
  // Eight NPUs around two switches, as a graph.
  std::string graph(const std::string& latency) const {
    return write("graph.yaml", fmt::format("name: two_planes\nclock: 1 GHz\n"
                                           "fabric:\n  type: graph\n  link_latency: {}\n"
                                           "  nodes: [{{name: g, kind: npu, count: 8}}, "
                                           "{{name: s, kind: switch, count: 2}}]\n"
                                           "  links: [{{from: g, to: s, bandwidth: 100 GB/s}}]\n",
                                           latency));
  }
  // A network file of one switch, its latency as of links of 190 m.
  std::string network() const {
    write("network.yml",
          "topology: [ Switch ]\nnpus_count: [ 8 ]\nbandwidth: [ 400 ]\nlatency: [ 936.25 ]\n");
    return write("machine.yaml",
                 "name: own\nclock: 1 GHz\nfabric: {type: astra_sim, file: network.yml}\n");
  }
  std::string system() const {
    return write("system.yaml",
                 "name: boxes\nclock: 1 GHz\nfabric:\n  type: dimensions\n  dimensions:\n"
                 "    - {block: switch, size: 4, bandwidth: 100 GB/s, latency: 100 ns}\n"
                 "    - {block: switch, size: 4, bandwidth: 50 GB/s, latency: 100 ns}\n");
  }

  static json diagnosis(Words words) {
    words.insert(words.begin(), "doctor");
    const Outcome outcome = run_fredsim(with(std::move(words), {"--json", "-"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["diagnoses"][0] : json();
  }
  static double time_of(Words words, const char* engine = "exact") {
    words.insert(words.begin(), "run");
    const Outcome outcome =
        run_fredsim(with(std::move(words), {"--quiet", "--json", "-", "--engine", engine}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["runs"][0]["time_ns"].get<double>() : 0;
  }
  static json limit_of(const json& diagnosis, const std::string& name) {
    for (const json& limit : diagnosis["limits"])
      if (limit["limit"] == name) return limit;
    return {};
  }
  // The first limit, which true runs as given and as changed confirm.
  static void expect_first(const json& diagnosis, const std::string& name, double given,
                           double changed, double tolerance = 0.05) {
    const json& first = diagnosis["limits"][0];
    EXPECT_EQ(first["limit"], name) << diagnosis.dump(1);
    EXPECT_GT(given / changed, 1.02);
    EXPECT_NEAR(first["factor"].get<double>() / (given / changed), 1, tolerance) << first;
  }
};

TEST_F(Doctor, NamesASmallBufferOfSwitches) {
  for (const std::string& path : {network(), graph("500 ns")}) {
    const Words work{path, "--size", "1MiB", "--algorithm", "direct"};
    const Words small = with(work, {"--set", "switch.input_buffer=8KiB"});
    const json found = diagnosis(small);
    expect_first(found, "buffers", time_of(small),
                 time_of(with(work, {"--set", "switch.input_buffer=auto"})));
    EXPECT_EQ(found["limits"][0]["lifted_by"], "switch.input_buffer: auto");
    EXPECT_EQ(found["limits"][0]["calibrated"], true);
  }
}

// Credits come back later than flows know: a router's pipeline is longer than its links.
TEST_F(Doctor, NamesASmallBufferOfRouters) {
  const Words work{"configs/mesh.yaml", "--size", "1MiB", "--set", "fabric.link_latency=1ns"};
  const Words small = with(work, {"--set", "switch.input_buffer=4KiB"});
  const json found = diagnosis(small);
  expect_first(found, "buffers", time_of(small),
               time_of(with(work, {"--set", "switch.input_buffer=auto"})));
  EXPECT_EQ(found["limits"][0]["lifted_by"], "switch.input_buffer: auto");
}

TEST_F(Doctor, NamesASmallBufferOfNpus) {
  for (const std::string& path : {network(), graph("500 ns")}) {
    const Words work{path, "--size", "1MiB", "--algorithm", "direct"};
    const Words small = with(work, {"--set", "npu.receive_buffer=8KiB"});
    const json found = diagnosis(small);
    expect_first(found, "buffers", time_of(small),
                 time_of(with(work, {"--set", "npu.receive_buffer=auto"})));
    EXPECT_EQ(found["limits"][0]["lifted_by"], "npu.receive_buffer: auto");
  }
}

TEST_F(Doctor, NamesABetterAlgorithm) {
  const Words work{"configs/mesh.yaml", "--size", "1MiB"};
  const Words bad = with(work, {"--algorithm", "ring"});
  const json found = diagnosis(bad);
  const std::string option = found["limits"][0]["lifted_by"];
  ASSERT_TRUE(option.starts_with("--algorithm ")) << option;
  const std::string better = option.substr(option.find(' ') + 1);
  expect_first(found, "algorithm", time_of(bad), time_of(with(work, {"--algorithm", better})));

  const std::string file =
      write("work.yaml", "- {collective: all_reduce, size: 1MiB, algorithm: ring}\n");
  const json of_file = diagnosis({"configs/mesh.yaml", "--work", file});
  EXPECT_EQ(of_file["limits"][0]["lifted_by"], "algorithm: of item 1: " + better);
  EXPECT_EQ(of_file["limits"][0]["factor"], found["limits"][0]["factor"]);
}

// Deep buffers: rates are unchanged when links get shorter.
TEST_F(Doctor, NamesLatency) {
  const Words work{graph("500 ns"), "--size", "4KiB", "--algorithm", "direct"};
  const json found = diagnosis(work);
  expect_first(found, "latency", time_of(work),
               time_of(with(work, {"--set", "fabric.link_latency=1ns"})));
  EXPECT_EQ(found["limits"][0]["lifted_by"], "fabric.link_latency");

  const json of_file = diagnosis({network(), "--size", "4KiB"});
  EXPECT_EQ(of_file["limits"][0]["limit"], "latency");
  EXPECT_EQ(of_file["limits"][0]["lifted_by"], "latency in network.yml");
}

TEST_F(Doctor, NamesTurnsOfChunks) {
  const Words work{system(), "--size", "4MiB", "--algorithm", "direct"};
  const json found = diagnosis(with(work, {"--chunks", "1"}));
  const std::string option = found["limits"][0]["lifted_by"];
  ASSERT_TRUE(option.starts_with("--chunks ")) << found.dump(1);
  std::istringstream stream(option);
  const Words words{std::istream_iterator<std::string>(stream), {}};
  expect_first(found, "turns", time_of(with(work, {"--chunks", "1"})), time_of(with(work, words)));
}

// Two of the corners of a mesh send by rows first, with half of their links.
TEST_F(Doctor, NamesSinglePaths) {
  const json found = diagnosis(
      {"configs/mesh.yaml", "--collective", "unicast", "--group", "0,19", "--size", "4MiB"});
  const json& first = found["limits"][0];
  EXPECT_EQ(first["limit"], "single_paths");
  EXPECT_GT(first["factor"], 1.3);
  EXPECT_EQ(first["lifted_by"], "");
  EXPECT_NE(first["note"], "");
  EXPECT_EQ(first["calibrated"], false);
}

TEST_F(Doctor, FindsNothingWhereNothingLimits) {
  const json found = diagnosis({graph("20 ns"), "--size", "64MiB"});
  for (const json& limit : found["limits"]) {
    if (limit["factor"].is_null()) continue;
    EXPECT_LT(limit["factor"], kNoGain) << limit;
    EXPECT_GE(limit["factor"], 1) << limit;
    EXPECT_EQ(limit["lifted_by"], "") << limit;
  }
  EXPECT_LT(found["time_over_network_bound"], 1.05);
  EXPECT_GE(found["all_lifted_over_network_bound"], 1 - 1e-9);
}

TEST_F(Doctor, SortsByFactorAndLiftsAllLast) {
  for (const Words& work :
       {Words{network(), "--set", "switch.input_buffer=24KiB"},
        Words{"configs/fred_d.yaml", "--collective", "reduce_scatter"},
        Words{system(), "--size", "64KiB"},
        Words{"configs/fred_d.yaml", "--work", "configs/works/phase_change.yaml"}}) {
    SCOPED_TRACE(testing::PrintToString(work));
    const json found = diagnosis(work);
    ASSERT_EQ(found["limits"].size(), 6U);
    double last = found["all_lifted_factor"];
    for (const json& limit : found["limits"]) {
      const double factor = limit["factor"].is_null() ? 0 : limit["factor"].get<double>();
      EXPECT_LE(factor, last * (1 + 1e-9));
      last = std::min(last, factor);
      EXPECT_EQ(limit["factor"].is_null(), limit["time_ns"].is_null());
      if (limit["factor"].is_null()) {
        EXPECT_NE(limit["note"], "");
      }
    }
    EXPECT_GE(found["all_lifted_over_network_bound"], 1 - 1e-9);
    EXPECT_NEAR(found["time_ns"].get<double>() / time_of(work, "flow"), 1, 1e-9);
  }
}

TEST_F(Doctor, PrintsATableOfEightyColumnsPerSize) {
  const Outcome table = run_fredsim({"doctor", network(), "-b", "64KiB", "-e", "1MiB", "-f", "16"},
                                    {.columns = "80"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  int tables = 0;
  for (const std::string& line : lines_of(table.out)) {
    EXPECT_LE(display_width(line), 80U) << line;
    tables += line.starts_with("all together") ? 1 : 0;
  }
  EXPECT_EQ(tables, 2) << table.out;
  const Outcome csv = run_fredsim({"doctor", network(), "--format", "csv"});
  EXPECT_TRUE(
      csv.out.starts_with("size_bytes,limit,factor,time_over_network_bound,lifted_by,time_ns"))
      << csv.out;
}

TEST_F(Doctor, RefusesWhatRunRefuses) {
  const std::string json_file = path("out.json");
  for (const auto& [words, named] :
       {std::pair{Words{"nothing.yaml"}, Words{"nothing.yaml"}},
        {Words{network(), "--chunks", "0"}, Words{"--chunks", "allowed"}},
        {Words{network(), "--packet-order", "arrival"}, Words{"--packet-order", "allowed"}},
        {Words{network(), "--algorithm", "best"}, Words{"algorithm", "best", "allowed"}},
        {Words{network(), "--group", "0,99"}, Words{"group", "99"}}}) {
    expect_refused(run_fredsim(with(with({"doctor"}, words), {"--json", json_file})), named);
    EXPECT_FALSE(std::filesystem::exists(json_file));
  }
}

}  // namespace
}  // namespace fredsim
