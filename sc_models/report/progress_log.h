// SPDX-License-Identifier: Apache-2.0
// Progress for programs: a file or pipe with a JSON object per line.
//
// A run opens with a line of fraction 0 and closes with one of fraction 1, if it completes; a study has a line at its start and one
// at its end. Between them they come at most ten times a second. Every line has "job", "fraction" (0 to 1, of the job) and "text", as
// progress_text() has it; that of a run "cycle", "time_ns" (simulated) and "bytes_delivered" too, that of a study "points", "complete"
// and "failed"; "left_s", the wall time left, where there is an estimate. Lines are written whole. Time comes in from outside.
// Errors: BadInput naming `option`, the path and the system's reason, when the file is opened. A file that cannot be written any more
// gets no further lines: no run fails for its progress.
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

  // Lines are appended to what a file has; a pipe is waited for until somebody reads it.
  ProgressLog(const std::string& path, const std::string& option);

  // A run.
  void begin(const std::string& job, Time now);
  void update(const ProgressState& state, Time now);
  void complete(const ProgressState& state, Time now);
  // A study, whose fraction at the start is that of the points that are there.
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
