// SPDX-License-Identifier: Apache-2.0
#include "report/progress_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file_text.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr std::size_t kMaxText = 1 << 16;

class ProgressLogTest : public testing::Test {
 protected:
  std::vector<Json> lines() const {
    std::vector<Json> all;
    std::istringstream text(file_text(path_, kMaxText).value());
    for (std::string line; std::getline(text, line);) all.push_back(Json::parse(line));
    return all;
  }

  TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "progress.jsonl").string();
  const ProgressLog::Time start_ = ProgressLog::Time{} + std::chrono::hours(5);
};

TEST_F(ProgressLogTest, ARunBeginsAtZeroAndEndsAtOneWithTenLinesASecond) {
  ProgressLog log(path_, "--progress");
  log.begin("mesh, all_reduce of 1 MiB", start_);
  log.update(ProgressState{1000, 500, 512, 0.1}, start_ + milliseconds(99));
  log.update(ProgressState{2000, 1000, 1024, 0.25, 0.5}, start_ + milliseconds(100));
  log.update(ProgressState{3000, 1500, 1536, 0.5}, start_ + milliseconds(199));
  log.complete(ProgressState{4000, 2000, 2048, 1}, start_ + milliseconds(200));
  ASSERT_EQ(lines().size(), 3U);
  EXPECT_EQ(lines()[0], Json({{"job", "mesh, all_reduce of 1 MiB"},
                              {"fraction", 0.0},
                              {"text", "0 %, at 0 ns, 0 B delivered"},
                              {"cycle", 0},
                              {"time_ns", 0.0},
                              {"bytes_delivered", 0}}));
  EXPECT_EQ(lines()[1],
            Json({{"job", "mesh, all_reduce of 1 MiB"},
                  {"fraction", 0.25},
                  {"text", "25 %, at 1.0 µs, 1.0 KiB delivered, 20.0 kcycles/s, 0:00 left"},
                  {"cycle", 2000},
                  {"time_ns", 1000.0},
                  {"bytes_delivered", 1024},
                  {"left_s", 0.5}}));
  EXPECT_EQ(lines()[2]["fraction"], 1.0);
  EXPECT_EQ(lines()[2]["cycle"], 4000);
}

TEST_F(ProgressLogTest, AStudyBeginsWithThePointsThatAreThere) {
  ProgressLog log(path_, "--progress");
  PointsProgress points{.all = 4, .complete = 1, .before = 1};
  log.begin_study("small", points, start_);
  log.update(points, start_ + milliseconds(200));  // none more
  points.complete = 2;
  log.update(points, start_ + milliseconds(400));
  points.complete = 3;
  log.update(points, start_ + milliseconds(450));
  points.complete = 4;
  points.failed = 1;
  log.update(points, start_ + milliseconds(451));  // the last one waits for nothing
  ASSERT_EQ(lines().size(), 3U);
  EXPECT_EQ(lines()[0], Json({{"job", "small"},
                              {"fraction", 0.25},
                              {"text", "1 of 4 points"},
                              {"points", 4},
                              {"complete", 1},
                              {"failed", 0}}));
  EXPECT_EQ(lines()[1]["fraction"], 0.5);
  EXPECT_EQ(lines()[2]["fraction"], 1.0);
  EXPECT_EQ(lines()[2]["failed"], 1);
}

TEST_F(ProgressLogTest, APipeThatNobodyReadsAnyMoreIsLeftAlone) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ProgressLog log(path_, "--progress");
  log.begin("mesh, all_reduce of 1 MiB", start_);
  char first = 0;
  EXPECT_EQ(read(reader, &first, 1), 1);
  EXPECT_EQ(first, '{');
  close(reader);
  log.update(ProgressState{1000, 500, 512, 0.1},
             start_ + milliseconds(100));  // SIGPIPE would end the test
  log.complete(ProgressState{4000, 2000, 2048, 1}, start_ + milliseconds(200));
}

TEST_F(ProgressLogTest, AFileThatCannotBeWrittenIsRefused) {
  const std::string path = (folder_.path() / "none" / "progress.jsonl").string();
  try {
    const ProgressLog log(path, "--progress");
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()),
              "--progress: '" + path +
                  "': cannot be written: No such file or directory; allowed: a file or pipe that "
                  "can be written");
  }
}

}  // namespace
}  // namespace fredsim
