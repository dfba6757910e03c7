// SPDX-License-Identifier: Apache-2.0
// Spans of time as pairs of begin and end, in any order, overlapping or not.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace fredsim {

template <typename Time>
using TimeSpans = std::vector<std::pair<Time, Time>>;

// Time covered by at least one span.
template <typename Time>
Time covered_time(TimeSpans<Time> spans) {
  std::ranges::sort(spans);
  Time sum{}, end{};
  bool is_first = true;
  for (const auto& [from, to] : spans) {
    if (is_first || from > end) {
      sum += to - from;
      end = to;
    } else if (to > end) {
      sum += to - end;
      end = to;
    }
    is_first = false;
  }
  return sum;
}

// Time covered by `spans` and by none of `others`.
template <typename Time>
Time uncovered_time(TimeSpans<Time> spans, const TimeSpans<Time>& others) {
  spans.insert(spans.end(), others.begin(), others.end());
  return covered_time(std::move(spans)) - covered_time(others);
}

}  // namespace fredsim
