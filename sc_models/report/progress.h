// SPDX-License-Identifier: Apache-2.0
// Progress display of long runs: a bar on a terminal, plain lines in a log.
//
// A bar is shown after two seconds, rewritten in place at most five times a second, kept to the
// terminal's width and erased at the end, so that it leaves nothing beside the results. Plain lines
// come every thirty seconds. Times are arguments: no hidden clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace fredsim {

// Progress of a run.
struct ProgressState {
  std::uint64_t cycle = 0;
  double time_ns = 0;  // simulated time
  std::uint64_t bytes_delivered = 0;
  double share = 0;                // fraction of the run, 0 … 1
  std::optional<double> left_s{};  // wall time (report/time_left.h)
};

// Progress of a study, whose points are runs of their own.
struct PointsProgress {
  std::size_t all = 0;
  std::size_t complete = 0;
  std::size_t before = 0;          // points that were complete at the start
  std::size_t failed = 0;          // points that failed
  std::optional<double> left_s{};  // wall time
};

enum class ProgressStyle : std::uint8_t { kBar, kLines };
// Style that suits a stream: a bar on a terminal.
ProgressStyle progress_style(std::FILE* stream);

// "43 %, at 1.2 ms, 6.9 GiB delivered, 35.2 kcycles/s, 0:42 left"; `seconds` of wall time since the
// start.
std::string progress_text(const ProgressState& state, double seconds);
// "16 of 40 points, 1 failed, 0:42 left"
std::string progress_text(const PointsProgress& points);
// "[####------] 43 %, … - mesh, 16 MiB", cut off to `columns` characters: the label gives way.
std::string progress_bar(const std::string& label, const ProgressState& state, double seconds,
                         int columns);
std::string progress_bar(const std::string& label, const PointsProgress& points, int columns);

class ProgressLine {
 public:
  using Time = std::chrono::steady_clock::time_point;
  ProgressLine(std::FILE* stream, ProgressStyle style, std::string label, Time start)
      : stream_(stream), style_(style), label_(std::move(label)), start_(start), last_(start) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const ProgressState& state, Time now);
  void update(const PointsProgress& points, Time now);
  // Prints a line that stays, above a bar.
  void say(const std::string& text);

 private:
  template <class Progress>
  void show(const Progress& progress, Time now);

  std::FILE* stream_;
  ProgressStyle style_;
  std::string label_;
  Time start_;
  Time last_;
  bool is_shown_ = false;  // a bar to wipe out
};

}  // namespace fredsim
