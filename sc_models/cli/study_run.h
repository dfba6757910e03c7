// SPDX-License-Identifier: Apache-2.0
// Runs the points of a study, each as its own question in a child process, and keeps their results
// (study/study_folder.h).
//
// A point whose command ends with the exit code of bad input, a failed run or a routing conflict
//   would fail again; it is kept as failed. A point ended by a signal has failed too, but is not
//   kept: the next sweep runs it again. A file of the folder that cannot be read, or is no result
//   (after a full disk or a power cut), counts as missing and is rewritten.
// Errors: BadInput if the study or its folder is wrong or results cannot be kept; RunFailed if the
//   system gives no process.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/point_times.h"
#include "report/progress_log.h"
#include "study/study_folder.h"
#include "study/study_points.h"

namespace fredsim {

class StudyRun {
 public:
  // `folder`: folder of the results; empty: NAME.results in the working directory.
  StudyRun(const std::string& path, const std::string& folder);
  StudyRun(const StudyRun&) = delete;
  StudyRun& operator=(const StudyRun&) = delete;
  ~StudyRun() = default;

  const Study& study() const { return study_; }
  const StudyPoints& points() const { return points_; }
  const std::vector<std::string>& hashes() const { return hashes_; }  // by point
  const StudyFolder& folder() const { return folder_; }
  // Outcomes by point, from the folder and from run(); none: not run.
  const std::vector<std::optional<PointOutcome>>& outcomes() const { return outcomes_; }

  // Reads the outcomes in the folder.
  void find_outcomes();
  // Files that are no results, each with the reason.
  const std::vector<std::string>& unreadable() const { return unreadable_; }
  bool is_kept(std::size_t point) const;
  // Runs these points, `jobs` at a time, with a progress line, and lines in `log` if it exists.
  // False: interrupted before all points were complete.
  bool run(std::span<const std::size_t> points, std::size_t jobs, bool shows_progress,
           ProgressLog* log = nullptr);

  // "fredsim run configs/mesh.yaml --size=4KiB --quiet --json -"
  std::string command_text(std::size_t point) const;

 private:
  PointTimes point_times() const;
  PointOutcome outcome_of(std::size_t point, int exit_code, const std::string& out,
                          const std::string& message) const;

  Study study_;
  StudyPoints points_;
  StudyFolder folder_;
  std::vector<std::string> hashes_;
  std::vector<std::optional<PointOutcome>> outcomes_;
  std::vector<std::string> unreadable_;
};

}  // namespace fredsim
