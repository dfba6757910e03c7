// SPDX-License-Identifier: Apache-2.0
// Progress for programs: a file or pipe with a JSON object per line.
//
// A run opens with a line of fraction 0 and closes with one of fraction 1, if it completes; a study
// has a line at its start and one at its end. Between them there are at most ten lines a second.
// Every line has "job", "fraction" (0 to 1, of the job) and "text", as in progress_text(); a run's
// also "cycle", "time_ns" (simulated) and "bytes_delivered", a study's "points", "complete" and
// "failed"; "left_s", the wall time left, if there is an estimate. Lines are written whole. Times
// are arguments.
// Errors: BadInput with `option`, the path and the system's reason, when the file is opened. A file
// that cannot be written any more gets no further lines: no run fails for its progress.
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "report/progress.h"

namespace fredsim {

class ProgressLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Appends lines to an existing file; waits until a pipe has a reader.
  ProgressLog(const std::string& path, const std::string& option);

  // Begins a run.
  void begin(const std::string& job, Time now);
  void update(const ProgressState& state, Time now);
  void complete(const ProgressState& state, Time now);
  // Begins a study, whose fraction at the start is that of its complete points.
  void begin_study(const std::string& study, const PointsProgress& points, Time now);
  void update(const PointsProgress& points, Time now);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  bool is_due(Time now) const;
  void write(const ProgressState& state, Time now);
  void write(const PointsProgress& points, Time now);
  void write(double fraction, const std::string& text, std::optional<double> left_s,
             const nlohmann::ordered_json& figures);
  double seconds(Time now) const;

  std::unique_ptr<std::FILE, Close> file_;
  std::string job_;
  Time start_{}, last_{};
  std::size_t points_before_ = 0;  // complete in the last line of a study
};

}  // namespace fredsim
