// One line on a terminal that says how far a run is, for runs longer than two seconds.
//
// The line is rewritten in place at most five times a second and wiped out at the end, so that
// nothing of it stays beside the results. Time comes in from outside: no hidden clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace fredsim {

// How far a run is.
struct ProgressState {
  std::uint64_t cycle = 0;
  std::uint64_t flits_delivered = 0;
  std::uint64_t flits_total = 0;
};

// "mesh, 16 MiB: 43 %, 1200345 cycles, 35.2 kcycles/s, 0:42 left"
std::string progress_text(const std::string& label, const ProgressState& state, double seconds);

class ProgressLine {
 public:
  using Time = std::chrono::steady_clock::time_point;
  ProgressLine(std::FILE* terminal, std::string label, Time start)
      : terminal_(terminal), label_(std::move(label)), start_(start), last_(start) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const ProgressState& state, Time now);

 private:
  std::FILE* terminal_;
  std::string label_;
  Time start_;
  Time last_;
  bool is_shown_ = false;
};

}  // namespace fredsim
