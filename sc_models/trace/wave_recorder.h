// SPDX-License-Identifier: Apache-2.0
// Waveforms of a fabric: the signals of its RTL instances in scope, and every link that touches an
// instance in scope, whatever the implementations at its ends; with a save file for GTKWave beside
// it (trace/wave_save_file.h).
//
// Use: construct before the first edge, with a fabric; or with a bare core, and then call
//   before_edge(), after_edge() around every edge. An edge that throws is recorded too.
// Triggers: a run is made twice (run_recorded): the first finds the cycle and records nothing, the
//   second, which is identical since runs are deterministic, records the cycles around it.
// Time: cycle c, counted from the first edge on through all runs of the machine, is at c clock
//   periods, rounded down to picoseconds. Between windows time goes on and values keep their state.
// Signals, under "links <from>_<port>__<to>_<port>" (WaveLink::scope):
//   valid, valid_mp … valid_control   a flit is launched at this edge, on any VC or on this one
//   head tail                         it is the first, or the last one of its packet
//   vc phase dst src tag seq          its header (base/flit.h), held until the next flit
//   stream packet                     the tag's parts (nic/packet_extension.h)
//   arrive                            a flit reaches the receiver at this edge
//   credit_mp … credit_control        a credit of the VC reaches the sender at this edge
//   credits_mp … credits_control      credits at the sender, after the edge
//   Under "wave": recording (0: a gap follows) and cycle (since reset, as in messages; modulo
//   2^32).
// Errors: BadInput when no instance is in scope, a window has no edge, windows are not in order, or
//   a file cannot be opened; errors of TriggerWatch; RunFailed when a file cannot be written to its
//   end: none is left then.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "fabric/edge_observer.h"
#include "fabric/fabric.h"
#include "fabric/fabric_core.h"
#include "switch/switch_core.h"
#include "switch/wave_file.h"
#include "topology/topology.h"
#include "trace/wave_options.h"
#include "trace/wave_save_file.h"
#include "trace/wave_trigger.h"

namespace fredsim {

class WaveRecorder final : public EdgeObserver {
 public:
  // `switches` by node, null at endpoints. All arguments outlive the recorder.
  WaveRecorder(const Topology& topology, FabricCore& core,
               std::span<const std::unique_ptr<SwitchCore>> switches, const WaveOptions& options);
  // Observes the fabric, from the next edge on. Construct before its first edge.
  WaveRecorder(Fabric& fabric, const WaveOptions& options);
  ~WaveRecorder() override;  // finishes if finish() was not called, without reporting errors

  void before_edge() override;
  void after_edge() override;
  // Ends the file after the last edge: writes the last time, and closes it.
  void finish();

  // Returns true for a trigger that has not been found in any run yet.
  bool searches() const { return searching_; }
  void begin_search();
  void run_failed(const RunFailed& failure);  // call after begin_search(), in place of the run's
                                              // end
  // cycle, counted through all runs
  const std::optional<std::uint64_t>& found() const { return found_; }
  std::uint64_t found_in_run() const { return *found_ - search_begin_; }
  double found_ns() const;  // time in the file
  void record_found();      // call before the second run

  const std::string& path() const { return path_; }
  std::uint64_t cycles() const { return cycle_; }  // cycles so far
  std::uint64_t cycles_recorded() const { return recorded_; }
  std::string why_empty() const;  // text for messages; empty: cycles are recorded

 private:
  struct LinkValues {
    std::uint32_t valid = 0, vc = 0, phase = 0, dst = 0, src = 0, tag = 0, stream = 0, packet = 0,
                  seq = 0, head = 0, tail = 0, arrive = 0;
    std::array<std::uint32_t, kNumVcs> valid_of{}, credit{}, credits{};
  };
  struct Cycles {
    std::uint64_t from, to;  // both ends included
  };

  void choose_links(const std::string& pattern);
  void write_view() const;
  void set_windows(const std::vector<WaveWindow>& windows);
  std::vector<WaveSignal> signals() const;
  LinkValues* traced(int link);
  void clear_events();
  template <typename OnFlit>
  void visit_launches(const OnFlit& on_flit) const;
  void show_launches();
  bool in_window() const;
  std::uint64_t time_ps(std::uint64_t cycle) const;

  std::string path_;
  const Topology& topology_;
  FabricCore& core_;
  std::vector<NodeId> nodes_;    // nodes in scope
  std::vector<NodeId> rtl_;      // nodes whose RTL is in the file
  std::vector<WaveLink> links_;  // traced links
  std::vector<LinkValues> values_;
  std::vector<int> place_;  // index: link; place in links_, or -1
  std::vector<Cycles> windows_;
  std::size_t window_ = 0;  // current window, or the next one
  std::uint64_t cycle_ = 0;
  std::uint64_t edge_before_ = 0;
  std::uint64_t recorded_ = 0;
  std::uint32_t shown_cycle_ = 0;
  std::uint32_t recording_ = 0;
  std::optional<WaveTrigger> trigger_;
  std::optional<TriggerWatch> watch_;
  bool searching_ = false;
  std::uint64_t search_begin_ = 0;  // a cycle
  std::optional<std::uint64_t> found_;
  WaveFile file_;
};

// Runs once, or twice if a trigger is searched for and found. `run` may throw RunFailed.
template <typename Run>
auto run_recorded(WaveRecorder* wave, const Run& run) {
  if (wave == nullptr || !wave->searches()) return run();
  wave->begin_search();
  try {
    auto result = run();
    if (!wave->found()) return result;
  } catch (const RunFailed& failure) {
    wave->run_failed(failure);
    if (!wave->found()) throw;
  }
  wave->record_found();
  return run();
}

}  // namespace fredsim
