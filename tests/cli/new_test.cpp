// SPDX-License-Identifier: Apache-2.0
// `fredsim new`: files of all kinds of fabrics load, run and have the requested shape.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using Words = std::vector<std::string>;

Words kinds() {
  const nlohmann::json schema = run_fredsim({"schema", "machine"}).json();
  return schema["properties"]["fabric"]["properties"]["type"]["enum"].get<Words>();
}

class New : public FolderTest {
 protected:
  // The file that `new` prints; empty: refused.
  std::string file_of(const std::string& kind, int npus) const {
    const Outcome made = run_fredsim({"new", kind, "--npus", std::to_string(npus)});
    return made.exit_code == 0 ? write("my.yaml", made.out) : "";
  }

  // Expects name and number of NPUs in the output of `info`.
  static void expect_info(const std::string& file, const std::string& kind, int npus) {
    const Outcome info = run_fredsim({"info", file});
    EXPECT_EQ(info.exit_code, 0) << info.err;
    const std::regex number("\n  NPUs +" + std::to_string(npus) + "[, ]");
    EXPECT_TRUE(std::regex_search(info.out, number)) << info.out;
    EXPECT_EQ(info.out.find(kind + "_" + std::to_string(npus) + ": "), 0U) << info.out;
  }

  static void expect_runs(const std::string& file, int npus) {
    const Outcome run = run_fredsim({"run", file, "--size", "4KiB", "--json", "-"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const nlohmann::json result = run.json()["runs"][0];
    EXPECT_EQ(result["payload"], "exact");
    EXPECT_EQ(result["groups"][0].size(), static_cast<std::size_t>(npus)) << result.dump(1);
  }

  // Keys that stand behind a # have their defaults: the same machine with and without it.
  void expect_defaults(const std::string& file) const {
    static const std::regex hidden("(^|\n)( *)#([a-z])");
    const std::string whole = std::regex_replace(read_text(file), hidden, "$1$2$3");
    EXPECT_NE(whole, read_text(file));
    const Outcome shown = run_fredsim({"info", write("whole.yaml", whole)});
    EXPECT_EQ(shown.err, "");
    EXPECT_EQ(shown.out, run_fredsim({"info", file}).out);
  }
};

TEST_F(New, FilesOfAllKindsRun) {
  for (const std::string& kind : kinds()) {
    SCOPED_TRACE(kind);
    const Outcome made = run_fredsim({"new", kind});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.err, "");
    std::smatch number;
    ASSERT_TRUE(std::regex_search(made.out, number, std::regex("^# A machine of ([0-9]+) NPUs")));
    const std::string file = write("my.yaml", made.out);
    const int npus = std::stoi(number[1]);
    expect_info(file, kind, npus);
    expect_runs(file, npus);
    expect_defaults(file);
  }
}

TEST_F(New, AnyNumberRunsOrIsRefusedWithTheNearest) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const std::string& kind : kinds()) {
    for (const int npus : {2, 16, 33, std::uniform_int_distribution(2, 100)(random)}) {
      SCOPED_TRACE(kind + " of " + std::to_string(npus));
      const Words words{"new", kind, "--npus", std::to_string(npus)};
      if (const std::string file = file_of(kind, npus); !file.empty()) {
        expect_info(file, kind, npus);
        expect_runs(file, npus);
        expect_defaults(file);
        continue;
      }
      const Outcome refused = run_fredsim(words);
      expect_refused(refused, {"--npus: found " + std::to_string(npus), "allowed for " + kind});
      std::smatch nearest;
      ASSERT_TRUE(std::regex_search(refused.err, nearest, std::regex("nearest: ([0-9]+)")));
      EXPECT_NE(file_of(kind, std::stoi(nearest[1])), "") << refused.err;
    }
  }
}

TEST_F(New, CommentsHaveMeaningRangeAndDefault) {
  const std::string text = read_text(file_of("mesh2d", 20));
  for (const char* lines :
       {"  # columns of the mesh or torus; 1 to 64\n  width: 5\n",
        "  # latency between an NPU and its router, a time; ps, ns, us or ms; default 0 ns\n"
        "  #local_latency: 0 ns\n"})
    EXPECT_NE(text.find(lines), std::string::npos) << lines << text;
}

TEST_F(New, RefusesOtherKinds) {
  expect_refused(run_fredsim({"new", "mesh2"}), {"KIND: found 'mesh2'; did you mean 'mesh2d'?"});
  expect_refused(run_fredsim({"new", "fred"}), {"KIND: found 'fred'; did you mean 'fred_tree'?"});
  expect_refused(run_fredsim({"new", "banyan"}), {"KIND: found 'banyan'; allowed: mesh2d, "});
  expect_refused(run_fredsim({"new", "mesh2d", "--npus", "67"}),
                 {"--npus: found 67; allowed for mesh2d: width x height, 1 to 64 each; nearest: 66 "
                  "or 68"});
  expect_refused(run_fredsim({"new", "astra_sim", "--npus", "8"}), {"found 8", "nearest: 32"});
}

}  // namespace
}  // namespace fredsim
