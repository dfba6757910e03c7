// SPDX-License-Identifier: Apache-2.0
// `fredsim traffic`: table and results JSON, on the two small machines.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "support/program.h"
#include "support/sanitized.h"

namespace fredsim {
namespace {

using nlohmann::json;

std::vector<std::string> traffic(const std::string& config, std::vector<std::string> more) {
  more.insert(more.begin(), {"traffic", config, "--warmup", "500", "--cycles", "2000"});
  return more;
}

class TrafficTest : public testing::TestWithParam<const char*> {};

TEST_P(TrafficTest, JsonHasARunPerRateAndItsFiguresAgree) {
  const Outcome outcome = run_fredsim(traffic(
      GetParam(), {"--rate", "0.1:0.3:0.1", "--packet-flits", "4", "--seed", "5", "--json", "-"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json document = outcome.json();
  EXPECT_EQ(document["fredsim"], FREDSIM_VERSION);
  ASSERT_EQ(document["runs"].size(), 3U);
  std::vector<double> rates;
  double highest = 0;
  for (const json& run : document["runs"]) {
    rates.push_back(run["rate"]);
    EXPECT_EQ(run["config"], GetParam());
    EXPECT_EQ(run["model"], "tlm");
    EXPECT_EQ(run["pattern"], "uniform");
    EXPECT_EQ(run["self_addressed"], "excluded");
    EXPECT_EQ(run["nodes"], 4);
    EXPECT_EQ(run["sending_nodes"], 4);
    EXPECT_EQ(run["packet_flits"], 4);
    EXPECT_EQ(run["seed"], 5);
    EXPECT_EQ(run["warmup_cycles"], 500);
    EXPECT_EQ(run["window_cycles"], 2000);
    EXPECT_EQ(run["saturated"], false);
    EXPECT_EQ(run["packets"], run["packets_arrived"]);
    EXPECT_DOUBLE_EQ(run["offered_rate"].get<double>(), run["packets"].get<int>() * 4 / 8000.0);
    const json& latency = run["latency_cycles"];
    EXPECT_GT(latency["mean"], 30);
    EXPECT_LE(latency["p50"], latency["p95"]);
    EXPECT_LE(latency["p95"], latency["p99"]);
    EXPECT_LE(latency["p99"], latency["max"]);
    highest = std::max(highest, run["accepted_rate"].get<double>());
    std::uint64_t flit_hops = 0;
    std::uint64_t consumed = 0;
    for (const json& link : run["links"]) {
      const auto flits = link["flits"].get<std::uint64_t>();
      if (!link["on_die"].get<bool>()) flit_hops += flits;
      if (link["to"].get<std::string>().starts_with("npu")) consumed += flits;
      EXPECT_GE(link["utilization"], 0);
      EXPECT_LE(link["utilization"], 1.01);
    }
    EXPECT_EQ(run["flit_hops"], flit_hops);
    EXPECT_NEAR(static_cast<double>(consumed) / 8000, run["accepted_rate"].get<double>(), 0.02);
  }
  EXPECT_EQ(rates, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(document["saturation"]["accepted_rate"], highest);
  EXPECT_TRUE(document["saturation"]["first_saturated_rate"].is_null());
}

TEST_P(TrafficTest, SaturationIsFoundBetweenAFreeAndASaturatedRate) {
  const Outcome outcome =
      run_fredsim(traffic(GetParam(), {"--saturation", "--pattern", "hotspot", "--hotspot-fraction",
                                       "0.8", "--hotspot-node", "1", "--json", "-"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = outcome.json();
  const double first = document["saturation"]["first_saturated_rate"];
  double last_free = 0;
  double before = 0;
  for (const json& run : document["runs"]) {
    EXPECT_GT(run["rate"].get<double>(), before) << "rates are ascending";
    before = run["rate"];
    if (!run["saturated"].get<bool>()) last_free = run["rate"];
    EXPECT_EQ(run["hotspot_node"], 1);
    EXPECT_EQ(run["hotspot_fraction"], 0.8);
  }
  EXPECT_GT(last_free, 0);
  EXPECT_LT(last_free, first);
  EXPECT_LE(first - last_free, 0.01 * document["runs"][0]["injection_limit"].get<double>());
}

TEST_P(TrafficTest, ImplementationsGiveTheSameTable) {
  const std::vector<std::string> arguments{"--rate", "0.2,0.6", "--packet-flits", "2", "--quiet"};
  const auto table_of = [&](const char* model) {
    std::vector<std::string> more = arguments;
    more.insert(more.end(), {"--model", model});
    std::string text = run_fredsim(traffic(GetParam(), more), {.columns = "300"}).out;
    const std::string said = std::string("model ") + model;
    const std::size_t at = text.find(said);
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? text : text.erase(at, said.size());
  };
  const std::string table = table_of("tlm");
  EXPECT_EQ(table_of("rtl"), table);
  EXPECT_EQ(table_of("lockstep"), table);
}

INSTANTIATE_TEST_SUITE_P(Machines, TrafficTest,
                         testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"),
                         [](const auto& one) { return one.index == 0 ? "Mesh" : "Fred"; });

// All but the times that a run takes.
TEST(TrafficThreads, GiveTheSameResults) {
  for (const char* config : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"}) {
    const auto results = [&](const char* threads, const char* model) {
      const Outcome outcome =
          run_fredsim(traffic(config, {"--rate", "0.2,0.7", "--packet-flits", "3", "--threads",
                                       threads, "--model", model, "--json", "-"}));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      json runs = outcome.json()["runs"];
      for (json& run : runs) {
        run.erase("wall_s");
        run.erase("sim_cycles_per_s");
      }
      return runs;
    };
    EXPECT_EQ(results("3", "tlm"), results("1", "tlm")) << config;
    EXPECT_EQ(results("2", "rtl"), results("1", "rtl")) << config;
  }
}

// Three levels: among the 63 other NPUs 3 are two links away, 12 four, 48 six.
TEST(TrafficLevels, HopsOnATreeOfThree) {
  const Outcome outcome =
      run_fredsim(traffic("configs/fred_64.yaml", {"--rate", "0.3", "--json", "-"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json run = outcome.json()["runs"][0];
  EXPECT_EQ(run["saturated"], false);
  EXPECT_EQ(run["packets"], run["packets_arrived"]);
  EXPECT_NEAR(run["hops"].get<double>(), (3 * 2 + 12 * 4 + 48 * 6) / 63.0, 0.05);
}

TEST(TrafficTable, HasALinePerRateThenSaturationAndBusiestLinks) {
  const Outcome outcome = run_fredsim(
      traffic("configs/mesh_2x2.yaml", {"--rate", "3,0.1", "--pattern", "transpose", "--quiet"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("mesh_2x2: transpose traffic, 2 of 4 NPUs send, packets of 1 flit"),
            std::string::npos);
  std::istringstream lines(outcome.out);
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0.1000") || line.starts_with("3.0000")) rows.push_back(line);
  }
  ASSERT_EQ(rows.size(), 2U) << outcome.out;
  EXPECT_EQ(rows[0].find("saturated"), std::string::npos);
  EXPECT_NE(rows[1].find("saturated"), std::string::npos) << "a saturated rate is a result";
  EXPECT_NE(outcome.out.find("first saturated rate 3.0000"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("busiest links at rate 3.0000: r"), std::string::npos) << outcome.out;
}

TEST(TrafficTable, NotesBehindItUnlessQuietAndALegendWhereItIsAskedFor) {
  const auto printed = [](std::vector<std::string> options) {
    options.insert(options.end(), {"--rate", "0.1"});
    return run_fredsim(traffic("configs/fred_small.yaml", options)).out;
  };
  constexpr const char* kNote = "link latency 20 ns = 30 cycles";
  constexpr const char* kLegend = "no node sends to itself";
  const std::string plain = printed({});
  EXPECT_TRUE(plain.starts_with("fred_small: ")) << plain;
  EXPECT_GT(plain.find(kNote), plain.find("saturation: "));
  EXPECT_NE(plain.find(kNote), std::string::npos);
  EXPECT_EQ(plain.find(kLegend), std::string::npos);
  EXPECT_NE(printed({"--legend"}).find(kLegend), std::string::npos);
  EXPECT_EQ(printed({"--quiet"}).find(kNote), std::string::npos);
}

// Rates that are said of buffers below two packets, by the text of the notes: none where none is
// said.
std::optional<double> bound_in(const std::string& text, const std::string& buffer, int packet) {
  std::string words;  // notes without their line breaks
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words += word + " ";
  const std::size_t at = words.find(buffer + ": ");
  const std::string end = " in packets of " + std::to_string(packet);
  const std::size_t to = at == std::string::npos ? at : words.find(end, at);
  if (to == std::string::npos) return std::nullopt;
  return std::stod(words.substr(words.rfind(' ', to - 1)));
}

TEST(TrafficBuffers, BelowTwoPacketsHoldTheRateBelowWhatIsSaid) {
  struct Case {
    const char* config;
    const char* setting;
    const char* buffer;
    double reached;  // least part of the bound
  };
  for (const auto& [config, setting, buffer, reached] :
       {Case{"configs/mesh_2x2.yaml", "switch.input_buffer=4KiB", "switch input, data", 0.9},
        Case{"configs/mesh_2x2.yaml", "switch.input_buffer=6KiB", "switch input, data", 0.9},
        Case{"configs/mesh_2x2.yaml", "npu.receive_buffer=4KiB", "NPU receive", 0.3},
        Case{"configs/fred_small.yaml", "switch.input_buffer=4KiB", "switch input, data", 0.85},
        Case{"configs/fred_small.yaml", "switch.output_buffer=4KiB", "switch output staging", 0.9},
        Case{"configs/systems/graph.yaml", "switch.output_buffer=6KiB", "switch output staging",
             0.3}}) {
    for (const int packet : {1, 3, 8}) {
      SCOPED_TRACE(fmt::format("{}, {}, packets of {}", config, setting, packet));
      std::vector<std::string> words =
          traffic(config, {"--rate", "0.7", "--pattern", "neighbor", "--packet-flits",
                           std::to_string(packet), "--set", setting});
      const std::optional<double> bound = bound_in(run_fredsim(words).out, buffer, packet);
      words.insert(words.end(), {"--json", "-"});
      const Outcome outcome = run_fredsim(words);
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      ASSERT_TRUE(bound);
      const double accepted = outcome.json()["runs"][0]["accepted_rate"];
      EXPECT_LE(accepted, 1.005 * *bound) << "bound " << *bound;
      EXPECT_GE(accepted, reached * std::min(*bound, 0.6));
      const Outcome info = run_fredsim({"info", config, "--set", setting});
      EXPECT_EQ(bound_in(info.out, buffer, packet),
                packet == 3 ? std::nullopt : bound);  // one flit and the longest alone
    }
    for (const char* const command : {"info", "traffic"}) {
      std::vector<std::string> words{command, config};
      if (words.front() == "traffic") words = traffic(config, {"--rate", "0.1"});
      EXPECT_EQ(run_fredsim(words).out.find("less than two packets"), std::string::npos) << config;
    }
  }
}

// Buffers of 4096 routers take most of the memory, for any traffic.
TEST(TrafficMemory, AMeshOf64By64StaysBelow500Megabytes) {
  if (kIsSanitized) GTEST_SKIP() << kWhyNotSanitized;
  const Outcome outcome =
      run_fredsim({"traffic", "configs/mesh.yaml", "--set", "npu.count=4096", "--set",
                   "fabric.width=64", "--set", "fabric.height=64", "--set", "io.count=0", "--rate",
                   "0.0005", "--warmup", "50", "--cycles", "50", "--quiet"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  rusage usage{};
  ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &usage), 0);
  EXPECT_LT(usage.ru_maxrss, 500'000) << "kilobytes";
}

}  // namespace
}  // namespace fredsim
