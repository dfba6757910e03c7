// SPDX-License-Identifier: Apache-2.0
// Work beyond the memory is refused at once, with the figures; work that fits runs.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/program.h"
#include "support/sanitized.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kGb = 1'000'000'000;
const std::vector<std::string> kLargest{"run",   "configs/mesh.yaml", "--set",  "npu.count=4096",
                                        "--set", "fabric.width=64",   "--set",  "fabric.height=64",
                                        "--set", "io.count=0",        "--quiet"};

Outcome run_within(std::uint64_t bytes, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = kLargest;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_fredsim(arguments, {.max_memory_bytes = bytes});
}

class MemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kIsSanitized) GTEST_SKIP() << kWhyNotSanitized;
  }
};

TEST_F(MemoryTest, PlansThatDoNotFitAreRefusedWithTheFigures) {
  expect_refused(run_within(4 * kGb, {"--collective", "all_to_all", "--size", "16MiB"}),
                 {"mesh, all_to_all of 16 MiB", "needs about 2", "GB are free", "--group"});
  expect_refused(run_within(4 * kGb, {"--collective", "all_reduce", "--size", "16MiB",
                                      "--algorithm", "paper"}),
                 {"mesh, all_reduce of 16 MiB", "needs about 18 GB", "GB are free"});
}

TEST_F(MemoryTest, TooManyStreamsAreRefusedBeforeTheyArePlanned) {
  const Outcome outcome =
      run_within(4 * kGb, {"--collective", "all_to_all", "--size", "1MiB", "--group", "0-999"});
  expect_refused(outcome, {"all_to_all of 1 MiB", "999000 trees", "524288"});
}

TEST_F(MemoryTest, WhatFitsRuns) {
  const std::vector<std::string> small{"--collective", "broadcast", "--size",
                                       "1KiB",         "--group",   "0-20"};
  EXPECT_EQ(run_within(4 * kGb, small).exit_code, 0);
  EXPECT_EQ(run_fredsim({"run", "configs/mesh.yaml", "--size", "64KiB", "--collective",
                         "all_to_all", "--quiet"},
                        {.max_memory_bytes = kGb / 4})
                .exit_code,
            0);
}

// Systems as flows, which have no plans of the whole: refused with both figures, or run.
TEST_F(MemoryTest, SystemsAreRefusedWithTheFiguresOrRun) {
  const std::vector<std::string> words{
      "run", "configs/systems/libra_4d_4k.yaml", "--size", "64MiB", "--quiet", "--engine", "flow"};
  int refused = 0, done = 0;
  for (const std::uint64_t megabytes : {250, 300, 350, 400, 500, 700, 1000}) {
    const Outcome outcome = run_fredsim(words, {.max_memory_bytes = megabytes * 1'000'000});
    if (outcome.exit_code == 0) {
      ++done;
    } else {
      expect_refused(outcome, {"libra_4d_4k, all_reduce of 64 MiB: needs about 0.", " GB of memory",
                               " GB are free"});
      EXPECT_EQ(done, 0) << "it ran with less";
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(done, 0);
}

// At any limit: done, refused or out of memory, in a line, and never a signal.
TEST_F(MemoryTest, NoLimitEndsAProgramBySignal) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run", "configs/fred_d.yaml", "--size", "4KiB", "--model", "rtl"},
           {"run", "configs/mesh.yaml", "--size", "64KiB", "--engine", "flow"},
           {"run", "configs/systems/boxes_8_40.yaml", "--size", "64KiB", "--engine", "flow"},
           {"traffic", "configs/mesh.yaml", "--rate", "0.1", "--cycles", "100", "--threads", "2"},
           {"train", "configs/mesh_2x2.yaml", "--workload", "resnet152", "--dp", "4"}}) {
    for (std::uint64_t megabytes = 100; megabytes <= 280; megabytes += 20) {  // less: no libraries
      std::vector<std::string> all = words;
      all.emplace_back("--quiet");
      const Outcome outcome = run_fredsim(all, {.max_memory_bytes = megabytes * 1'000'000});
      const std::string what = words[0] + " " + words[1] + " in " + std::to_string(megabytes);
      EXPECT_TRUE(outcome.exit_code >= 0 && outcome.exit_code <= 2) << what << ": " << outcome.err;
      if (outcome.exit_code == 0) continue;
      EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << what << ": " << outcome.err;
      EXPECT_EQ(outcome.err.find("internal error"), std::string::npos) << what << outcome.err;
    }
  }
}

// The graph is never built: billions of small buckets.
TEST_F(MemoryTest, TrainingGraphsThatDoNotFitAreRefusedWithTheFigures) {
  const Outcome outcome =
      run_fredsim({"train", "configs/mesh_2x2.yaml", "--workload", "configs/models/gpt3.yaml",
                   "--dp", "2", "--gradients", "bucket=4KiB"},
                  {.max_memory_bytes = 3 * kGb});
  expect_refused(outcome, {"mesh_2x2, gpt3_175b: needs about ", "GB of memory for ", " tasks and ",
                           "GB are free", "--gradients bucket=SIZE"});
}

TEST_F(MemoryTest, TrainingThatFitsRuns) {
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--workload", "configs/models/gpt3.yaml", "--dp", "2", "--gradients", "bucket=1GB",
            "--minibatch", "2"},
           {"--workload", "resnet152", "--dp", "4", "--gradients", "bucket=1MB"},
           {"--workload", "configs/models/small.yaml", "--dp", "4", "--iterations", "50"}}) {
    std::vector<std::string> arguments{"train", "configs/mesh_2x2.yaml", "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run_fredsim(arguments, {.max_memory_bytes = kGb / 4});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
}

// The estimate ignores memory of other programs, and addresses without memory behind them.
TEST_F(MemoryTest, RunningOutOfItIsAFailedRunInOneLine) {
  const Outcome outcome =
      run_within(kGb, {"--collective", "broadcast", "--size", "1KiB", "--group", "0-20"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("fredsim: out of memory; ", 0), 0U) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

}  // namespace
}  // namespace fredsim
