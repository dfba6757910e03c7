// SPDX-License-Identifier: Apache-2.0
// Waveform files as files: permitted paths, content after a full disk, locking, and block
// structure.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "support/program.h"
#include "wave_runs.h"

namespace fredsim {
namespace {

class WaveFileTest : public WaveTest {};

TEST_F(WaveFileTest, UnwritablePathIsRefused) {
  expect_refused(run_fredsim({"run", "configs/mesh_2x2.yaml", "--wave", path("no/w.fst")}),
                 {path("no/w.fst"), "cannot be written"});
}

TEST_F(WaveFileTest, UnwritableSaveFileIsRefused) {
  std::filesystem::create_directory(path("w.gtkw"));
  expect_refused(run_fredsim({"run", "configs/mesh_2x2.yaml", "--wave", path("w.fst")}),
                 {path("w.gtkw"), "cannot be written"});
  EXPECT_EQ(files(), std::vector<std::string>{"w.gtkw"});
}

// Wherever the disk, or a quota, ends: names, save file, a block in the middle of the run, the end.
TEST_F(WaveFileTest, FullDiskEndsTheRunAndLeavesNoFile) {
  const std::vector<std::string> run{"run",    "configs/fred_small.yaml",
                                     "--size", "64KiB",
                                     "--json", path("r.json"),
                                     "--wave", path("w.fst")};
  ASSERT_EQ(run_fredsim(run).exit_code, 0);
  const std::uint64_t whole = std::filesystem::file_size(path("w.fst"));
  for (const std::uint64_t bytes : {std::uint64_t{5000}, whole / 4, whole / 2, whole - 1}) {
    for (const std::string& name : files()) std::filesystem::remove(path(name));
    const Outcome outcome = run_fredsim(run, {.max_file_bytes = bytes});
    SCOPED_TRACE(testing::Message() << bytes << " of " << whole << " bytes");
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_NE(outcome.err.find(path("w.")), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(" bytes"), std::string::npos) << outcome.err;
    EXPECT_TRUE(files().empty());
  }
  const Outcome traffic =
      run_fredsim({"traffic", "configs/mesh_2x2.yaml", "--rate", "0.5", "--wave", path("w.fst")},
                  {.max_file_bytes = 20'000});
  EXPECT_EQ(traffic.exit_code, 1) << traffic.err;
  EXPECT_NE(traffic.err.find("File too large"), std::string::npos) << traffic.err;
  EXPECT_TRUE(files().empty());
}

TEST_F(WaveFileTest, AFileThatIsThereStaysTheSame) {
  write("real", std::string(100'000, 'x'));
  ASSERT_EQ(::chmod(path("real").c_str(), 0604), 0);
  std::filesystem::create_hard_link(path("real"), path("hard"));
  std::filesystem::create_symlink("real", path("w.fst"));
  struct stat before = {};
  struct stat after = {};
  ASSERT_EQ(::stat(path("real").c_str(), &before), 0);
  run(with(kSmallRun, {"--wave-links-only"}));
  ASSERT_EQ(::stat(path("hard").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(after.st_mode & 07777U, 0604U);
  EXPECT_TRUE(std::filesystem::is_symlink(path("w.fst")));
  EXPECT_GT(content().cycles.size(), 100U);
}

TEST_F(WaveFileTest, TheSecondRunOfOneFileIsRefused) {
  run(kSmallRun);
  const std::string before = read_text(path("w.fst"));
  const int file = ::open(path("w.fst").c_str(), O_RDWR);
  ASSERT_EQ(::flock(file, LOCK_EX), 0);  // the lock of a run
  expect_refused(run_fredsim(with(kSmallRun, {"--wave", path("w.fst")})),
                 {path("w.fst"), "another run is writing it", "a file for each run"});
  EXPECT_EQ(read_text(path("w.fst")), before);
  ::close(file);
  run(kSmallRun);
}

TEST_F(WaveFileTest, ARunHasItsFileLocked) {
  RunningProgram program({"traffic", "configs/mesh_2x2.yaml", "--rate", "0.1", "--cycles",
                          "100000000", "--wave", path("w.fst"), "--wave-links-only"});
  ASSERT_TRUE(program.wait_for_processor_time(std::chrono::milliseconds(700)));
  const int file = ::open(path("w.fst").c_str(), O_RDWR);
  EXPECT_NE(::flock(file, LOCK_EX | LOCK_NB), 0);
  program.send(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 130);
  EXPECT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0) << "no lock is left";
  ::close(file);
  EXPECT_GT(std::filesystem::file_size(path("w.fst")), 0U);  // maybe no cycle yet
}

TEST_F(WaveFileTest, NoDeviceIsWritten) {
  for (const char* device : {"/dev/full", "/dev/null"}) {
    expect_refused(run_fredsim(with(kSmallRun, {"--wave", device})), {device, "no regular file"});
    EXPECT_TRUE(std::filesystem::is_character_file(device));
  }
}

// At most a block is left to be written when a run ends or is interrupted. Fields of a block: type,
// length, begin, end, bytes that a reader needs for the block; 4 bits of a value take a byte there
// at least. The file is not converted, which takes minutes.
TEST_F(WaveFileTest, BlocksAreSmall) {
  ASSERT_EQ(run_fredsim({"traffic", "configs/mesh_2x2.yaml", "--rate", "0.9", "--cycles", "60000",
                         "--wave", path("w.fst"), "--wave-links-only"})
                .exit_code,
            0);
  const std::string text = read_text(path("w.fst"));
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i)
      value = value << 8U | static_cast<unsigned char>(text[at + i]);
    return value;
  };
  constexpr char kValueChanges = 1;  // without aliases
  constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 20;
  int blocks = 0;
  for (std::size_t at = 0; at < text.size(); at += 1 + number(at + 1)) {
    if (text[at] != kValueChanges) continue;
    ++blocks;
    EXPECT_LE(number(at + 25), kMaxBytes) << "block " << blocks;
  }
  EXPECT_GT(blocks, 5);
  // The header, the first block, ends with its first and last times: ps, a cycle of 666 each.
  constexpr char kHeader = 0;
  ASSERT_EQ(text[0], kHeader);
  EXPECT_GT(number(1 + 8 + 8), 60'000U * 666);
}

}  // namespace
}  // namespace fredsim
