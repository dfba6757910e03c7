// SPDX-License-Identifier: Apache-2.0
#include "cli/study_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <string_view>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/file_text.h"
#include "cli/answer.h"
#include "cli/command_line.h"
#include "cli/study_commands.h"
#include "report/progress.h"
#include "results/version.h"
#include "runner/child_processes.h"
#include "runner/interrupt.h"
#include "runner/program_name.h"
#include "study/point_hash.h"

namespace fredsim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWait{200};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Exit codes that the same command would return again.
constexpr std::array kKept{ExitCode::kFailed, ExitCode::kBadInput, ExitCode::kRoutingConflict};

// Version of the program; a commit with changes, or no commit, does not identify it.
const ModelVersion& model_version() {
  static const ModelVersion model = [] {
    ModelVersion own{.version = std::string(version()), .commit = std::string(commit())};
    if (own.commit.ends_with("-dirty") || own.commit == "unknown")
      own.program = content_hash(file_text("/proc/self/exe").value_or(""));
    return own;
  }();
  return model;
}

std::vector<std::string> words_of(const StudyPoint& point) {
  std::vector<std::string> words = command_of(point);
  for (const char* const word : {"--quiet", "--json", "-"}) words.emplace_back(word);
  return words;
}

// Message on standard error, without the program's name and the end of the line.
std::string message_in(const std::string& err) {
  std::string_view text = err;
  const std::string name = fmt::format("{}: ", program_name());
  if (text.starts_with(name)) text.remove_prefix(name.size());
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text);
}

std::string message_of(const EndedProcess& ended) {
  if (ended.exit_code < 0)
    return fmt::format("ended by signal {} ({})", ended.signal, ::strsignal(ended.signal));
  const std::string message = message_in(ended.err);
  return message.empty() ? fmt::format("exit code {}", ended.exit_code) : message;
}

}  // namespace

StudyRun::StudyRun(const std::string& path, const std::string& folder)
    : study_(read_study(path, study_commands())),
      points_(study_),
      folder_(folder.empty() ? study_.name + ".results" : folder, model_version()),
      hashes_(hashes_of(points_, model_version().text())),
      outcomes_(points_.size()) {}

void StudyRun::find_outcomes() {
  unreadable_.clear();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    outcomes_[i].reset();
    try {
      outcomes_[i] = folder_.find(hashes_[i], *points_[i].work->document);
    } catch (const BadInput& error) {
      unreadable_.emplace_back(error.what());
    }
  }
}

bool StudyRun::is_kept(std::size_t point) const {
  try {
    return folder_.find(hashes_[point], *points_[point].work->document).has_value();
  } catch (const BadInput&) {
    return false;
  }
}

std::string StudyRun::command_text(std::size_t point) const {
  const std::vector<std::string> words = words_of(points_[point]);
  std::vector<const char*> texts;
  for (const std::string& word : words) texts.push_back(word.c_str());
  return command_line(program_name(), texts);
}

PointOutcome StudyRun::outcome_of(std::size_t point, int exit_code, const std::string& out,
                                  const std::string& message) const {
  const std::string& hash = hashes_[point];
  if (exit_code == static_cast<int>(ExitCode::kDone)) {
    folder_.keep(hash, out);
    return folder_.find(hash, *points_[point].work->document).value();
  }
  const bool is_kept = std::ranges::any_of(
      kKept, [&](ExitCode code) { return static_cast<int>(code) == exit_code; });
  if (is_kept) {
    const std::string command = command_text(point);
    folder_.keep(hash, failed_point_text(origin_of(command), exit_code, message));
  }
  return {.is_done = false, .message = message};
}

PointTimes StudyRun::point_times() const {
  std::vector<std::vector<std::string>> values;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const StudyPoint point = points_[i];
    std::vector<std::string>& own = values.emplace_back();
    own.push_back(fmt::format("{}", static_cast<const void*>(point.machine)));
    own.push_back(fmt::format("{}", static_cast<const void*>(point.work)));
    // Points of one work share the axes.
    for (const auto* group : {&point.settings, &point.options})
      for (const PointValue& one : *group)
        own.push_back(fmt::format("{}={}", one.axis->name, one.value->text));
  }
  return PointTimes(std::move(values));
}

bool StudyRun::run(std::span<const std::size_t> points, std::size_t jobs, bool shows_progress,
                   ProgressLog* log) {
  const auto is_failed = [&](const auto& outcome) { return outcome && !outcome->is_done; };
  folder_.create();
  for (const std::size_t point : points) outcomes_[point].reset();
  const auto before = static_cast<std::size_t>(
      std::ranges::count_if(outcomes_, [](const auto& outcome) { return outcome.has_value(); }));
  PointsProgress progress{
      .all = points_.size(),
      .complete = before,
      .before = before,
      .failed = static_cast<std::size_t>(std::ranges::count_if(outcomes_, is_failed))};
  std::optional<ProgressLine> line;
  if (shows_progress) line.emplace(stderr, progress_style(stderr), study_.name, Clock::now());
  if (log != nullptr) log->begin_study(study_.name, progress, Clock::now());
  ChildProcesses children;
  PointTimes times = point_times();
  std::map<std::size_t, Clock::time_point> started;  // running points
  std::size_t next = 0;
  // Time left: forecasts of points that have not begun, plus the rest of running points, `jobs` at
  // a time.
  const auto left = [&]() -> std::optional<double> {
    double seconds = 0;
    for (std::size_t i = next; i < points.size(); ++i) {
      const std::optional<double> forecast = times.forecast(points[i]);
      if (!forecast) return std::nullopt;
      seconds += *forecast;
    }
    for (const auto& [point, since] : started) {
      const std::optional<double> forecast = times.forecast(point);
      if (!forecast) return std::nullopt;
      seconds += std::max(*forecast - seconds_since(since), 0.0);
    }
    return seconds / static_cast<double>(jobs);
  };
  while (next < points.size() || children.running() > 0) {
    if (interrupt_flag()) return false;
    while (next < points.size() && children.running() < jobs) {
      children.start(points[next], [words = words_of(points_[points[next]])] {
        return AskedQuestion(words).answer_into(STDOUT_FILENO, STDERR_FILENO);
      });
      started[points[next]] = Clock::now();
      ++next;
    }
    if (const std::optional<EndedProcess> ended = children.wait(kWait)) {
      if (ended->exit_code == static_cast<int>(ExitCode::kInterrupted) && interrupt_flag())
        return false;
      times.note(ended->id, seconds_since(started.at(ended->id)));
      started.erase(ended->id);
      std::optional<PointOutcome>& outcome = outcomes_[ended->id];
      outcome = outcome_of(ended->id, ended->exit_code, ended->out, message_of(*ended));
      ++progress.complete;
      if (is_failed(outcome)) ++progress.failed;
    }
    progress.left_s = left();
    if (line) line->update(progress, Clock::now());
    if (log != nullptr) log->update(progress, Clock::now());
  }
  return true;
}

}  // namespace fredsim
