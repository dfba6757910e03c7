// SPDX-License-Identifier: Apache-2.0
// A fabric with nodes of synthetic traffic at its endpoints, stepped edge by edge: what runs of all
// kinds share (traffic_run.h, netrace_run.h). Steps the fabric's core itself, without SystemC.
//
// Unicasts are routed X-Y on a mesh and by online_routes.h on a FRED tree; virtual channels as in
//   traffic_node.h.
// Threads: with several, the fabric is cut into as many partitions (fabric/cut.h), each stepped by
//   a thread of its own for as many edges as need no look in between; results do not depend on it.
//   Waveforms and breakdowns look at every edge: with them, and if a single edge counts, partitions
//   take turns on the caller's thread.
// Cost: no allocation per flit, packet or cycle once latencies and queues have stopped growing.
// Errors: RunFailed when nothing moves although flits are in flight (with the list of waits), a
//   flit is lost or broken, credits do not balance, or a switch reports an error; BadInput for
//   packets longer than the fabric's, a FRED tree beyond the switches' routing tables; errors of
//   the factory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

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
#include "traffic/trains/train_fabric.h"

namespace fredsim {

// Capacity of the links of an NPU, in flits per cycle: the highest rate that can be injected.
double injection_limit(const Topology& topology);

// BadInput for more threads than switches, or links that may not cross.
void check_threads(const Topology& topology, int threads);
// A partition per thread; errors as check_threads().
Cut cut_for_threads(const Topology& topology, int threads);

class TrafficFabric {
 public:
  TrafficFabric(const TrafficFabric&) = delete;
  TrafficFabric& operator=(const TrafficFabric&) = delete;
  virtual ~TrafficFabric() = default;

  virtual TrafficSetup setup() const;  // all but config and layout

  // Writes waveforms of all rates, one after the other. Call before the first one. BadInput as
  // WaveRecorder's.
  void trace(const WaveOptions& options);
  void finish_wave();  // calls WaveRecorder::finish(), if there is one
  const WaveRecorder* wave() const { return wave_.get(); }  // null: none
  // Adds a breakdown of the measured packets to points, of requests if they have replies. Call
  // before the first rate.
  void break_down(const BreakdownOptions& options);
  // Adds counters of each link by windows of so many cycles to points. Call before the first rate.
  void record_series(std::uint64_t window_cycles);
  // Makes measure() end at the next edge once the flag is set, with a point that is marked
  // incomplete (RunLimits).
  void stop_on(const std::atomic<bool>& stop) { limits_.stop_on(stop); }

  // `on_progress` is called every 4096 cycles.
  struct Progress {
    std::uint64_t cycle = 0, window_end = 0;
    std::uint64_t bytes = 0;  // bytes consumed
    double end = 0;           // forecast: cycle at which all packets of the window have arrived
  };
  using OnProgress = std::function<void(const Progress& progress)>;
  // Measures one rate from a reset fabric.
  TrafficPoint measure(double rate, const OnProgress& on_progress = {});

  // True if packets of the last measurement moved as trains (TrafficOptions::trains).
  bool moves_trains() const { return moves_trains_; }

  void tick();  // runs a cycle
  FabricCore& core() { return core_; }

 protected:
  // The topology must outlive the fabric.
  TrafficFabric(const Topology& topology, const TrafficOptions& options,
                const SwitchFactory& factory, const RankedCut& cut);

  virtual TrafficPoint measure_once(double rate, const OnProgress& on_progress) = 0;
  virtual double forecast_end(double rate) const = 0;  // a cycle

  // Resets the fabric and sets its switches up; cycle 0 follows.
  void reset(std::uint64_t window_begin, std::uint64_t window_end, PacketFeeder* feeder = nullptr);
  // Has packets move as trains (traffic/trains/train_fabric.h) until the next reset(), if they can;
  // call between reset() and the start of sources.
  void use_trains();
  trains::TrainFabric* trains() { return moves_trains_ ? trains_.get() : nullptr; }
  const trains::TrainFabric* trains() const { return moves_trains_ ? trains_.get() : nullptr; }
  // Runs on while edges(), the number of edges until its next call, is not 0.
  void run_while(double rate, const OnProgress& on_progress,
                 const std::function<std::uint64_t()>& edges);
  // Takes latencies and counters from the end of the window; drains a complete run.
  void complete(TrafficPoint& point, const FabricCounts& before, const FabricCounts& after,
                std::uint64_t window);

  const Topology& topology() const { return topology_; }
  const TrafficOptions& options() const { return options_; }
  const PacketKinds& kinds() const { return kinds_; }
  // Node of a rank; null: another process has it.
  TrafficNode* node_of(int rank) const { return nodes_[topology_.npus[rank]].get(); }
  // Fields that are equal in all meters.
  const TrafficMeter& meter() const { return shares_.front()->meter; }
  TrafficMeter& meter() { return shares_.front()->meter; }
  std::uint64_t now() const { return meter().now; }
  std::uint64_t sum(std::uint64_t TrafficMeter::*count) const;
  std::uint64_t over_ranks(std::uint64_t mine) const;
  CreatedPackets created_in_window() const;
  std::uint64_t arrived() const;  // measured packets that have arrived
  FabricCounts counts();
  void begin_series();
  void sample_series();
  LinkSeriesRecorder* series() { return series_.get(); }  // null: none
  bool is_stopped() const { return limits_.is_stopped(); }
  std::uint64_t max_consumed() const { return max_consumed_; }
  LatencyHistogram latencies(LatencyHistogram TrafficMeter::*histogram) const;

 private:
  // Share of a partition: the counts of its nodes, and a calendar of their packets.
  class Share final : public EdgeHook {
   public:
    explicit Share(const TrafficFabric& fabric)
        : meter(static_cast<int>(fabric.topology_.npus.size())), fabric_(fabric) {}
    void before_edge() override {
      if (meter.feeder != nullptr) meter.feeder->before_edge();
      meter.calendar.remove_due(meter.now, [&](int rank) { fabric_.node_of(rank)->packet_due(); });
    }
    void after_edge() override { ++meter.now; }

    TrafficMeter meter;

   private:
    const TrafficFabric& fabric_;
  };

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
  void limit_ports();
  void drain();
  double mean_hops();
  bool all_consumed() const {
    return sum(&TrafficMeter::flits_injected) == sum(&TrafficMeter::flits_consumed);
  }
  [[noreturn]] void fail(const RunLimits::End& end);

  const Topology& topology_;
  TrafficOptions options_;
  PacketKinds kinds_;
  FabricCore core_;
  std::vector<std::unique_ptr<SwitchCore>> switches_;  // index: node; null at endpoints
  SwitchSetup setup_;
  NodeAddresses addresses_;
  std::vector<std::unique_ptr<Share>> shares_;       // index: partition
  std::vector<EdgeHook*> hooks_;                     // index: partition
  std::uint64_t max_consumed_ = 0;                   // max flits at an edge
  std::vector<std::unique_ptr<TrafficNode>> nodes_;  // index: node; null at switches
  std::unique_ptr<trains::TrainFabric> trains_;      // null: not used yet
  bool moves_trains_ = false;
  RunLimits limits_;
  std::unique_ptr<WaveRecorder> wave_;
  std::unique_ptr<TrafficBreakdown> breakdown_;  // null: none
  std::unique_ptr<LinkSeriesRecorder> series_;   // null: none
};

}  // namespace fredsim
