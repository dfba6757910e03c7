// SPDX-License-Identifier: Apache-2.0
#include "report/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  static std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_.path()), {}); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  // The message of the BadInput that `action` throws.
  template <class Action>
  static std::string failure(const Action& action) {
    try {
      action();
    } catch (const BadInput& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  TemporaryFolder folder_;
};

TEST_F(OutputFileTest, NothingIsThereBeforeTheWriteAndAllAfterIt) {
  const OutputFile file(path("r.json"), "--json");
  EXPECT_EQ(files(), 0) << "the check at the start leaves nothing behind";
  file.write("all of it\n");
  EXPECT_EQ(content(path("r.json")), "all of it\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, PermissionsAreThoseOfAnyNewFile) {
  const mode_t mask = ::umask(027);
  OutputFile(path("r.json"), "--json").write("x");
  ::umask(mask);
  struct stat status = {};
  ASSERT_EQ(::stat(path("r.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(OutputFileTest, AnOlderFileIsReplacedOnlyByTheWrite) {
  put("r.json", "old");
  const OutputFile file(path("r.json"), "--json");
  EXPECT_EQ(content(path("r.json")), "old");
  file.write("new");
  EXPECT_EQ(content(path("r.json")), "new");
}

TEST_F(OutputFileTest, AnOlderFileHandsDownItsModeAndOwner) {
  put("r.json", "old");
  ASSERT_EQ(::chmod(path("r.json").c_str(), 0604), 0);
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(::chown(path("r.json").c_str(), 12'345, 54'321), 0);
  }
  OutputFile(path("r.json"), "--json").write("new");
  struct stat status = {};
  ASSERT_EQ(::stat(path("r.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0604U);
  EXPECT_EQ(status.st_uid, is_root ? 12'345U : ::geteuid());
  EXPECT_EQ(status.st_gid, is_root ? 54'321U : ::getegid());
  EXPECT_EQ(content(path("r.json")), "new");
}

TEST_F(OutputFileTest, HardLinksAreNotParted) {
  put("r.json", "old");
  fs::create_hard_link(path("r.json"), path("same"));
  const std::string message = failure([&] { OutputFile(path("r.json"), "--json"); });
  EXPECT_NE(message.find("has 2 hard links"), std::string::npos) << message;
  EXPECT_EQ(content(path("same")), "old");
  EXPECT_EQ(fs::hard_link_count(path("r.json")), 2U);
}

TEST_F(OutputFileTest, APipeWhoseReaderHasGone) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  const OutputFile file(path("pipe"), "--json");
  ::close(reader);
  const std::string message = failure([&] { file.write("x"); });
  EXPECT_NE(message.find("Broken pipe"), std::string::npos) << message;
}

// A signal that came before the write cannot wake it.
TEST_F(OutputFileTest, APipeThatIsNotReadAfterASignal) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  const std::atomic<bool> stop{true};
  const OutputFile file(path("pipe"), "--json", &stop);
  file.write("there is room for this");
  EXPECT_THROW(file.write(std::string(1 << 20, 'x')), Interrupted);
  ::close(reader);
}

TEST_F(OutputFileTest, ASymbolicLinkKeepsPointing) {
  put("real.json", "old");
  fs::create_symlink("real.json", path("link.json"));
  fs::create_symlink("future.json", path("dangling.json"));
  OutputFile(path("link.json"), "--json").write("new");
  OutputFile(path("dangling.json"), "--json").write("first");
  EXPECT_TRUE(fs::is_symlink(path("link.json")));
  EXPECT_EQ(content(path("real.json")), "new");
  EXPECT_TRUE(fs::is_symlink(path("dangling.json")));
  EXPECT_EQ(content(path("future.json")), "first");
}

TEST_F(OutputFileTest, MissingFolderIsFoundAtOnce) {
  const std::string message = failure([&] { OutputFile(path("no/r.json"), "--json"); });
  EXPECT_NE(message.find("--json '" + path("no/r.json") + "'"), std::string::npos) << message;
  EXPECT_NE(message.find("No such file or directory"), std::string::npos) << message;
}

TEST_F(OutputFileTest, AFolderIsNoFile) {
  const std::string message = failure([&] { OutputFile(folder_.path().string(), "--json"); });
  EXPECT_NE(message.find("is a directory"), std::string::npos) << message;
}

TEST_F(OutputFileTest, EmptyPathIsRefused) {
  const std::string message = failure([] { OutputFile("", "--json"); });
  EXPECT_NE(message.find("empty path"), std::string::npos) << message;
}

TEST_F(OutputFileTest, DeviceIsWrittenToAndStaysADevice) {
  OutputFile("/dev/null", "--json").write("x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const std::string message = failure([] { OutputFile("/dev/full", "--json").write("x"); });
  EXPECT_NE(message.find("No space left on device"), std::string::npos) << message;
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(OutputFileTest, WriteThatFailsHalfWayKeepsTheOldFileAndLeavesNoOther) {
  put("r.json", "old");
  const OutputFile file(path("r.json"), "--json");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 8192, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = failure([&] { file.write(std::string(100'000, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_NE(message.find("File too large"), std::string::npos) << message;
  EXPECT_EQ(content(path("r.json")), "old");
  EXPECT_EQ(files(), 1);
}

// The second of three fails: before any has taken its place, or when it is to do so.
TEST_F(OutputFileTest, SeveralAreWrittenAllOrNone) {
  put("a", "old a");
  fs::create_directory(path("sub"));
  put("sub/b", "old b");
  fs::create_symlink(path("sub/b"), path("b"));
  std::vector<OutputFile> files_to_write;
  for (const char* name : {"a", "b", "c"}) files_to_write.emplace_back(path(name), "--out");
  const std::vector<std::string_view> texts{"new a", "new b", "new c"};
  const auto expect_none = [&] {
    const std::string message = failure([&] { OutputFile::write_together(files_to_write, texts); });
    EXPECT_NE(message.find("--out '" + path("b") + "'"), std::string::npos) << message;
    EXPECT_EQ(content(path("a")), "old a");
    EXPECT_FALSE(fs::exists(path("c")));
  };
  fs::rename(path("sub"), path("gone"));
  expect_none();
  EXPECT_EQ(files(), 3);
  fs::rename(path("gone"), path("sub"));
  fs::rename(path("sub/b"), path("sub/kept"));
  fs::create_directory(path("sub/b"));
  expect_none();
  EXPECT_EQ(files(), 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(path("sub")), {}), 2);
  fs::remove(path("sub/b"));
  OutputFile::write_together(files_to_write, texts);
  for (const char* name : {"a", "b", "c"})
    EXPECT_EQ(content(path(name)), "new " + std::string(name));
  EXPECT_EQ(files(), 4);
}

}  // namespace
}  // namespace fredsim
