// SPDX-License-Identifier: Apache-2.0
// Training and works with order on systems of dimensions: groups over several dimensions, pipeline
// stages, and flows against exact runs.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr double kMaxPercentOfRun = 1.5;  // ranks of a step end together in flows
constexpr double kMaxPercentStated = 6;
constexpr double kMaxPercentOfPart = 1;  // percent of the iteration

class SystemOrder : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = folder_.file(name);
    std::ofstream(path) << text;
    return path;
  }
  std::string system(const Words& dimensions) {
    std::string text = "name: system\nclock: 1.5 GHz\nfabric:\n  type: dimensions\n  dimensions:\n";
    for (const std::string& one : dimensions) text += "    - {" + one + "}\n";
    return file("system.yaml", text);
  }
  static json run(Words words, const std::string& engine) {
    words.insert(words.end(), {"--engine", engine, "--quiet", "--json", "-"});
    const Outcome outcome = run_fredsim(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
  }
  struct Both {
    json exact{}, flow{};  // null: one of them has failed
  };
  // Runs both engines, which move the same bytes.
  static Both run_by_both(const Words& words) {
    Both both{run(words, "exact"), run(words, "flow")};
    if (both.exact.is_null() || both.flow.is_null()) return {};
    EXPECT_EQ(both.exact.at("payload"), "exact");
    EXPECT_EQ(both.flow.at("traffic"), both.exact.at("traffic"));
    const json& links = both.exact.at("links");
    EXPECT_EQ(both.flow.at("links").size(), links.size());
    for (std::size_t l = 0; l < links.size(); ++l)
      EXPECT_EQ(both.flow.at("links").at(l).at("bytes"), links.at(l).at("bytes"));
    EXPECT_EQ(both.flow.at("operations").at("complete"),
              both.exact.at("operations").at("complete"));
    return both;
  }
  static double percent(const json& found, const json& wanted) {
    return 100 * std::abs(found.get<double>() / wanted.get<double>() - 1);
  }

  TemporaryFolder folder_;
};

const Words kBoxes{"block: fully_connected, size: 4, bandwidth: 150 GB/s, latency: 50 ns",
                   "block: switch, size: 4, bandwidth: 50 GB/s, latency: 100 ns"};

TEST_F(SystemOrder, TrainsWithGroupsOverDimensions) {
  const std::string path = system(kBoxes);
  const std::string model = file("model.yaml", R"(
name: model
sample: 64 KiB
layers:
  - {name: block, repeat: 4, parameters: 200e3, flops: 160e6, output: 256 KiB, reduces: true}
)");
  for (const Words& strategy :
       {Words{"--mp", "8", "--dp", "2"}, Words{"--mp", "4", "--pp", "2", "--dp", "2"},
        Words{"--mp", "8", "--pp", "2"}, Words{"--mp", "2", "--pp", "2", "--dp", "4"},
        Words{"--mp", "2", "--dp", "8", "--gradients", "zero2=64KiB"}}) {
    Words words{"train", path, "--workload", model, "--samples", "2", "--algorithm", "paper"};
    words.insert(words.end(), strategy.begin(), strategy.end());
    SCOPED_TRACE(testing::PrintToString(strategy));
    const auto [exact, flow] = run_by_both(words);
    ASSERT_FALSE(exact.is_null());
    EXPECT_LE(percent(flow.at("iteration_ns"), exact.at("iteration_ns")), kMaxPercentOfRun);
    EXPECT_GE(flow.at("error").at("mean_percent"), kMaxPercentOfRun);
    EXPECT_LE(flow.at("error").at("worst_percent"), kMaxPercentStated);
    for (const auto& [name, time] : exact.at("breakdown_ns").items()) {
      const double off = flow.at("breakdown_ns").at(name).get<double>() - time.get<double>();
      EXPECT_LE(100 * std::abs(off) / exact.at("iteration_ns").get<double>(), kMaxPercentOfPart)
          << name;
    }
  }
}

// Each collective of a work is a separate part of the result, whatever dimensions it crosses.
TEST_F(SystemOrder, RunsWorksWithOrder) {
  const std::string path = system(kBoxes);
  const std::string work = file("work.yaml", R"(
- {name: all, collective: all_reduce, groups: all, size: 256 KiB}
- {name: box, collective: all_gather, groups: [[0, 1, 2, 3]], size: 128 KiB, after: [all], repeat: 3}
- {name: pass, collective: multicast, groups: [[0, 12, 13, 14, 15]], size: 64 KiB, after: [box]}
)");
  const auto [exact, flow] = run_by_both({"run", path, "--work", work});
  ASSERT_FALSE(exact.is_null());
  EXPECT_LE(percent(flow.at("cycles"), exact.at("cycles")), kMaxPercentOfRun);
  ASSERT_EQ(exact.at("parts").size(), 3U);
  ASSERT_EQ(flow.at("parts").size(), 3U);
  for (std::size_t p = 0; p < 3; ++p) {
    const json& part = exact.at("parts").at(p);
    SCOPED_TRACE(part.at("name"));
    EXPECT_EQ(flow.at("parts").at(p).at("group"), part.at("group"));
    EXPECT_LE(percent(flow.at("parts").at(p).at("cycles"), part.at("cycles")), 3);
  }
  // Alone they take as long.
  const json alone = run({"run", path, "--size", "256KiB"}, "exact");
  EXPECT_EQ(exact.at("parts").at(0).at("cycles"), alone.at("cycles"));
}

// Wafers have I/O controllers, which load nothing here and stream no weights.
TEST_F(SystemOrder, TrainsOnWafersWithoutTheirControllers) {
  const std::string path =
      system({"machine: mesh_2x2", "block: switch, size: 2, bandwidth: 50 GB/s, latency: 100 ns"});
  const Words words{"train", path, "--workload", "configs/models/small.yaml", "--mp", "4"};
  const json exact = run(words, "exact");
  ASSERT_FALSE(exact.is_null());
  EXPECT_EQ(exact.at("breakdown_ns").at("input_load"), 0);
  EXPECT_NE(exact.at("idealised").dump().find("I/O controllers of systems load no input"),
            std::string::npos);
  const Outcome streams = run_fredsim({"train", path, "--workload", "gpt3", "--mp", "4"});
  EXPECT_EQ(streams.exit_code, 2);
  EXPECT_NE(streams.err.find("--execution: found streaming"), std::string::npos) << streams.err;
}

TEST_F(SystemOrder, MeasuresWhatIsTooLargeOnLess) {
  const std::string path =
      system({"block: fully_connected, size: 8, bandwidth: 280 GB/s, latency: 100 ns",
              "block: switch, size: 128, bandwidth: 25 GB/s, latency: 500 ns, name: pod"});
  const json flow = run({"train", path, "--workload", "configs/models/small.yaml", "--mp", "16",
                         "--pp", "2", "--dp", "32"},
                        "flow");
  ASSERT_FALSE(flow.is_null());
  EXPECT_EQ(flow.at("error").at("measured_on"),
            "system with 64 NPUs; pod of 128 extrapolated from 16 and 32, each operation alone");
  EXPECT_LE(flow.at("error").at("worst_percent"), kMaxPercentStated);
}

}  // namespace
}  // namespace fredsim
