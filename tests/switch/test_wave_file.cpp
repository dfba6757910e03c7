// SPDX-License-Identifier: Apache-2.0
// Waveform files alone, with values of a model: their contents, and their behaviour if the file
// exists, is written by another process, or does not fit on the disk.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "support/temporary_folder.h"
#include "support/vcd.h"
#include "switch/wave_file.h"

namespace fredsim {
namespace {

class WaveFiles : public testing::Test {
 protected:
  std::string path() const { return folder_.file("w.fst"); }
  std::vector<WaveSignal> signals() {
    return {{"top links", "valid", 1, &valid_},
            {"top", "count", 12, &count_},
            {"top", "word", 32, &word_}};
  }
  template <class Error>
  static std::string error_of(const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  std::uint32_t valid_ = 0, count_ = 0, word_ = 0;
};

TEST_F(WaveFiles, HaveTheValuesOfEveryDump) {
  constexpr std::uint64_t kSeed = 3;
  Random random(kSeed);
  std::map<std::uint64_t, std::array<std::uint32_t, 3>> dumped;
  WaveFile file(path());
  file.add(signals());
  file.open();
  EXPECT_TRUE(file.names().empty()) << "there is no RTL";
  for (std::uint64_t time = 0; time < 100'000; time += 500) {
    valid_ = static_cast<std::uint32_t>(random.below(2));
    if (random.below(3) == 0) count_ = static_cast<std::uint32_t>(random.below(4096));
    if (random.below(5) == 0) word_ = static_cast<std::uint32_t>(random.next());
    file.dump(time);
    dumped[time] = {valid_, count_, word_};
  }
  file.close();
  std::istringstream vcd(run_fst2vcd(path()));
  std::size_t seen = 0;
  std::array<std::uint32_t, 3> last{};
  read_vcd(vcd, [&](std::uint64_t time, const VcdState& values) {
    if (!dumped.contains(time)) return;
    ++seen;
    last = dumped.at(time);
    EXPECT_EQ(values.at("top/links/valid"), last[0]) << "at " << time << ", seed " << kSeed;
    EXPECT_EQ(values.at("top/count"), last[1]) << "at " << time;
    EXPECT_EQ(values.at("top/word"), last[2]) << "at " << time;
  });
  EXPECT_GT(seen, 100U);
}

// Times and words of a file; also of one that another process is writing, or was writing when it
// was killed.
std::map<std::uint64_t, std::uint64_t> words_in(const std::string& path) {
  std::istringstream vcd(run_fst2vcd(path));
  std::map<std::uint64_t, std::uint64_t> words;
  read_vcd(vcd, [&](std::uint64_t time, const VcdState& state) {
    const auto word = state.values.find("top/word");
    if (word != state.values.end()) words[time] = word->second;
  });
  return words;
}

TEST_F(WaveFiles, OpenAtEveryMomentWithAllButTheLastSecond) {
  constexpr std::uint64_t kSeed = 5;
  Random random(kSeed);
  WaveFile::Clock::time_point now{}, ended{};
  WaveFile file(path(), {}, [&] { return now; });
  file.add(signals());
  file.open();
  std::map<std::uint64_t, std::uint64_t> dumped;
  std::size_t blocks = 0;
  std::map<std::uint64_t, std::uint64_t> complete;  // words in complete blocks
  for (std::uint64_t time = 500; time < 40 * 500; time += 500) {
    word_ = static_cast<std::uint32_t>(random.next());
    now += std::chrono::milliseconds(random.below(700));
    file.dump(time);
    dumped[time] = word_;
    if (complete.empty() || now - ended >= std::chrono::seconds(1)) {
      complete = dumped;
      ended = now;
      ++blocks;
    }
    const std::string left = folder_.file("left.fst");
    std::filesystem::copy_file(path(), left, std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(words_in(left), complete) << "at " << time << ", seed " << kSeed;
  }
  EXPECT_GT(blocks, 5U);
  EXPECT_LT(blocks, 30U);
  file.close();
  EXPECT_EQ(words_in(path()), dumped);
}

TEST_F(WaveFiles, OfAKilledProcessOpen) {
  constexpr std::uint64_t kDumps = 300;
  const pid_t child = ::fork();
  if (child == 0) {
    WaveFile::Clock::time_point now{};
    WaveFile file(path(), {}, [&] { return now; });
    file.add(signals());
    file.open();
    for (std::uint64_t dump = 1; dump <= kDumps; ++dump) {
      word_ = static_cast<std::uint32_t>(dump);
      file.dump(500 * dump);
      now += std::chrono::milliseconds(10);
    }
    file.end_block();
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto words = words_in(path());
  EXPECT_EQ(words.size(), kDumps);
  EXPECT_EQ(words.rbegin()->first, 500 * kDumps);
  EXPECT_EQ(words.rbegin()->second, kDumps);
}

TEST_F(WaveFiles, WriteAFileThatIsThereInItsPlace) {
  std::ofstream(path()) << std::string(100'000, 'x');
  ::chmod(path().c_str(), 0640);
  std::filesystem::create_hard_link(path(), folder_.file("other"));
  WaveFile file(path());
  file.add(signals());
  file.open();
  file.dump(0);
  file.close();
  struct stat status = {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(status.st_nlink, 2U);
  EXPECT_LT(status.st_size, 100'000) << "what was there is gone";
  EXPECT_FALSE(run_fst2vcd(folder_.file("other")).empty());
}

TEST_F(WaveFiles, AreWrittenByOneAtATime) {
  WaveFile first(path());
  first.add(signals());
  first.open();
  WaveFile second(path());
  second.add(signals());
  EXPECT_EQ(error_of<BadInput>([&] { second.open(); }),
            "waveform file '" + path() +
                "' cannot be written: another run is writing it; allowed: a file for each run");
  first.dump(0);
  first.close();
  WaveFile third(path());
  third.add(signals());
  EXPECT_NO_THROW(third.open());
}

TEST_F(WaveFiles, AreRegularFilesInFoldersThatThereAre) {
  const auto refusal = [&](const std::string& of) {
    WaveFile file(of);
    file.add(signals());
    return error_of<BadInput>([&] { file.open(); });
  };
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string text = "waveform file '{}' cannot be written: {}";
  EXPECT_EQ(refusal(pipe), fmt::format(fmt::runtime(text), pipe, "is no regular file"));
  EXPECT_EQ(refusal("/dev/null"),
            fmt::format(fmt::runtime(text), "/dev/null", "is no regular file"));
  EXPECT_EQ(refusal(folder_.path().string()),
            fmt::format(fmt::runtime(text), folder_.path().string(), "Is a directory"));
  const std::string nowhere = folder_.file("none/w.fst");
  EXPECT_EQ(refusal(nowhere),
            fmt::format(fmt::runtime(text), nowhere, "No such file or directory"));
}

// A full disk, modelled by a limit on the size of files.
class FullDisk : public WaveFiles {
 protected:
  FullDisk() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit less = before_;
    less.rlim_cur = 20'000;
    ::setrlimit(RLIMIT_FSIZE, &less);
  }
  ~FullDisk() override {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_DFL);
  }
  rlimit before_{};
};

TEST_F(FullDisk, FailsTheRunAndLeavesNothing) {
  const std::string beside = folder_.file("w.gtkw");
  std::ofstream(beside) << "traces";
  WaveFile file(path(), {beside, folder_.file("never_made")});
  file.add(signals());
  file.open();
  Random random(1);
  const std::string error = error_of<RunFailed>([&] {
    for (std::uint64_t time = 0; time < 2'000'000; ++time) {
      word_ = static_cast<std::uint32_t>(random.next());
      count_ = word_ & 4095U;
      file.dump(time);
    }
    file.close();
  });
  EXPECT_TRUE(
      error.starts_with("waveform file '" + path() + "' cannot be written: File too large, after "))
      << error;
  EXPECT_TRUE(error.ends_with(" bytes; removed")) << error;
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_FALSE(std::filesystem::exists(beside));
  EXPECT_NO_THROW(file.dump(3'000'000)) << "the run goes on to its end";
  EXPECT_NO_THROW(file.close());
}

TEST_F(WaveFiles, AreRemovedWithAllBesideThem) {
  const std::string beside = folder_.file("w.vc.filter");
  std::ofstream(beside) << "0 MP\n";
  {
    WaveFile never_opened(path(), {beside});
    never_opened.remove();
    EXPECT_TRUE(std::filesystem::exists(beside)) << "nothing of it was written";
  }
  WaveFile file(path(), {beside});
  file.add(signals());
  file.open();
  file.dump(0);
  file.remove();
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_FALSE(std::filesystem::exists(beside));
}

}  // namespace
}  // namespace fredsim
