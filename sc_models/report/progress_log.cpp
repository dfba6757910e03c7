// SPDX-License-Identifier: Apache-2.0
#include "report/progress_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.h"
#include "report/detail/signals_wait.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kLogInterval{100};

Json figures_of(const ProgressState& state) {
  return {{"cycle", state.cycle},
          {"time_ns", state.time_ns},
          {"bytes_delivered", state.bytes_delivered}};
}

}  // namespace

ProgressLog::ProgressLog(const std::string& path, const std::string& option)
    : file_(std::fopen(path.c_str(), "ae")) {
  if (file_) return;
  throw BadInput(
      fmt::format("{}: '{}': cannot be written: {}; allowed: a file or pipe that can be written",
                  option, path, std::generic_category().message(errno)));
}

void ProgressLog::begin(const std::string& job, Time now) {
  job_ = job;
  start_ = now;
  write(ProgressState{}, now);
}

void ProgressLog::update(const ProgressState& state, Time now) {
  if (is_due(now)) write(state, now);
}

void ProgressLog::begin_study(const std::string& study, const PointsProgress& points, Time now) {
  job_ = study;
  start_ = now;
  write(points, now);
}

void ProgressLog::update(const PointsProgress& points, Time now) {
  if (points.complete == points_before_) return;
  if (points.complete == points.all || is_due(now)) write(points, now);
}

void ProgressLog::write(const PointsProgress& points, Time now) {
  last_ = now;
  points_before_ = points.complete;
  const double share =
      points.all == 0 ? 1 : static_cast<double>(points.complete) / static_cast<double>(points.all);
  write(share, progress_text(points), points.left_s,
        {{"points", points.all}, {"complete", points.complete}, {"failed", points.failed}});
}

void ProgressLog::complete(const ProgressState& state, Time now) { write(state, now); }

void ProgressLog::write(const ProgressState& state, Time now) {
  last_ = now;
  write(state.share, progress_text(state, seconds(now)), state.left_s, figures_of(state));
}

bool ProgressLog::is_due(Time now) const { return now - last_ >= kLogInterval; }

double ProgressLog::seconds(Time now) const {
  return std::chrono::duration<double>(now - start_).count();
}

void ProgressLog::write(double fraction, const std::string& text, std::optional<double> left_s,
                        const Json& figures) {
  if (!file_) return;
  Json line = {{"job", job_}, {"fraction", fraction}, {"text", text}};
  line.update(figures);
  if (left_s) line["left_s"] = *left_s;
  const SignalsWait pipe_may_break({SIGPIPE});
  std::fputs((line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n").c_str(),
             file_.get());
  if (std::fflush(file_.get()) != 0) file_.reset();
}

}  // namespace fredsim
