// SPDX-License-Identifier: Apache-2.0
// Machines with large routing tables, and machines beyond the supported size.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using Settings = std::vector<std::string>;

// A tree with one slice and `npus` NPUs; `levels`: lowest first.
Settings tree_of(int npus, const std::string& levels) {
  return {"npu.count=" + std::to_string(npus), "npu.bandwidth=600 GB/s", "fabric.slices=1",
          "fabric.levels=[" + levels + "]"};
}

Outcome run_with(std::vector<std::string> words, const Settings& settings) {
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return run_fredsim(words);
}

std::uint64_t cycles_of(std::vector<std::string> words, const Settings& settings) {
  words.insert(words.end(), {"--collective", "all_to_all", "--json", "-"});
  const Outcome outcome = run_with(std::move(words), settings);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  if (outcome.exit_code != 0) return 0;
  EXPECT_EQ(outcome.json()["runs"][0]["payload"], "exact");
  return outcome.json()["runs"][0]["cycles"];
}

Settings with_table(Settings settings, int bits) {
  settings.push_back("switch.params.ROUTE_ADDR_W=" + std::to_string(bits));
  return settings;
}

TEST(LargeMachines, ATreeOfFourLevelsIsTheSameWithALargeTable) {
  const Settings tree = tree_of(256,
                                "{below: 4, uplinks: 2, uplink_bandwidth: 1.2 TB/s}, {below: 4, "
                                "chiplets_per_slice: 2, uplinks: 2, "
                                "uplink_bandwidth: 2.4 TB/s}, {below: 4, chiplets_per_slice: 2, "
                                "uplinks: 2, uplink_bandwidth: 2.4 "
                                "TB/s}, {below: 4, chiplets_per_slice: 2}");
  const std::vector<std::string> words{"run", "fred_64", "--size", "128KiB", "--model", "tlm"};
  const std::uint64_t cycles = cycles_of(words, tree);
  EXPECT_GT(cycles, 1000U);
  EXPECT_EQ(cycles_of(words, with_table(tree, 12)), cycles);
}

TEST(LargeMachines, RtlAndTwinsAreAlikeWithALargeTable) {
  const std::vector<std::string> words{"run",   "fred_small", "--size",
                                       "16KiB", "--model",    "lockstep"};
  const std::uint64_t cycles = cycles_of(words, {});
  EXPECT_GT(cycles, 100U);
  EXPECT_EQ(cycles_of(words, with_table({}, 11)), cycles);
}

TEST(LargeMachines, BeyondALimitAreRefusedWithTheNumber) {
  const std::string level = "{below: 16, uplinks: 1, uplink_bandwidth: 600 GB/s}, ";
  const struct {
    std::vector<std::string> words;
    Settings settings;
    std::string message;
  } cases[] = {
      {{"traffic", "fred_64", "--rate", "0.1"},
       tree_of(65'536, level + level + level + "{below: 16}"),
       "fred_64: found npu32768 with address 32768; a switch's table for unicasts routed online "
       "has "
       "room for addresses 0 to 32767"},
      {{"run", "fred_64"}, with_table({}, 16), "ROUTE_ADDR_W: found 16; allowed: 10 to 15"},
      {{"run", "mesh"},
       {"npu.count=65", "fabric.width=65", "fabric.height=1", "io.count=0"},
       "fabric.width: found '65'; allowed: an integer from 1 to 64"}};
  for (const auto& one : cases) {
    const Outcome outcome = run_with(one.words, one.settings);
    EXPECT_EQ(outcome.exit_code, 2) << one.message;
    EXPECT_NE(outcome.err.find(one.message), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace fredsim
