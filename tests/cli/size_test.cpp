// SPDX-License-Identifier: Apache-2.0
// Sizes and groups as NCCL-tests' users type them.
#include <gtest/gtest.h>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

std::vector<std::uint64_t> sizes_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"run", "configs/fred_small.yaml", "--json", "-"});
  const Outcome outcome = run_fredsim(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<std::uint64_t> sizes;
  if (outcome.exit_code != 0) return sizes;
  const json document = outcome.json();
  for (const json& run : document["runs"]) sizes.push_back(run["size_bytes"]);
  return sizes;
}

using Sizes = std::vector<std::uint64_t>;

TEST(Size, SweepOfNcclTests) {
  EXPECT_EQ(sizes_of({"-b", "8", "-e", "1K", "-f", "2"}),
            (Sizes{8, 16, 32, 64, 128, 256, 512, 1024}));
  EXPECT_EQ(sizes_of({"-b", "1k", "-e", "0.25M", "-f", "16"}), (Sizes{1024, 16384, 262144}));
}

TEST(Size, BeginWithoutEndIsOneSize) { EXPECT_EQ(sizes_of({"-b", "4K"}), Sizes{4096}); }

TEST(Size, LettersArePowersOfTwoAndUnitsOfTenStay) {
  EXPECT_EQ(sizes_of({"--size", "64K"}), Sizes{65536});
  EXPECT_EQ(sizes_of({"--size", "64KB"}), Sizes{64000});
  EXPECT_EQ(sizes_of({"--size", "1e4"}), Sizes{10000});
  EXPECT_EQ(sizes_of({"--size", "12"}), Sizes{12});
}

class SizeTest : public FolderTest {};

TEST_F(SizeTest, OfAWorkFileTakesTheSameForms) {
  const std::string work = write("work.yaml",
                                 "- collective: all_reduce\n  groups: [[0, 1]]\n  size: 4K\n"
                                 "- collective: all_reduce\n  groups: [[2, 3]]\n  size: 1e3\n");
  const Outcome outcome =
      run_fredsim({"run", "configs/mesh_2x2.yaml", "--work", work, "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json parts = outcome.json()["runs"][0]["parts"];
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0]["size_bytes"], 4096);
  EXPECT_EQ(parts[1]["size_bytes"], 1000);
}

TEST(Group, RangesStandForTheirRanksInOrder) {
  const auto groups_of = [](const std::string& group) {
    const Outcome outcome =
        run_fredsim({"run", "configs/mesh.yaml", "--size", "1K", "--group", group, "--json", "-"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["runs"][0]["groups"] : json();
  };
  EXPECT_EQ(groups_of("0-3,8"), json::parse("[[0, 1, 2, 3, 8]]"));
  EXPECT_EQ(groups_of("7,2-2,0-1"), json::parse("[[7, 2, 0, 1]]"));
}

}  // namespace
}  // namespace fredsim
