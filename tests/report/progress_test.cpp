// SPDX-License-Identifier: Apache-2.0
#include "report/progress.h"

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
    ProgressLine line(file_, ProgressStyle::kBar, "mesh", start_);
    line.update(ProgressState{1, 1, 1, 0.1}, start_ + milliseconds(100));
    line.update(ProgressState{2, 2, 2, 0.2}, start_ + milliseconds(1999));
  }
  EXPECT_EQ(written(), "");
}

TEST_F(ProgressLineTest, ThenAtMostFiveTimesASecondAndWipedOutAtTheEnd) {
  {
    ProgressLine line(file_, ProgressStyle::kBar, "mesh", start_);
    line.update(ProgressState{1000, 2000, 512, 0.5, 2}, start_ + milliseconds(2000));
    line.update(ProgressState{2000, 4000, 1024, 0.6}, start_ + milliseconds(2100));
    line.update(ProgressState{3000, 6000, 1536, 0.7, 0.9}, start_ + milliseconds(2200));
  }
  EXPECT_EQ(
      written(),
      "\r\x1b[K[#####-----] 50 %, at 2.0 µs, 512 B delivered, 0.5 kcycles/s, 0:02 left - mesh"
      "\r\x1b[K[#######---] 70 %, at 6.0 µs, 1.5 KiB delivered, 1.4 kcycles/s, 0:00 left - mes"
      "\r\x1b[K");
}

TEST_F(ProgressLineTest, LinesThatStayReplaceABar) {
  {
    ProgressLine line(file_, ProgressStyle::kBar, "mesh", start_);
    line.say("before");
    line.update(ProgressState{1000, 2000, 512, 0.5, 2}, start_ + milliseconds(2000));
    line.say("a line");
  }
  EXPECT_EQ(written(),
            "before\n"
            "\r\x1b[K[#####-----] 50 %, at 2.0 µs, 512 B delivered, 0.5 kcycles/s, 0:02 left - mesh"
            "\r\x1b[Ka line\n"
            "\r\x1b[K");
}

TEST_F(ProgressLineTest, PlainLinesComeEveryThirtySeconds) {
  {
    ProgressLine line(file_, ProgressStyle::kLines, "mesh", start_);
    line.update(ProgressState{1000, 2000, 512, 0.25, 91}, start_ + milliseconds(29'999));
    line.update(ProgressState{1000, 2000, 512, 0.25, 90}, start_ + milliseconds(30'000));
    line.update(ProgressState{2000, 4000, 1024, 0.5, 50}, start_ + milliseconds(50'000));
    line.update(ProgressState{2000, 4000, 1024, 0.5, 60}, start_ + milliseconds(60'000));
  }
  EXPECT_EQ(written(),
            "mesh: 25 %, at 2.0 µs, 512 B delivered, 0.0 kcycles/s, 1:30 left\n"
            "mesh: 50 %, at 4.0 µs, 1.0 KiB delivered, 0.0 kcycles/s, 1:00 left\n");
}

TEST(ProgressText, SaysWhatIsLeftIfThereIsAnEstimate) {
  EXPECT_EQ(progress_text(ProgressState{4096, 999, 0, 0}, 2.0),
            "0 %, at 999 ns, 0 B delivered, 2.0 kcycles/s");
  EXPECT_EQ(progress_text(ProgressState{4096, 2.5e9, std::uint64_t{3} << 30, 0.25, 183.9}, 61.0),
            "25 %, at 2.5 s, 3.0 GiB delivered, 0.1 kcycles/s, 3:03 left");
}

TEST(ProgressText, OfAStudyCountsWhatThisRunHasDone) {
  EXPECT_EQ(progress_text(PointsProgress{.all = 40}), "0 of 40 points");
  EXPECT_EQ(progress_text(PointsProgress{.all = 40, .complete = 10, .before = 10}),
            "10 of 40 points");
  const PointsProgress points{.all = 40, .complete = 20, .before = 10, .failed = 3, .left_s = 70};
  EXPECT_EQ(progress_text(points), "20 of 40 points, 3 failed, 1:10 left");
  EXPECT_EQ(progress_bar("small", points, 79),
            "[#####-----] 20 of 40 points, 3 failed, 1:10 left - small");
}

TEST(ProgressBar, TheLabelGivesWayToTheFigures) {
  const ProgressState state{4096, 2000, 512, 0.5, 0};
  EXPECT_EQ(progress_bar("mesh", state, 0, 100),
            "[#####-----] 50 %, at 2.0 µs, 512 B delivered, 0:00 left - mesh");
  EXPECT_EQ(progress_bar("mesh", state, 0, 62),
            "[#####-----] 50 %, at 2.0 µs, 512 B delivered, 0:00 left - mes");
  EXPECT_EQ(progress_bar("mesh", state, 0, 27), "[#####-----] 50 %, at 2.0 µ");
  EXPECT_EQ(progress_bar("mesh", state, 0, 26), "[#####-----] 50 %, at 2.0 ");
}

}  // namespace
}  // namespace fredsim
