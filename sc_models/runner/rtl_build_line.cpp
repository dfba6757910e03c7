// SPDX-License-Identifier: Apache-2.0
#include "runner/rtl_build_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/terminal.h"

namespace fredsim {
namespace {

constexpr const char* kEraseLine = "\r\x1b[K";
constexpr int kUsualColumns = 80;
constexpr int kStepSeconds = 5;

std::string sizes(std::size_t count) {
  return count == 1 ? "a switch size" : fmt::format("{} switch sizes", count);
}

}  // namespace

std::string about(double seconds) {
  const int steps = std::max(1, static_cast<int>(std::ceil(seconds / kStepSeconds)));
  const int rounded = steps * kStepSeconds;
  return fmt::format("{}:{:02}", rounded / 60, rounded % 60);
}

RtlBuildLine::~RtlBuildLine() {
  if (!is_shown_) return;
  std::fputs(kEraseLine, stream_);
  std::fflush(stream_);
}

void RtlBuildLine::print(const std::string& text) {
  if (style_ == ProgressStyle::kLines) {
    fmt::print(stream_, "{}: {}\n", program_, text);
  } else {
    is_shown_ = true;
    // Some terminals would wrap a line of their full width.
    const auto columns =
        static_cast<std::size_t>(std::max(1, window_columns(stream_).value_or(kUsualColumns) - 1));
    fmt::print(stream_, "{}{}", kEraseLine, text.substr(0, columns));
  }
  std::fflush(stream_);
}

void RtlBuildLine::report_damaged(const RtlBuildProgress& progress) {
  if (has_reported_damaged_ || progress.damaged.empty()) return;
  has_reported_damaged_ = true;
  fmt::print(stream_,
             "{}{}: cache {}: RTL of {} differs from its digest, or has none; built again\n",
             style_ == ProgressStyle::kBar ? kEraseLine : "", program_, progress.cache.string(),
             fmt::join(progress.damaged, "; "));
  std::fflush(stream_);
}

void RtlBuildLine::update(const RtlBuildProgress& progress) {
  report_damaged(progress);
  const std::size_t count = progress.entries.size();
  const std::string left = fmt::format("about {} left", about(progress.seconds_left));
  if (style_ == ProgressStyle::kBar) {
    if (progress.done == count) return;  // erased soon
    print(fmt::format(
        "building RTL of {}{}: {}", sizes(count),
        progress.done > 0 ? fmt::format(", {} built", progress.done) : "",
        progress.waits ? "another process does it" : fmt::format("{} - {}", left, progress.step)));
    return;
  }
  if (!has_begun_) {
    print(fmt::format("building RTL of {}, about {}; kept in {}: {}", sizes(count),
                      about(progress.seconds_left), progress.cache.string(),
                      fmt::join(progress.entries, "; ")));
  }
  has_begun_ = true;
  if (progress.waits && !waits_) print("waiting for another process that builds the same");
  waits_ = progress.waits;
  if (progress.done > done_ && progress.done < count)
    print(fmt::format("RTL of {} of {} is built, {}", progress.done, sizes(count), left));
  if (progress.done > done_ && progress.done == count)
    print(fmt::format("RTL of {} is built", sizes(count)));
  done_ = progress.done;
}

RtlBuildOptions rtl_build_options(RtlBuild build, const std::atomic<bool>* stop, bool quiet,
                                  RtlBuildLine& line) {
  RtlBuildOptions options{.build = build, .stop = stop, .on_progress = {}};
  if (!quiet)
    options.on_progress = [&line](const RtlBuildProgress& progress) { line.update(progress); };
  return options;
}

}  // namespace fredsim
