// SPDX-License-Identifier: Apache-2.0
#include "base/file_text.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "support/temporary_folder.h"

namespace fredsim {
namespace {

class FileText : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    const std::string path = folder_.file("text");
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  TemporaryFolder folder_;
};

TEST_F(FileText, IsAllOfTheFile) {
  std::string text;
  for (const std::size_t size : {0, 1, 65535, 65536, 65537, 131072, 1'000'000}) {
    while (text.size() < size) text.push_back(static_cast<char>(text.size() * 7 % 251));
    EXPECT_EQ(file_text(write(text)), text) << size << " bytes";
  }
}

TEST_F(FileText, MayHaveAsManyBytesAsAllowed) {
  EXPECT_EQ(file_text(write("12345"), 5), "12345");
  errno = 0;
  EXPECT_FALSE(file_text(write("123456"), 5));
  EXPECT_EQ(errno, EFBIG);
}

TEST_F(FileText, EndsWhereADeviceDoesNot) {
  errno = 0;
  EXPECT_FALSE(file_text("/dev/zero", 1'000'000));
  EXPECT_EQ(errno, EFBIG);
}

TEST_F(FileText, SaysWhyThereIsNone) {
  errno = 0;
  EXPECT_FALSE(file_text(folder_.file("none")));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(file_text(folder_.path().string()));
  EXPECT_EQ(errno, EISDIR);
}

}  // namespace
}  // namespace fredsim
