// SPDX-License-Identifier: Apache-2.0
// Test if two paths name one file, and which file would be written under a path.
#include "report/same_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temporary_folder.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;

class SameFile : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  void make(const std::string& name) const { std::ofstream(path(name)) << name; }
  // Either way round, whichever is given first on a command line.
  static bool same(const std::string& a, const std::string& b) {
    const bool one = is_same_file(a, b);
    EXPECT_EQ(one, is_same_file(b, a)) << a << " and " << b;
    return one;
  }
  TemporaryFolder folder_;
};

TEST_F(SameFile, IsOneHoweverItIsSpelt) {
  make("there");
  fs::create_directory(path("folder"));
  for (const std::string name : {"there", "not_there"}) {
    EXPECT_TRUE(same(path(name), path(name)));
    EXPECT_TRUE(same(path(name), folder_.path().string() + "/./" + name));
    EXPECT_TRUE(same(path(name), folder_.path().string() + "//folder/../" + name));
    EXPECT_TRUE(same(path(name), fs::relative(path(name)).string()));
  }
  EXPECT_FALSE(same(path("there"), path("not_there")));
  EXPECT_FALSE(same(path("not_there"), path("nor_this")));
  EXPECT_FALSE(same(path("there"), path("folder")));
}

TEST_F(SameFile, IsOneThroughLinks) {
  make("there");
  fs::create_symlink("there", path("link"));
  fs::create_symlink(path("link"), path("link_of_link"));
  fs::create_hard_link(path("there"), path("hard"));
  fs::create_directory(path("folder"));
  fs::create_directory_symlink("folder", path("linked_folder"));
  EXPECT_TRUE(same(path("there"), path("link")));
  EXPECT_TRUE(same(path("there"), path("link_of_link")));
  EXPECT_TRUE(same(path("hard"), path("link_of_link")));
  EXPECT_TRUE(same(path("folder/new"), path("linked_folder/new")));
  EXPECT_FALSE(same(path("folder/new"), path("linked_folder/newer")));
}

TEST_F(SameFile, IsOneThroughLinksThatLeadToNothingYet) {
  fs::create_symlink("new", path("link"));
  fs::create_symlink("link", path("link_of_link"));
  fs::create_symlink("other", path("other_link"));
  EXPECT_TRUE(same(path("new"), path("link")));
  EXPECT_TRUE(same(path("link"), path("link_of_link")));
  EXPECT_FALSE(same(path("other_link"), path("link")));
  EXPECT_EQ(target_of(path("link_of_link")), fs::weakly_canonical(path("new")));
}

TEST_F(SameFile, OfLinksInACircleComesToAnEnd) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_TRUE(same(path("a"), path("a")));
  EXPECT_TRUE(target_of(path("a")).is_absolute());
}

TEST_F(SameFile, TargetsAreAbsoluteAndNormal) {
  const fs::path folder = fs::canonical(folder_.path());
  EXPECT_EQ(target_of(path("x/../y/./z")), folder / "y/z");
  EXPECT_EQ(target_of("some/file"), fs::current_path() / "some/file");
}

TEST_F(SameFile, OfDevicesThatKeepNothingThereAreMany) {
  EXPECT_FALSE(same("/dev/null", "/dev/null"));
  fs::create_symlink("/dev/null", path("null"));
  EXPECT_FALSE(same(path("null"), "/dev/null"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(same(path("pipe"), path("pipe"))) << "what goes into a pipe is kept";
  fs::create_symlink("pipe", path("to_pipe"));
  EXPECT_TRUE(same(path("pipe"), path("to_pipe")));
}

// "-" is the file that standard output goes to.
TEST_F(SameFile, MayBeStandardOutput) {
  const int out = ::dup(STDOUT_FILENO);
  ASSERT_GE(out, 0);
  std::FILE* const file = std::fopen(path("out").c_str(), "w");
  ASSERT_NE(file, nullptr);
  ::dup2(::fileno(file), STDOUT_FILENO);
  const bool is_out = is_same_file("-", path("out")) && is_same_file(path("out"), "-");
  const bool is_other = is_same_file("-", path("other")) || is_same_file(path("-"), "-");
  const bool is_itself = is_same_file("-", "-");
  ::dup2(out, STDOUT_FILENO);
  ::close(out);
  std::fclose(file);
  EXPECT_TRUE(is_out);
  EXPECT_FALSE(is_other);
  EXPECT_TRUE(is_itself);
}

}  // namespace
}  // namespace fredsim
