// SPDX-License-Identifier: Apache-2.0
// The folder of libraries: where it is, and who may build one.
#include "switch/on_demand/rtl_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/error.h"
#include "switch/on_demand/fake_tools.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;

// Variables of the environment for as long as it lives; null: not set.
class Environment {
 public:
  explicit Environment(const std::map<const char*, const char*>& variables) {
    for (const auto& [name, value] : variables) {
      const char* const before = std::getenv(name);
      before_.emplace(name, before == nullptr ? std::optional<std::string>() : before);
      set(name, value);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_) set(name, value ? value->c_str() : nullptr);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void set(const char* name, const char* value) {
    if (value == nullptr) {
      ::unsetenv(name);
    } else {
      ::setenv(name, value, 1);
    }
  }
  std::map<const char*, std::optional<std::string>> before_;
};

fs::path folder(const char* own, const char* all, const char* home) {
  const Environment environment({{"FREDSIM_CACHE", own}, {"XDG_CACHE_HOME", all}, {"HOME", home}});
  return cache_folder();
}

TEST(CacheFolder, IsTheFirstThatTheEnvironmentNames) {
  EXPECT_EQ(folder("/a", "/b", "/c"), "/a");
  EXPECT_EQ(folder("a", "/b", "/c"), fs::current_path() / "a");
  EXPECT_EQ(folder(nullptr, "/b", "/c"), "/b/fredsim");
  EXPECT_EQ(folder("", "/b", "/c"), "/b/fredsim");
  EXPECT_EQ(folder(nullptr, "b", "/c"), "/c/.cache/fredsim") << "a relative one is to be ignored";
  EXPECT_EQ(folder(nullptr, nullptr, "/c"), "/c/.cache/fredsim");
  EXPECT_THROW(folder(nullptr, nullptr, nullptr), BadInput);
}

TEST(BuildLock, IsForOneAtATimeAndLeavesNothing) {
  const TemporaryFolder cache;
  const CachedLibrary library = cached_library(cache.path(), FakeTools::size(4), "0123456789");
  EXPECT_EQ(library.file, cache.path() / "rtl/a_P_4-0123456789.so");
  auto lock = BuildLock::take(library);
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ(BuildLock::take(library), nullptr);
  EXPECT_NE(BuildLock::take(cached_library(cache.path(), FakeTools::size(5), "0")), nullptr);
  fs::create_directories(library.building / "a");
  lock.reset();
  EXPECT_TRUE(fs::is_empty(cache.path() / "rtl"));
  EXPECT_NE(BuildLock::take(library), nullptr);
}

TEST(BuildLock, InAFolderThatCannotBeWrittenIsRefused) {
  const TemporaryFolder folder;
  FakeTools::write(folder.path() / "file", "");
  try {
    BuildLock::take(cached_library(folder.path() / "file", FakeTools::size(4), "0"));
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_EQ(error.what(),
              "cache of switch RTL: '" + folder.file("file/rtl") +
                  "' cannot be written: Not a directory; allowed: FREDSIM_CACHE=FOLDER with a "
                  "folder that can, or --rtl-build never");
  }
}

}  // namespace
}  // namespace fredsim
