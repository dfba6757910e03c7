#include "observe/progress.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace fredsim {
namespace {

using std::chrono::milliseconds;

class ProgressLineTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(file_, nullptr); }
  void TearDown() override { std::fclose(file_); }

  std::string written() {
    std::array<char, 4096> text{};
    std::fflush(file_);
    std::rewind(file_);
    const std::size_t length = std::fread(text.data(), 1, text.size(), file_);
    return {text.data(), length};
  }

  std::FILE* file_ = std::tmpfile();
  const ProgressLine::Time start_ = ProgressLine::Time{} + std::chrono::hours(5);
};

TEST_F(ProgressLineTest, SilentForTwoSeconds) {
  {
    ProgressLine line(file_, "mesh", start_);
    line.update({1, 1, 10}, start_ + milliseconds(100));
    line.update({2, 2, 10}, start_ + milliseconds(1999));
  }
  EXPECT_EQ(written(), "");
}

TEST_F(ProgressLineTest, ThenAtMostFiveTimesASecondAndWipedOutAtTheEnd) {
  {
    ProgressLine line(file_, "mesh", start_);
    line.update({1000, 5, 10}, start_ + milliseconds(2000));
    line.update({2000, 6, 10}, start_ + milliseconds(2100));
    line.update({3000, 7, 10}, start_ + milliseconds(2200));
  }
  EXPECT_EQ(written(),
            "\r\x1b[Kmesh: 50 %, 1000 cycles, 0.5 kcycles/s, 0:02 left"
            "\r\x1b[Kmesh: 70 %, 3000 cycles, 1.4 kcycles/s, 0:00 left"
            "\r\x1b[K");
}

TEST(ProgressText, NothingDeliveredYetGivesNoEstimate) {
  EXPECT_EQ(progress_text("x", {4096, 0, 0}, 2.0), "x: 0 %, 4096 cycles, 2.0 kcycles/s");
  EXPECT_EQ(progress_text("x", {4096, 1, 4}, 61.0),
            "x: 25 %, 4096 cycles, 0.1 kcycles/s, 3:03 left");
}

}  // namespace
}  // namespace fredsim
