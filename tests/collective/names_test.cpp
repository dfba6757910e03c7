// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/collective.h"

namespace fredsim {
namespace {

constexpr int kNamed = 10;

TEST(CollectiveNames, ReadBack) {
  for (int c = 0; c < kNamed; ++c) {
    const auto collective = static_cast<Collective>(c);
    EXPECT_EQ(parse_collective(to_string(collective)), collective);
  }
  EXPECT_EQ(to_string(Collective::kAllToAll), "all_to_all");
  EXPECT_EQ(to_string(Collective::kUnicast), "unicast");
}

TEST(CollectiveNames, MisspeltOnesAreAnswered) {
  try {
    parse_collective("all_redcue");
    FAIL();
  } catch (const BadInput& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("'all_redcue'"), std::string::npos) << what;
    EXPECT_NE(what.find("did you mean 'all_reduce'"), std::string::npos) << what;
  }
  EXPECT_THROW(parse_collective(""), BadInput);
}

// Same as in NCCL-tests.
TEST(CollectiveNames, BusFactors) {
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllReduce, 20), 1.9);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllReduce, 1), 0);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kReduceScatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllGather, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllToAll, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kBroadcast, 4), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kReduce, 4), 1);
}

}  // namespace
}  // namespace fredsim
