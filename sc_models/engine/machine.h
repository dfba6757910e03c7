// SPDX-License-Identifier: Apache-2.0
// A whole machine: the fabric of a topology with a collective engine (npu/npu.h) on every NPU
// and every I/O controller. What `fredsim run` elaborates, one per configuration.
//
// Life: construct during SystemC elaboration. What runs on it is issued to a communicator (engine/communicator.h): one plan by
//   run_plan() (engine/plan_run.h), works by run_work() (engine/work_run.h); from an SC_THREAD, as often as wanted, one after the
//   other.
// Errors: BadInput when the chosen model or a switch size is not built (names the command that adds it).
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
  // Switches that are RTL whatever `model` says: a shell-style pattern on instance (node) names. Those
  // in the scope of the wave file are too, unless they run in lockstep or it holds links only.
  std::string rtl_instances{};
  int lanes = 1;
  std::uint64_t seed = 1;
  std::uint64_t timeout_cycles = 0;  // 0: none but the watchdog
  // Cycles in which nothing happens, periods in which the state recurs (engine/memo/recurrence.h), and operations whose trajectory
  // is known are not simulated, unless they are recorded: the results are the same.
  bool skip = true;
  // Memory of trajectories of operations that are kept to be replayed (engine/memo/memoisation.h); beyond, all are forgotten.
  std::size_t replay_bytes = std::size_t{256} << 20U;
  // Cut of the fabric; same results. Partitions take turns, since endpoints are SystemC's: where a communicator lets them go
  // ahead, at every look-ahead, else at every edge. Of several failures in a look-ahead that of the first
  // partition is told; cycles that were idle in one are not counted as left out.
  Cut cut{};
  RankShare share{};  // share of this process in the partitions, where several have a run together
  WaveOptions wave{};
  // Verilated switches have a context each, so that different threads may step them; none can then be traced.
  bool own_contexts = false;
  // Threads that step switches with RTL in them, same results; above 1 with own_contexts and
  // without a cut.
  int switch_threads = 1;
  // Set from outside, by a signal handler: a run ends at the next edge, set-up at the next access.
  const std::atomic<bool>* stop = nullptr;
  // recorder of runs (trace/timeline_recorder.h); all slices are simulated then
  Timeline* timeline = nullptr;
  int timeline_level = 1;
  std::string timeline_name{};  // name of the machine there; empty: the fabric's
  BreakdownOptions breakdown{};
};

// Implementations as the options say; once stopped, Interrupted instead of the next one. The Verilated ones share
// a context, so that they can be traced into one file, unless they are asked to have their own.
SwitchFactory factory_for(const FabricOptions& options);

// Processor time of its nodes, by which it is cut for several processes.
NodeCosts costs_of_nodes(const Topology& topology, const FabricOptions& options);

// One switch of every size that such a machine has as RTL (require_built()).
std::vector<NeededSwitch> needed_rtl(const Topology& topology, const FabricOptions& options);

class Machine : public sc_core::sc_module {
 public:
  Machine(sc_core::sc_module_name name, const Topology& topology, const FabricOptions& options);
  // With switches of another make (a user's C++ model, a test's); options.model
  // is then not looked at.
  Machine(sc_core::sc_module_name name, const Topology& topology, const FabricOptions& options,
          const SwitchFactory& factory);
  ~Machine() override;

  Fabric& fabric();
  WaveRecorder* wave();  // null: none

  const Topology& topology() const;
  // True if only one of several equal slices may be simulated (operations/equal_slices.h): nobody looks at
  // all of them.
  bool leaves_slices_out() const;

  // For a communicator.
  // Null at switches, and where another process has the node.
  std::span<const std::unique_ptr<Npu>> npus_by_node() const;
  RunObservers& observers();
  ControlPlane& control();
  const FabricOptions& options() const;
  std::span<const Npu* const> npus() const;  // all of them here, and those of I/O controllers
  std::vector<std::uint64_t> acknowledgements()
      const;  // packets that they have sent, by node; 0: elsewhere
  const RunLimits& limits() const;
  // Forgets all of an earlier run, starts the clock and writes what the switches need, routes of unicasts where asked for.
  void set_up(bool online_routes);
  void stop();   // the clock
  void drain();  // waits until nothing moves any more

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace fredsim
