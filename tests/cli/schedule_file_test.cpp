// SPDX-License-Identifier: Apache-2.0
// Schedules of files as algorithms of `train` and of `compare` with one machine.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class ScheduleFile : public FolderTest {
 protected:
  // Schedule of an algorithm on a mesh of 2 x 2, as `info --plan` writes it.
  std::string plan(const std::string& algorithm) {
    std::string file = path(algorithm + ".json");
    const Outcome made =
        run_fredsim({"info", "mesh_2x2", "--plan", file, "--algorithm", algorithm});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return file;
  }
  static Outcome train(const Words& more) {
    Words words{"train", "mesh_2x2", "--workload", "small", "--json", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return run_fredsim(words);
  }
  static json trained(const Words& more) {
    const Outcome outcome = train(more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json{};
  }
};

TEST_F(ScheduleFile, TrainsAsTheAlgorithmThatItWasMadeOf) {
  for (const std::string algorithm : {"ring", "tree", "halving_doubling", "direct", "multi_tree"}) {
    const std::string file = plan(algorithm);
    for (const char* const dimension : {"--dp", "--mp"}) {
      SCOPED_TRACE(algorithm + " " + dimension);
      const json by_name = trained({dimension, "4", "--algorithm", algorithm});
      const json by_file = trained({dimension, "4", "--algorithm", file});
      ASSERT_FALSE(by_name.is_null() || by_file.is_null());
      EXPECT_GT(by_name["cycles"], 0);
      EXPECT_EQ(by_file["cycles"], by_name["cycles"]);
      EXPECT_EQ(by_file["payload"], "exact");
    }
  }
}

TEST_F(ScheduleFile, FlowsTakeOneToo) {
  const std::string file = plan("ring");
  const json by_name = trained({"--dp", "4", "--engine", "flow", "--algorithm", "ring"});
  const json by_file = trained({"--dp", "4", "--engine", "flow", "--algorithm", file});
  ASSERT_FALSE(by_name.is_null() || by_file.is_null());
  EXPECT_EQ(by_file["iteration_ns"], by_name["iteration_ns"]);
}

TEST_F(ScheduleFile, GroupsOfOtherSizesAreRefused) {
  const Outcome refused = train({"--mp", "2", "--dp", "2", "--algorithm", plan("ring")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("a schedule of 4 ranks, for a group of 2 on mesh_2x2; allowed: a "
                             "schedule of 2 ranks, auto"),
            std::string::npos)
      << refused.err;
}

TEST_F(ScheduleFile, OneMachineIsARowPerAlgorithm) {
  const std::string file = plan("ring");
  const Outcome compared = run_fredsim({"compare", "mesh_2x2", "--size", "64KiB", "--algorithm",
                                        file + ",ring,tree", "--json", "-"});
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  const json runs = compared.json()["runs"];
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0]["cycles"], runs[1]["cycles"]);
  EXPECT_NE(runs[1]["cycles"], runs[2]["cycles"]);

  const Outcome table =
      run_fredsim({"compare", "mesh_2x2", "--size", "64KiB", "--algorithm", file + ",ring,tree"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  const std::string machine = "link latency 20 ns";
  const std::size_t first = table.out.find(machine);
  ASSERT_NE(first, std::string::npos) << table.out;
  EXPECT_EQ(table.out.find(machine, first + 1), std::string::npos) << table.out;
}

}  // namespace
}  // namespace fredsim
