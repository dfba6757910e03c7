// SPDX-License-Identifier: Apache-2.0
// The list of tests by cover points has exactly the modules with cover points.
#include "rtl/cover_list.h"

#include <gtest/gtest.h>

namespace fredsim {
namespace {

TEST(CoverPoints, OfEveryModuleHaveToBeReachedByATest) {
  const auto points = cover_points();
  std::set<std::string> listed;
  for (const auto& [test, modules] : modules_by_test()) {
    for (const std::string& module : modules) {
      EXPECT_TRUE(points.contains(module)) << test << ": " << module << " has no cover points";
      listed.insert(module);
    }
  }
  std::size_t count = 0;
  for (const auto& [module, labels] : points) {
    EXPECT_TRUE(listed.contains(module)) << module << ": its cover points are counted in no test";
    count += labels.size();
  }
  EXPECT_GE(count, 96U);
}

}  // namespace
}  // namespace fredsim
