// SPDX-License-Identifier: Apache-2.0
#include "support/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

namespace fredsim {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, EveryOneIsAnother) {
  const TemporaryFolder one;
  const TemporaryFolder other;
  EXPECT_NE(one.path(), other.path());
  EXPECT_TRUE(fs::is_directory(one.path()));
  EXPECT_TRUE(fs::is_empty(one.path()));
}

TEST(TemporaryFolder, GoesWithAllThatIsInIt) {
  fs::path path;
  try {
    const TemporaryFolder folder;
    path = folder.path();
    std::ofstream(folder.file("a.txt")) << "a";
    fs::create_directories(folder.path() / "deep" / "deeper");
    throw std::runtime_error("a test that fails");
  } catch (const std::runtime_error&) {
    EXPECT_FALSE(fs::exists(path));
  }
}

}  // namespace
}  // namespace fredsim
