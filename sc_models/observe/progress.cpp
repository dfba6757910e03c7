#include "observe/progress.h"

#include <fmt/format.h>

namespace fredsim {

namespace {

constexpr std::chrono::seconds kQuietStart{2};
constexpr std::chrono::milliseconds kInterval{200};
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

std::string progress_text(const std::string& label, const ProgressState& state, double seconds) {
  const double share = state.flits_total == 0 ? 0
                                              : static_cast<double>(state.flits_delivered) /
                                                    static_cast<double>(state.flits_total);
  std::string text = fmt::format("{}: {:.0f} %, {} cycles", label, 100 * share, state.cycle);
  if (seconds > 0) {
    text += fmt::format(", {:.1f} kcycles/s", static_cast<double>(state.cycle) / seconds / 1e3);
  }
  if (share > 0) {
    const auto left = static_cast<std::uint64_t>(seconds * (1 - share) / share);
    text += fmt::format(", {}:{:02} left", left / 60, left % 60);
  }
  return text;
}

ProgressLine::~ProgressLine() {
  if (is_shown_) {
    std::fputs(kEraseLine, terminal_);
    std::fflush(terminal_);
  }
}

void ProgressLine::update(const ProgressState& state, Time now) {
  if (now - start_ < kQuietStart || now - last_ < kInterval) return;
  last_ = now;
  is_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  fmt::print(terminal_, "{}{}", kEraseLine, progress_text(label_, state, seconds));
  std::fflush(terminal_);
}

}  // namespace fredsim
