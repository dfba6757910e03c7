// SPDX-License-Identifier: Apache-2.0
#include "runner/rtl_build_line.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace fredsim {
namespace {

class RtlBuildLineTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(stream_, nullptr); }
  void TearDown() override { std::fclose(stream_); }

  // All that is written until two sizes are built, with a wait for another process in between.
  std::string written(ProgressStyle style) {
    {
      RtlBuildLine line(stream_, style, "program");
      line.update(
          {.entries = entries_, .step = "Verilator: a", .seconds_left = 61, .cache = "/cache"});
      line.update({.entries = entries_, .step = "compiler: a", .seconds_left = 41});
      line.update({.entries = entries_, .done = 1, .step = "linker: b", .seconds_left = 0.1});
      line.update({.entries = entries_, .done = 1, .waits = true, .seconds_left = 20});
      line.update({.entries = entries_, .done = 1, .waits = true, .seconds_left = 20});
      line.update({.entries = entries_, .done = 2});
    }
    std::array<char, 4096> text{};
    std::fflush(stream_);
    std::rewind(stream_);
    return {text.data(), std::fread(text.data(), 1, text.size(), stream_)};
  }

  std::FILE* stream_ = std::tmpfile();
  const std::vector<std::string> entries_{"fred P=2", "fred P=3"};
};

TEST_F(RtlBuildLineTest, IsRewrittenOnATerminalAndWipedOutAtTheEnd) {
  EXPECT_EQ(written(ProgressStyle::kBar),
            "\r\x1b[Kbuilding RTL of 2 switch sizes: about 1:05 left - Verilator: a"
            "\r\x1b[Kbuilding RTL of 2 switch sizes: about 0:45 left - compiler: a"
            "\r\x1b[Kbuilding RTL of 2 switch sizes, 1 built: about 0:05 left - linker: b"
            "\r\x1b[Kbuilding RTL of 2 switch sizes, 1 built: another process does it"
            "\r\x1b[Kbuilding RTL of 2 switch sizes, 1 built: another process does it"
            "\r\x1b[K");
}

TEST_F(RtlBuildLineTest, SaysInALogOnlyWhatIsNew) {
  EXPECT_EQ(
      written(ProgressStyle::kLines),
      "program: building RTL of 2 switch sizes, about 1:05; kept in /cache: fred P=2; fred P=3\n"
      "program: RTL of 1 of 2 switch sizes is built, about 0:05 left\n"
      "program: waiting for another process that builds the same\n"
      "program: RTL of 2 switch sizes is built\n");
}

TEST_F(RtlBuildLineTest, RoundsTimesUpToFiveSeconds) {
  EXPECT_EQ(about(0), "0:05");
  EXPECT_EQ(about(5), "0:05");
  EXPECT_EQ(about(5.1), "0:10");
  EXPECT_EQ(about(59), "1:00");
}

}  // namespace
}  // namespace fredsim
