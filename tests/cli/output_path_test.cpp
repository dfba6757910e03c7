// SPDX-License-Identifier: Apache-2.0
// --json and standard output where they cannot be written: exit code 2, never half a file.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

#include "support/program.h"

namespace fredsim {
namespace {

class OutputPathTest : public FolderTest {
 protected:
  // The results of one small run are larger than this.
  static constexpr std::uint64_t kTooFewBytes = 6000;

  static Outcome run_to(const std::string& json, const Surroundings& around = {}) {
    return run_fredsim({"run", "configs/mesh_2x2.yaml", "--size", "4KiB", "--json", json}, around);
  }
};

TEST_F(OutputPathTest, FileIsTheSameJsonAndStandardOutputIsTheTable) {
  const Outcome outcome = run_to(path("r.json"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("payload"), std::string::npos) << outcome.out;
  const std::string text = read_text(path("r.json"));
  EXPECT_GT(text.size(), kTooFewBytes);
  EXPECT_EQ(nlohmann::json::parse(text)["runs"].size(), 1U);
  EXPECT_EQ(files(), std::vector<std::string>{"r.json"});
}

TEST_F(OutputPathTest, MissingFolderIsRefusedBeforeTheRun) {
  expect_refused(run_to(path("no/r.json")), {"--json", path("no/r.json"), "No such file"});
}

TEST_F(OutputPathTest, FolderInPlaceOfAFileIsRefusedBeforeTheRun) {
  expect_refused(run_to(folder_.string()), {"--json", folder_.string(), "directory"});
}

TEST_F(OutputPathTest, FolderWithoutPermissionIsRefusedBeforeTheRun) {
  const std::string json = ::geteuid() == 0 ? "/proc/r.json" : path("locked/r.json");
  std::filesystem::create_directory(path("locked"));
  std::filesystem::permissions(path("locked"), std::filesystem::perms::owner_read);
  expect_refused(run_to(json), {"--json", json, "cannot be created"});
}

TEST_F(OutputPathTest, FullDevice) {
  const Outcome outcome = run_to("/dev/full");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(OutputPathTest, FullStandardOutput) {
  for (const char* json : {"-", "/dev/null"}) {
    const Outcome outcome = run_to(json, {.stdout_file = "/dev/full", .max_file_bytes = 0});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
  }
}

TEST_F(OutputPathTest, DiskThatFillsUpKeepsTheOldFileAndLeavesNoOther) {
  const std::string json = write("r.json", "old");
  const Outcome outcome = run_to(json, {.stdout_file = "", .max_file_bytes = kTooFewBytes});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
  EXPECT_EQ(read_text(json), "old");
  EXPECT_EQ(files(), std::vector<std::string>{"r.json"});
}

TEST_F(OutputPathTest, FullDisk) {
  std::filesystem::create_directory(path("disk"));
  if (::mount("none", path("disk").c_str(), "tmpfs", 0, "size=8k") != 0) {
    GTEST_SKIP() << "mounting a small disk needs more rights";
  }
  const Outcome during = run_to(path("disk/r.json"));
  const bool left_nothing = std::filesystem::is_empty(path("disk"));
  std::ofstream(path("disk/filler")) << std::string(8192, 'x');
  const Outcome before = run_to(path("disk/r.json"));
  ASSERT_EQ(::umount(path("disk").c_str()), 0);
  EXPECT_EQ(during.exit_code, 2);
  EXPECT_NE(during.err.find("No space left on device"), std::string::npos) << during.err;
  EXPECT_TRUE(left_nothing);
  expect_refused(before, {"--json", "No space left on device"});
}

TEST_F(OutputPathTest, FailedRunWritesNoFile) {
  const Outcome outcome =
      run_fredsim({"run", "configs/mesh_2x2.yaml", "-b", "512", "-e", "1MiB", "-f", "2048",
                   "--timeout-cycles", "400", "--json", path("r.json")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("512 B"), std::string::npos) << "what was done is printed";
  EXPECT_NE(outcome.err.find("all_reduce of 1 MiB"), std::string::npos) << outcome.err;
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace fredsim
