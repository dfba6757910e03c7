// SPDX-License-Identifier: Apache-2.0
// The counters of a timeline, by interval: flits carried by every link, and stalls in the switches
// by reason.
//
// Values: of a link, "utilization", flits sent / flits its rate allows; of a switch, "<name>
//   stalls" by reason: the number of flows or ports in which a head-of-line flit could not leave,
//   on average over the cycles.
// Exact for an interval as a whole: differences of the link and switch counters. Intervals double
//   as a run grows, so that it has kMaxIntervals at most. A switch that cannot be peeked has no
//   stalls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "results/timeline.h"

namespace fredsim {

class TimelineCounters {
 public:
  static constexpr std::uint64_t kFirstInterval = 64;  // in cycles
  static constexpr std::size_t kMaxIntervals = 256;

  // Timeline and fabric outlive it.
  TimelineCounters(Timeline& timeline, int process, Fabric& fabric)
      : timeline_(timeline), process_(process), fabric_(fabric) {}

  void begin_run();
  void edge(std::uint64_t now) {  // `now`: cycles since the run's first edge
    if (now == next_sample_) sample();
  }
  void end_run(std::uint64_t now, std::uint64_t cycles);

 private:
  struct Series {
    std::string name;
    std::vector<const char*> keys;  // keys of its values
    double scale = 1;               // value shown: difference / (cycles × scale)
    std::vector<double> last;
    std::vector<double> differences;  // interval-major order
  };
  struct SwitchSeries {
    NodeId node = 0;
    std::vector<std::uint64_t SwitchCounters::*> stalls;  // index: key
    Series series;
  };
  void sample();
  void merge_intervals();
  void emit(const Series& series, std::uint64_t cycles) const;

  Timeline& timeline_;
  int process_;
  Fabric& fabric_;
  std::uint64_t interval_ = 0, next_sample_ = 0;
  std::size_t intervals_ = 0;
  std::vector<Series> links_;
  std::vector<SwitchSeries> switches_;
};

}  // namespace fredsim
