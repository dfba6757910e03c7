// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic on a fabric: latency and throughput against the offered load.
// Steps the fabric's core itself, without SystemC.
//
// Measurement: warm-up, then a window; packets created in the window are measured, and the run goes
//   on, with traffic still offered, until all of them have arrived or 10 windows and 10 000 cycles
//   more have passed; then sources stop, the fabric drains and its balance is checked.
// Rates in flits per cycle and sending node (a node that is its own partner in the pattern sends
//   nothing and does not count): offered = created in the window, accepted = consumed in the
//   window.
// Saturated: not all measured packets arrived, or less than 95 % of the offered flits were
//   accepted, and the shortfall is beyond chance: more than 3 standard deviations of the difference
//   of two counts of that many packets.
// Unicasts are routed X-Y on a mesh and by online_routes.h on a FRED tree, on the data VC DP.
// Threads: with several, the fabric is cut into as many partitions (fabric/cut.h), each stepped by
//   a thread of its own for as many edges as need no look in between; results do not depend on it.
//   Waveforms and breakdowns look at every edge: with them, and if a single edge counts, partitions
//   take turns on the caller's thread.
// Cost: no allocation per flit, packet or cycle once latencies have stopped growing.
// Errors: RunFailed when nothing moves although flits are in flight (with the list of waits), a
//   flit is lost or broken, credits do not balance, or a switch reports an error; BadInput for a
//   pattern in which no node sends, a FRED tree beyond the switches' routing tables; errors of the
//   factory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/geometric.h"
#include "engine/run_limits.h"
#include "engine/window_counts.h"
#include "fabric/fabric.h"
#include "fabric/fabric_core.h"
#include "fabric/ranked_cut.h"
#include "fabric/switch_setup.h"
#include "results/traffic_results.h"
#include "trace/link_series_recorder.h"
#include "trace/wave_recorder.h"
#include "traffic/traffic_breakdown.h"
#include "traffic/traffic_node.h"
#include "traffic/traffic_options.h"

namespace fredsim {

// Capacity of the links of an NPU, in flits per cycle: the highest rate that can be injected.
double injection_limit(const Topology& topology);

// BadInput for more threads than switches, or links that may not cross.
void check_threads(const Topology& topology, int threads);
// A partition per thread; errors as check_threads().
Cut cut_for_threads(const Topology& topology, int threads);

class TrafficRun {
 public:
  // The topology must outlive the run. With threads, switches of the factory must share no state
  // that is written (FabricOptions::own_contexts). BadInput for more threads than switches.
  TrafficRun(const Topology& topology, const TrafficOptions& options, const SwitchFactory& factory);
  // Uses this cut, regardless of the number of threads; partitions take turns on one thread. Each
  // of several processes has its share, and all make the same calls.
  TrafficRun(const Topology& topology, const TrafficOptions& options, const SwitchFactory& factory,
             const Cut& cut);
  TrafficRun(const Topology& topology, const TrafficOptions& options, const SwitchFactory& factory,
             const RankedCut& cut);

  TrafficSetup setup() const;  // all but config and layout

  // Writes waveforms of all rates, one after the other. Call before the first one. BadInput as
  // WaveRecorder's.
  void trace(const WaveOptions& options);
  void finish_wave();  // calls WaveRecorder::finish(), if there is one
  const WaveRecorder* wave() const { return wave_.get(); }  // null: none
  // Adds a breakdown of the measured packets to points. Call before the first rate.
  void break_down(const BreakdownOptions& options);
  // Adds the series of the links over the window to points. Call before the first rate.
  void record_series(std::uint64_t window_cycles);
  // Makes measure() end at the next edge once the flag is set, with a point that is marked
  // incomplete (RunLimits).
  void stop_on(const std::atomic<bool>& stop) { limits_.stop_on(stop); }

  // Measures one rate, kMinTrafficRate … injection_limit(), from a reset fabric. `on_progress` is
  // called every 4096 cycles.
  struct Progress {
    std::uint64_t cycle = 0, window_end = 0;
    std::uint64_t bytes = 0;  // bytes consumed
    double end = 0;           // forecast: cycle at which all packets of the window have arrived
  };
  using OnProgress = std::function<void(const Progress& progress)>;
  TrafficPoint measure(double rate, const OnProgress& on_progress = {});

  // Steps of measure(): start() resets the fabric, sets its switches up and starts sources at cycle
  // 0; the other one runs a cycle.
  void start(double rate);
  void tick();
  FabricCore& core() { return core_; }

 private:
  // Share of a partition: the counts of its nodes, and a calendar of their packets.
  class Share final : public EdgeHook {
   public:
    explicit Share(const TrafficRun& run)
        : meter(static_cast<int>(run.topology_.npus.size())), run_(run) {}
    void before_edge() override {
      meter.calendar.remove_due(
          meter.now, [&](int rank) { run_.nodes_[run_.topology_.npus[rank]]->packet_due(); });
    }
    void after_edge() override { ++meter.now; }

    TrafficMeter meter;

   private:
    const TrafficRun& run_;
  };

  TrafficPoint measure_once(double rate, const OnProgress& on_progress);
  double forecast_end(double rate) const;  // a cycle
  void set_up_switches();
  void clock_edge() {
    if (wave_ == nullptr) {
      core_.tick();
    } else {
      recorded_edge();
    }
    if (breakdown_ != nullptr) breakdown_->edge();
  }
  void recorded_edge();
  void advance(std::uint64_t max);
  void check_watchdog();
  std::uint64_t created_in_window() const;
  FabricCounts counts() const;
  void drain();
  double mean_hops() const;
  [[noreturn]] void fail(const RunLimits::End& end);
  // fields that are equal in all meters
  const TrafficMeter& meter() const { return shares_.front()->meter; }
  std::uint64_t now() const { return meter().now; }
  std::uint64_t sum(std::uint64_t TrafficMeter::*count) const;
  bool all_consumed() const {
    return sum(&TrafficMeter::flits_injected) == sum(&TrafficMeter::flits_consumed);
  }
  std::uint64_t over_ranks(std::uint64_t mine) const;
  std::uint64_t arrived() const;  // measured packets that have arrived
  LatencyHistogram latencies() const;

  const Topology& topology_;
  TrafficOptions options_;
  TrafficPattern pattern_;
  FabricCore core_;
  std::vector<std::unique_ptr<SwitchCore>> switches_;  // index: node; null at endpoints
  SwitchSetup setup_;
  std::vector<std::uint16_t> addresses_;             // index: rank
  std::vector<std::unique_ptr<Share>> shares_;       // index: partition
  std::vector<EdgeHook*> hooks_;                     // index: partition
  std::uint64_t max_consumed_ = 0;                   // max flits at an edge
  std::vector<std::unique_ptr<TrafficNode>> nodes_;  // index: node; null at switches
  std::optional<GeometricGap> gap_;
  RunLimits limits_;
  std::unique_ptr<WaveRecorder> wave_;
  std::unique_ptr<TrafficBreakdown> breakdown_;  // null: none
  std::unique_ptr<LinkSeriesRecorder> series_;   // null: none
};

}  // namespace fredsim
