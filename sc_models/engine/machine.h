// SPDX-License-Identifier: Apache-2.0
// A whole machine: the fabric of a topology with a collective engine (npu/npu.h) on every NPU and
// every I/O controller. `fredsim run` elaborates one per configuration.
//
// Life: construct during SystemC elaboration. Operations are issued to a communicator
//   (engine/communicator.h): one plan by run_plan() (engine/plan_run.h), works by run_work()
//   (engine/work_run.h); from an SC_THREAD, any number of times, one after the other.
// Errors: BadInput when the chosen model or a switch size is not built (with the command that adds
//   it).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "engine/run_engine.h"
#include "engine/run_limits.h"
#include "fabric/control_plane.h"
#include "fabric/fabric.h"
#include "fabric/node_costs.h"
#include "npu/npu.h"
#include "plan/plan.h"
#include "results/timeline.h"
#include "switch/missing_sizes.h"
#include "topology/topology.h"
#include "trace/packet_list.h"
#include "trace/wave_recorder.h"

namespace fredsim {

class RunObservers;

struct FabricOptions {
  SwitchModel model = SwitchModel::kTlm;
  // Switches that are RTL regardless of `model`: a shell-style pattern on instance (node) names.
  // Switches in the scope of the wave file are RTL, too, unless they run in lockstep or the scope
  // holds links only.
  std::string rtl_instances{};
  int lanes = 1;
  std::uint64_t seed = 1;
  std::uint64_t timeout_cycles = 0;  // 0: watchdog only
  // Leaves idle cycles, periods in which the state recurs (engine/memo/recurrence.h) and operations
  // with a known trajectory out of the simulation, unless they are recorded: the results are the
  // same.
  bool skip = true;
  // Memory of trajectories kept for replay (engine/memo/memoisation.h); beyond it, all are dropped.
  std::size_t replay_bytes = std::size_t{256} << 20U;
  // Cut of the fabric; same results. Partitions take turns, since endpoints are SystemC's: at every
  // look-ahead if a communicator lets them advance by themselves, else at every edge. Of several
  // failures in a look-ahead the first partition's is reported; cycles that were idle in one
  // partition only do not count as skipped.
  Cut cut{};
  RankShare share{};  // share of this process in the partitions, if several run together
  WaveOptions wave{};
  // Gives each Verilated switch a context, so that different threads may step them; none can then
  // be traced.
  bool own_contexts = false;
  // Threads that step switches with RTL in them, same results; above 1 with own_contexts and
  // without a cut.
  int switch_threads = 1;
  // Flag set from outside, such as by a signal handler: a run ends at the next edge, set-up at the
  // next access.
  const std::atomic<bool>* stop = nullptr;
  // recorder of runs (trace/timeline_recorder.h); all slices are simulated then
  Timeline* timeline = nullptr;
  int timeline_level = 1;
  std::string timeline_name{};  // name of the machine there; empty: the fabric's
  BreakdownOptions breakdown{};
  std::uint64_t series_cycles =
      0;  // window of the series of links (results/link_series.h); 0: none
};

// Factory of the implementations that the options ask for; after a stop it throws Interrupted
// instead. Verilated switches share a context, so that they can be traced into one file, unless
// FabricOptions::own_contexts is set.
SwitchFactory factory_for(const FabricOptions& options);

// Processor time of the nodes: weights for the cut over several processes.
NodeCosts costs_of_nodes(const Topology& topology, const FabricOptions& options);

// One switch of every size that such a machine has as RTL (require_built()).
std::vector<NeededSwitch> needed_rtl(const Topology& topology, const FabricOptions& options);

class Machine : public sc_core::sc_module {
 public:
  Machine(sc_core::sc_module_name name, const Topology& topology, const FabricOptions& options);
  // Machine with switches from `factory` (a user's C++ model, a test's); options.model is ignored.
  Machine(sc_core::sc_module_name name, const Topology& topology, const FabricOptions& options,
          const SwitchFactory& factory);
  ~Machine() override;

  Fabric& fabric();
  WaveRecorder* wave();  // null: none

  const Topology& topology() const;
  // Returns true if only one of several equal slices may be simulated (operations/equal_slices.h),
  // since no observer needs all of them.
  bool leaves_slices_out() const;

  // NPUs for a communicator.
  // Null at switches, and at nodes of other processes.
  std::span<const std::unique_ptr<Npu>> npus_by_node() const;
  RunObservers& observers();
  ControlPlane& control();
  const FabricOptions& options() const;
  std::span<const Npu* const> npus() const;  // NPUs of this process, I/O controllers' included
  std::vector<std::uint64_t> acknowledgements()
      const;  // packets that NPUs have sent, by node; 0 at other processes' nodes
  const RunLimits& limits() const;
  // Drops all state of an earlier run, starts the clock and sets the switches up, with routes of
  // unicasts if asked for.
  void set_up(bool online_routes);
  void stop();   // stops the clock
  void drain();  // waits until all traffic has drained

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace fredsim
