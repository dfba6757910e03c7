// SPDX-License-Identifier: Apache-2.0
// RTL on demand by the program itself: a missing switch size is built once, for all processes that
// request it.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "support/program.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;

class RtlOnDemand : public FolderTest {
 protected:
  std::string cache() const { return path("cache"); }
  // Switches of two ports, which no list of sizes has.
  static std::vector<std::string> small(const std::string& model) {
    return {"run",     "configs/fully_connected.yaml",
            "--set",   "npu.count=2",
            "--set",   "fabric.switches=2",
            "--size",  "4KiB",
            "--model", model};
  }
  Outcome run(const std::vector<std::string>& arguments) const {
    return run_fredsim(arguments, {.cache = cache()});
  }
  std::vector<std::string> kept() const {
    std::vector<std::string> names;
    if (!fs::exists(cache())) return names;
    for (const auto& entry : fs::recursive_directory_iterator(cache())) {
      // A digest is there beside each library.
      if (entry.is_regular_file() && entry.path().extension() != ".sha256")
        names.push_back(entry.path().filename().string());
    }
    return names;
  }
};

TEST_F(RtlOnDemand, IsBuiltOnceForAllProcessesAndRunsAsItsTwin) {
  const Outcome never = run(with(small("lockstep"), {"--rtl-build", "never"}));
  EXPECT_EQ(never.exit_code, 2);
  EXPECT_NE(never.err.find("no RTL of this switch size is built:\n  voq_crossbar P=2 "),
            std::string::npos)
      << never.err;
  EXPECT_TRUE(kept().empty());

  RunningProgram first(small("lockstep"), {.cache = cache()});
  RunningProgram second(small("rtl"), {.cache = cache()});
  const std::vector<Outcome> outcomes{first.wait(), second.wait()};
  std::string all;
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("fredsim: building RTL of a switch size, about "), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("; kept in " + cache() + ": voq_crossbar P=2 "), std::string::npos)
        << outcome.err;
    all += outcome.err;
  }
  EXPECT_NE(all.find("waiting for another process"), std::string::npos) << all;
  const std::vector<std::string> libraries = kept();
  ASSERT_EQ(libraries.size(), 1U);
  EXPECT_TRUE(libraries[0].starts_with("voq_crossbar_P_2_")) << libraries[0];
  const fs::path library = fs::path(cache()) / "rtl" / libraries[0];
  const auto written = fs::last_write_time(library);

  std::vector<nlohmann::json> results;
  for (const char* model : {"tlm", "rtl", "lockstep"}) {
    const Outcome again = run(with(small(model), {"--json", "-"}));
    ASSERT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(again.err, "") << "it is there";
    results.push_back(again.json()["runs"][0]["cycles"]);
  }
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
  EXPECT_EQ(fs::last_write_time(library), written);
}

TEST_F(RtlOnDemand, ThatIsInterruptedLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningProgram program(with(small("rtl"), {"--json", path("out.json")}), {.cache = cache()});
    ASSERT_TRUE(program.wait_for_error("building RTL of a switch size"));
    program.send(signal);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_NE(outcome.err.find("fredsim: interrupted while RTL of a switch size was built\n"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(kept().empty());
    EXPECT_FALSE(fs::exists(path("out.json")));
  }
}

TEST_F(RtlOnDemand, InACacheThatCannotBeWrittenIsRefused) {
  write("cache", "a file");
  expect_refused(run(with(small("rtl"), {"--json", path("out.json")})),
                 {"cache of switch RTL: '" + cache(), "cannot be written: Not a directory",
                  "allowed: FREDSIM_CACHE=FOLDER", "--rtl-build never"});
  EXPECT_EQ(files(), std::vector<std::string>{"cache"});
}

}  // namespace
}  // namespace fredsim
