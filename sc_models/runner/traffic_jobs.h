// SPDX-License-Identifier: Apache-2.0
// The job of `fredsim traffic`: synthetic traffic on one machine, at one rate after the other.
//
// Units: rates in flits per cycle and node.
// Errors: the constructor finds everything that can be wrong with the input, BadInput; measure() throws what TrafficRun does, with the
//   job's name before it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "results/traffic_results.h"
#include "runner/run_options.h"
#include "trace/packet_list.h"
#include "trace/wave_options.h"
#include "traffic/traffic_options.h"
#include "traffic/traffic_run.h"

namespace fredsim {

// The options of `traffic`.
struct TrafficRequest : MachineOptions, OutputOptions, SwitchOptions {
  TrafficOptions traffic;
  // Ascending; empty: those that the search for saturation takes.
  std::vector<double> rates;
  WaveOptions wave;
  BreakdownOptions breakdown;
};

// Observers of every edge of all nodes leave threads nothing to do by themselves.
void check_threads(const TrafficRequest& request);

class TrafficJobs {
 public:
  explicit TrafficJobs(const TrafficRequest& request);

  // All rates, or those of the search for saturation. False: interrupted, with an incomplete point if one was under way.
  bool measure();
  bool is_complete() const { return is_complete_; }

  const std::string& name() const { return name_; }
  const MachineConfig& machine() const { return machine_; }
  const TrafficSetup& setup() const { return setup_; }
  const std::vector<TrafficPoint>& points() const { return points_; }
  const WaveRecorder* wave() const { return run_->wave(); }
  void finish_wave() { run_->finish_wave(); }

 private:
  bool search_saturation();
  std::optional<bool> measure_step(int step);
  // True: the rate is saturated; none: interrupted.
  std::optional<bool> measure(double rate);

  const TrafficRequest request_;
  const MachineConfig machine_;
  const std::string name_;
  const std::string pattern_;
  const double ns_per_cycle_;
  std::unique_ptr<TrafficRun> run_;
  TrafficSetup setup_;
  std::vector<TrafficPoint> points_;  // rates ascending
  bool is_complete_ = false;
};

}  // namespace fredsim
