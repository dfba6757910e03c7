// SPDX-License-Identifier: Apache-2.0
// Waveform files: their content, read back with GTKWave's fst2vcd, against the counters of the same
// run; scopes and windows.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "support/program.h"
#include "support/vcd.h"
#include "wave_runs.h"

namespace fredsim {
namespace {

TEST_F(WaveTest, LinksAreWhatTheCountersSay) {
  const nlohmann::json result = run(with(kSmallRun, {"--wave-links-only"}));
  EXPECT_EQ(result["runs"][0]["model"], "tlm");
  const WaveContent wave = content();
  EXPECT_GT(expect_counts(wave, result["runs"][0]), 10);
  for (std::size_t c = 0; c < wave.cycles.size(); ++c) {
    EXPECT_EQ(wave.cycles[c], c);
    EXPECT_EQ(wave.time_ps[c], c * 2000 / 3) << "1.5 GHz";
  }
  EXPECT_FALSE(wave.has_instance("l1_0.s0")) << "no RTL";
}

TEST_F(WaveTest, LinksOfRtlAreThoseOfTwins) {
  run(with(kSmallRun, {"--wave-links-only"}));
  const std::map<std::string, std::uint64_t> twins = content().times;
  const nlohmann::json result = run(kSmallRun);
  EXPECT_EQ(result["runs"][0]["model"], "rtl");
  const WaveContent rtl = content();
  expect_counts(rtl, result["runs"][0]);
  EXPECT_TRUE(rtl.has_instance("l1_0.s0"));
  for (const auto& [path, value] : twins) EXPECT_EQ(rtl.times.at(path), value) << path;
}

TEST_F(WaveTest, ScopeChoosesInstancesAndTheirLinks) {
  const nlohmann::json result =
      run({"run", "configs/mesh_2x2.yaml", "--size", "4KiB", "--wave-scope", "r1_0"});
  EXPECT_EQ(result["runs"][0]["model"], "rtl+tlm");
  const WaveContent wave = content();
  EXPECT_TRUE(wave.has_instance("r1_0"));
  EXPECT_FALSE(wave.has_instance("r0_0"));
  for (const nlohmann::json& link : result["runs"][0]["links"]) {
    const bool touches = link["from"] == "r1_0" || link["to"] == "r1_0";
    const std::string scope = wave_scope_of(link["name"]);
    EXPECT_EQ(wave.sum(scope, "valid"),
              touches ? link["flits"].get<std::uint64_t>() : ~std::uint64_t{0})
        << scope;
  }
}

TEST_F(WaveTest, ScopeMayBeAnEndpoint) {
  const nlohmann::json result = run(with(kSmallRun, {"--wave-scope", "npu1"}));
  EXPECT_EQ(result["runs"][0]["model"], "tlm") << "no switch is in scope";
  EXPECT_TRUE(content().has_instance("links/npu1_0__l1_0_s0_1"));
}

TEST_F(WaveTest, HoldsAllSizesOneAfterTheOther) {
  const nlohmann::json result = run({"run", "configs/fred_small.yaml", "-b", "1KiB", "-e", "2KiB",
                                     "-f", "2", "--wave-links-only"});
  const WaveContent wave = content();
  for (const nlohmann::json& link : result["runs"][0]["links"]) {
    std::uint64_t flits = 0;
    for (const nlohmann::json& one : result["runs"]) {
      for (const nlohmann::json& other : one["links"]) {
        if (other["name"] == link["name"]) flits += other["flits"].get<std::uint64_t>();
      }
    }
    EXPECT_EQ(wave.sum(wave_scope_of(link["name"]), "valid"), flits);
  }
}

TEST_F(WaveTest, WindowsAreCutOutOfTheWhole) {
  run(with(kSmallRun,
           {"--wave-links-only", "--wave-window", "150:220", "--wave-window", "160ns:170ns"}));
  const WaveContent wave = content();
  std::vector<std::uint64_t> expected;
  for (std::uint64_t c = 150; c <= 220; ++c) expected.push_back(c);
  for (std::uint64_t c = 240; c <= 255; ++c) expected.push_back(c);
  EXPECT_EQ(wave.cycles, expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(wave.time_ps[i], expected[i] * 2000 / 3);
  }
  for (const auto& [path, value] : wave.last) {
    if (path == "wave/recording" || path.ends_with("/valid")) {
      EXPECT_EQ(value, 0U) << path << " in the gap after the last window";
    }
  }

  run(with(kSmallRun, {"--wave-links-only"}));
  WaveContent whole;
  std::istringstream vcd(run_fst2vcd(path("w.fst")));
  read_vcd(vcd, [&](std::uint64_t, const VcdState& state) {
    const std::uint64_t cycle = state.at("wave/cycle");
    if (std::ranges::find(expected, cycle) == expected.end()) return;
    for (const auto& [path, value] : state.values) whole.times[path] += value;
  });
  std::uint64_t flits = 0;
  for (const auto& [path, value] : whole.times) {
    if (!path.ends_with("/valid") && path.find("/credit") == std::string::npos) continue;
    EXPECT_EQ(wave.times.at(path), value) << path;
    if (path.ends_with("/valid")) flits += value;
  }
  EXPECT_GT(flits, 20U) << "the windows are where something happens";
}

// Values are equal to the FST file's, which is not left, and a save file that opens it.
TEST_F(WaveTest, AVcdFileHasWhatTheFstFileHas) {
  const auto values_of = [](const std::string& vcd) {
    std::istringstream text(vcd.substr(vcd.find("$timescale")));  // behind the date
    std::vector<std::pair<std::uint64_t, std::map<std::string, std::uint64_t>>> values;
    read_vcd(text, [&](std::uint64_t time, const VcdState& state) {
      values.emplace_back(time, state.values);
    });
    return values;
  };
  run(with(kSmallRun, {"--wave-links-only"}));
  const auto expected = values_of(run_fst2vcd(path("w.fst")));
  EXPECT_GT(expected.size(), 50U);
  std::vector<std::string> words(kSmallRun.begin(), kSmallRun.end());
  words.insert(words.end(), {"--wave-links-only", "--wave", path("v.vcd"), "--quiet"});
  ASSERT_EQ(run_fredsim(words).exit_code, 0);
  EXPECT_EQ(values_of(read_text(path("v.vcd"))), expected);
  EXPECT_FALSE(std::filesystem::exists(path("v.vcd.fst")));
  EXPECT_NE(read_text(path("v.gtkw")).find("v.vcd\""), std::string::npos);
}

TEST_F(WaveTest, CompareWritesAFilePerMachine) {
  const nlohmann::json result = run({"compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml",
                                     "--size", "1KiB", "--wave-links-only"});
  EXPECT_EQ(result["runs"].size(), 2U);
  for (const nlohmann::json& one : result["runs"]) {
    const std::string fabric = one["fabric"];
    EXPECT_GT(expect_counts(wave_content_of(path("w." + fabric + ".fst")), one), 10) << fabric;
    EXPECT_NE(read_text(path("w." + fabric + ".gtkw")).find("w." + fabric + ".fst"),
              std::string::npos);
  }
}

TEST_F(WaveTest, TrafficHasOneToo) {
  const nlohmann::json result =
      run({"traffic", "configs/fred_small.yaml", "--rate", "0.2", "--warmup", "0", "--cycles",
           "1000", "--wave-links-only", "--wave-window", "0:10"});
  EXPECT_EQ(content().cycles.size(), 11U);
}

TEST_F(WaveTest, SaysWhenNoWindowWasReached) {
  const Outcome outcome =
      run_fredsim(with(kSmallRun, {"--wave", path("w.fst"), "--wave-window", "1000000:"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("holds no cycle"), std::string::npos) << outcome.err;
}

TEST_F(WaveTest, SaveFileNamesSignalsThatThereAre) {
  run(with(kSmallRun, {"--wave-links-only", "--wave-scope", "l1_0*"}));
  const WaveContent wave = content();
  std::istringstream save(read_text(path("w.gtkw")));
  std::string line;
  int signals = 0;
  std::vector<std::string> groups;
  bool named = false;
  while (std::getline(save, line)) {
    if (line.starts_with("@")) {
      named = false;
    } else if (line.starts_with("^1 ")) {
      EXPECT_TRUE(std::filesystem::exists(line.substr(3))) << line;
      named = true;
    } else if (line.starts_with("-")) {
      if (!groups.empty() && groups.back() == line) {
        groups.pop_back();
      } else {
        groups.push_back(line);
      }
    } else if (line.starts_with("links.") || line.starts_with("wave.")) {
      std::string path = line.substr(0, line.find('['));
      std::ranges::replace(path, '.', '/');
      EXPECT_TRUE(wave.times.contains(path)) << path;
      EXPECT_EQ(named, path.ends_with("/vc") || path.ends_with("/phase")) << path;
      ++signals;
    }
  }
  EXPECT_GT(signals, 100);
  EXPECT_TRUE(groups.empty()) << "every group is closed";
  EXPECT_NE(read_text(path("w.vc.filter")).find("3 control\n"), std::string::npos);
}

TEST_F(WaveTest, DoesNotChangeTheResult) {
  const std::vector<std::string> plain{"run", "configs/mesh_2x2.yaml", "--size", "4KiB", "--json",
                                       "-"};
  std::vector<std::string> traced = plain;
  traced.insert(traced.end(), {"--wave", path("w.fst")});
  const auto result = [](const std::vector<std::string>& arguments) {
    nlohmann::json run = run_fredsim(arguments).json()["runs"][0];
    run.erase("wall_s");
    run.erase("sim_cycles_per_s");
    run.erase("skipped");
    run.erase("model");  // the wave shows RTL
    for (nlohmann::json& one : run["switches"]) one.erase("model");
    return run;
  };
  EXPECT_EQ(result(plain), result(traced));
}

}  // namespace
}  // namespace fredsim
