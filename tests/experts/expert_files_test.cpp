// SPDX-License-Identifier: Apache-2.0
// Files of routers and of placements of experts: read, written and refused.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "experts/expert_balance.h"
#include "experts/expert_placement.h"
#include "experts/router.h"
#include "experts/router_file.h"
#include "support/temporary_folder.h"

namespace fredsim::test {
namespace {

class ExpertFiles : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    const std::string path = folder_.file("file.yaml");
    std::ofstream(path) << text;
    return path;
  }
  template <class Call>
  std::string refusal(const Call& call) {
    try {
      call();
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(ExpertFiles, OfRoutersAreRead) {
  const Router router(
      parse_router(file("rows: layers\nshares: [[0.5, 0.25, 0.25], [0.2, 0.5, 0.3]]\n"), 1), 2, 3,
      3, 1);
  EXPECT_EQ(router.chances(1, 0), (std::vector<double>{0.2, 0.5, 0.3}));
  const Router counted(parse_router(file("tokens:\n  - [10, 30]\n"), 1), 5, 3, 2, 1);
  EXPECT_EQ(counted.chances(4, 2), (std::vector<double>{0.25, 0.75}));
  const Router by_rank(parse_router(file("rows: ranks\ntokens: [[1, 0], [1, 3]]\n"), 1), 5, 2, 2,
                       1);
  EXPECT_EQ(by_rank.chances(4, 1), (std::vector<double>{0.25, 0.75}));
}

TEST_F(ExpertFiles, OfRoutersAreRefused) {
  const auto refused = [&](const std::string& text, int layers, int ranks, int top_k) {
    return refusal([&] { Router(parse_router(file(text), 1), layers, ranks, 2, top_k); });
  };
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"shares: [[0.5, 0.4]]",
            "file.yaml:1: row 1: found shares that add up to 0.9; allowed: 1"},
           {"shares: [[0.5, 0.4, 0.1]]", "found 3 shares; allowed: 2"},
           {"share: [[0.5, 0.5]]", "did you mean 'shares'"},
           {"shares: [[0.5, 1.5]]", "found '1.5'; allowed: a number from 0 to 1"},
           {"shares: [[0.5, x]]", "found 'x'"},
           {"shares: 3", "found no list"},
           {"shares: [[0.5, 0.5], [1, 0]]", "found 2 rows; allowed: one"},
           {"rows: layers\nshares: [[0.5, 0.5]]", "rows by layer: found 1; allowed: 3"},
           {"rows: ranks\nshares: [[0.5, 0.5]]", "rows by rank: found 1; allowed: 4"},
           {"rows: columns\nshares: [[0.5, 0.5]]",
            "found 'columns'; allowed: all, layers or ranks"},
           {"tokens: [[0, 0]]", "found no tokens"},
           {"rows: all", "found no shares"},
           {"shares: [[1, 0]]\ntokens: [[1, 0]]", "found shares and tokens"}})
    EXPECT_NE(refused(text, 3, 4, 1).find(says), std::string::npos)
        << text << ": " << refused(text, 3, 4, 1);
  EXPECT_NE(refused("shares: [[1, 0]]", 3, 4, 2).find("found 1 shares above 0; allowed: 2"),
            std::string::npos);
}

TEST_F(ExpertFiles, OfPlacementsAreWrittenAndRead) {
  const Router router(parse_router("zipf:1", 3), 4, 5, 20, 2);
  const ExpertPlacement placement = balanced_experts(router, false, 5, 5, 3);
  const ExpertPlacement read = read_expert_placement(file(expert_placement_text(placement)));
  EXPECT_EQ(read.layers, placement.layers);
  check_expert_placement(read, "read", 20, 5, 4);
}

TEST_F(ExpertFiles, OfPlacementsAreRefused) {
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"layers: [[[0, 1], [2, 2]]]", "found expert 2 twice on rank 1"},
           {"layers: [[[0, 1], [2, 4]]]", "found expert 4; allowed: 0 to 3"},
           {"layers: [[[0, 1], [2]]]", "expert 3 is on no rank"},
           {"layers: [[[0, 1, 2, 3]]]", "found 1 ranks; allowed: 2"},
           {"layers: [[[0, 1], [2, 3]], [[0, 1], [2, 3]]]", "found 2 layers; allowed: 3"},
           {"layers: [[[0, 1], [2, -1]]]", "found '-1'"},
           {"layers: []", "found no list"},
           {"layer: [[[0]]]", "did you mean 'layers'"}}) {
    const std::string found = refusal(
        [&] { check_expert_placement(read_expert_placement(file(text)), "file", 4, 2, 3); });
    EXPECT_NE(found.find(says), std::string::npos) << text << ": " << found;
  }
}

}  // namespace
}  // namespace fredsim::test
