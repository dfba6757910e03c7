// SPDX-License-Identifier: Apache-2.0
#include "report/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "report/terminal.h"

namespace fredsim {

namespace {

constexpr std::chrono::seconds kQuietStart{2};
constexpr std::chrono::milliseconds kInterval{200};
constexpr std::chrono::seconds kLineInterval{30};
constexpr const char* kEraseLine = "\r\x1b[K";
constexpr int kUsualColumns = 80;
constexpr std::size_t kBarCells = 10;

struct Unit {
  const char* name;
  double size;
};
constexpr std::array kTimes{Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"µs", 1e3}, Unit{"ns", 1}};
constexpr std::array kSizes{Unit{"TiB", 0x1p40}, Unit{"GiB", 0x1p30}, Unit{"MiB", 0x1p20},
                            Unit{"KiB", 0x1p10}, Unit{"B", 1}};

// Rounds a value to the largest unit that it has at least one of; units descend.
std::string rounded(double value, std::span<const Unit> units) {
  const auto unit = std::ranges::find_if(units.first(units.size() - 1),
                                         [&](const Unit& u) { return value >= u.size; });
  return fmt::format("{:.{}f} {}", value / unit->size, unit->size > 1 ? 1 : 0, unit->name);
}

// Cuts a text to `columns` characters on the screen; bytes 10xxxxxx do not begin a character.
void cut(std::string& text, int columns) {
  const auto is_rest = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!is_rest(text[at]) && --columns < 0) break;
  }
  text.resize(at);
}

std::string bar(double share) {
  const auto full = static_cast<std::size_t>(std::floor(share * kBarCells));
  return std::string(full, '#') + std::string(kBarCells - full, '-');
}

std::string bar_line(const std::string& label, double share, const std::string& text, int columns) {
  std::string line = fmt::format("[{}] {} - {}", bar(share), text, label);
  cut(line, columns);
  return line;
}

double share_of(const ProgressState& state) { return state.share; }
double share_of(const PointsProgress& points) {
  return points.all == 0 ? 1
                         : static_cast<double>(points.complete) / static_cast<double>(points.all);
}

// ", 0:42 left"
std::string left_text(double seconds) {
  const auto left = static_cast<std::uint64_t>(seconds);
  return fmt::format(", {}:{:02} left", left / 60, left % 60);
}

}  // namespace

ProgressStyle progress_style(std::FILE* stream) {
  return ::isatty(::fileno(stream)) == 1 ? ProgressStyle::kBar : ProgressStyle::kLines;
}

std::string progress_text(const ProgressState& state, double seconds) {
  std::string text = fmt::format("{:.0f} %, at {}, {} delivered", 100 * state.share,
                                 rounded(state.time_ns, kTimes),
                                 rounded(static_cast<double>(state.bytes_delivered), kSizes));
  if (seconds > 0) {
    text += fmt::format(", {:.1f} kcycles/s", static_cast<double>(state.cycle) / seconds / 1e3);
  }
  if (state.left_s) text += left_text(*state.left_s);
  return text;
}

std::string progress_text(const PointsProgress& points) {
  std::string text = fmt::format("{} of {} points", points.complete, points.all);
  if (points.failed > 0) text += fmt::format(", {} failed", points.failed);
  if (points.left_s) text += left_text(*points.left_s);
  return text;
}

std::string progress_bar(const std::string& label, const ProgressState& state, double seconds,
                         int columns) {
  return bar_line(label, state.share, progress_text(state, seconds), columns);
}

std::string progress_bar(const std::string& label, const PointsProgress& points, int columns) {
  return bar_line(label, share_of(points), progress_text(points), columns);
}

ProgressLine::~ProgressLine() {
  if (is_shown_) {
    std::fputs(kEraseLine, stream_);
    std::fflush(stream_);
  }
}

void ProgressLine::update(const ProgressState& state, Time now) { show(state, now); }

void ProgressLine::update(const PointsProgress& points, Time now) { show(points, now); }

void ProgressLine::say(const std::string& text) {
  fmt::print(stream_, "{}{}\n", is_shown_ ? kEraseLine : "", text);
  std::fflush(stream_);
}

template <class Progress>
void ProgressLine::show(const Progress& progress, Time now) {
  const auto seconds = [&] { return std::chrono::duration<double>(now - start_).count(); };
  const auto text = [&] {
    if constexpr (std::is_same_v<Progress, ProgressState>)
      return progress_text(progress, seconds());
    else
      return progress_text(progress);
  };
  if (style_ == ProgressStyle::kLines) {
    if (now - last_ < kLineInterval) return;
    fmt::print(stream_, "{}: {}\n", label_, text());
  } else {
    if (now - start_ < kQuietStart || now - last_ < kInterval) return;
    is_shown_ = true;
    // Some terminals would wrap a line of their full width.
    const int columns = window_columns(stream_).value_or(kUsualColumns) - 1;
    fmt::print(stream_, "{}{}", kEraseLine, bar_line(label_, share_of(progress), text(), columns));
  }
  last_ = now;
  std::fflush(stream_);
}

}  // namespace fredsim
