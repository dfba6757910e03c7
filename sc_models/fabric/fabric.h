// SPDX-License-Identifier: Apache-2.0
// The fabric of a topology as a SystemC module: a NIC per endpoint, a control socket per switch,
// and one clock process that steps everything (fabric_core.h).
//
// Use: construct during elaboration; bind modules to nic(node).tx and nic(node).rx of the endpoints
//   that take part; then call start(), before sc_start or from an SC_THREAD, and let time pass.
// Set-up: a started fabric first writes the registers that unicasts need into its switches:
//   positions, rings, credits, the routing tables of a FRED tree. It takes an access per switch and
//   cycle. Packets may be given to the NICs at any time; none leaves before the set-up is complete,
//   at which ready() becomes true. Measurements begin there: wait_until_ready().
//   In-switch flows (FRED tree): the rows of their phases, taken from a plan, are given to
//   load_phases() before start(), and are part of the set-up. A ControlPlane writes later ones.
//   start(SetUp::kByHost) leaves all of this to a ControlPlane, or to the initiator bound to
//   control(node).registers; NICs send from the first edge on.
// Processes: with a RankShare the NICs and switches are those of this process's nodes
//   (FabricCore::owns()); all processes take part in an access to a register of another one's node.
// Time: one clock edge per cycle of topology.clock_hz; edges fall on whole picoseconds, on average
//   exactly at the clock's rate. Only a started fabric costs simulation time.
// Errors: an exception within a cycle stops the clock, is kept for rethrow_failure() and notifies
//   attention(). Without a cycle hook it is reported as a SystemC error, since no code would
//   rethrow it. BadInput from start() for a FRED tree beyond the routing tables of its switches.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "fabric/edge_observer.h"
#include "fabric/fabric_core.h"
#include "fabric/switch_control.h"
#include "fabric/switch_setup.h"
#include "nic/nic.h"
#include "switch/phase_program.h"
#include "switch/switch_factory.h"
#include "topology/topology.h"

namespace fredsim {

// Makes the implementation of one switch with the shape of the second argument.
using SwitchFactory = std::function<std::unique_ptr<SwitchCore>(const Node&, const SwitchShape&)>;
// Factory of one kind of implementation for every switch; Verilated switches share one context, so
// that they can be traced into one file.
SwitchFactory switches_of(SwitchModel model);

class Fabric final : public sc_core::sc_module {
 public:
  // The topology must outlive the fabric.
  Fabric(sc_core::sc_module_name name, const Topology& topology, int lanes,
         const SwitchFactory& factory, const Cut& cut = {}, const RankShare& share = {});
  ~Fabric() override;

  const Topology& topology() const { return topology_; }
  int lanes() const { return lanes_; }
  Nic& nic(NodeId endpoint);
  SwitchControl& control(NodeId node);
  SwitchCore& switch_core(NodeId node);
  // Switches by node, null at endpoints and at nodes of other processes.
  std::span<const std::unique_ptr<SwitchCore>> switches() const {
    core_.part_groups();
    return switches_;
  }
  FabricCore& core() { return core_; }

  // Writer of the switches' registers after a reset.
  enum class SetUp : std::uint8_t { kByFabric, kByHost };

  // Sets the rows that later set-ups write in addition, in place of those of an earlier call.
  void load_phases(std::span<const PhaseProgram> programs);
  void reset();  // restores the state after power-up and construction; the clock may run or not
  void start(SetUp set_up = SetUp::kByFabric);  // starts, or resumes after a stop
  void stop();
  bool ready() const { return ready_; }
  // Call from an SC_THREAD. Rethrows the failure if the set-up has failed.
  void wait_until_ready();

  // Called after every clock edge; attention() is notified whenever it returns true.
  void on_cycle(std::function<bool()> hook) { hook_ = std::move(hook); }
  const sc_core::sc_event& attention() const { return attention_; }
  // Called by the cycle hook: delays the next edge by `edges` edges, over which the core was idle
  // or skipped.
  void come_later(std::uint64_t edges) { later_ += edges; }
  // Called by the cycle hook: the next `edges` edges, 1 or more, run at once, at the time of the
  // first one, and the hook after the last. Between them no hook runs, no register is accessed, and
  // NPUs get no data.
  void run_ahead(std::uint64_t edges) { ahead_ = edges; }
  // Suspends the core: edges occur as usual, and the core does not tick. The caller replays the
  // events.
  void freeze(bool on) { is_frozen_ = on; }
  void rethrow_failure();

  // Calls the observer, which outlives the fabric's last edge, at every edge from the next one on.
  void observe(EdgeObserver& observer) { observer_ = &observer; }

 private:
  void clock_edge();
  void observed_edge();
  void stop_failed(const std::exception& error);
  sc_core::sc_time time_of(std::uint64_t edges);
  void tick();
  void begin_set_up();
  void set_nic_credits(bool on);
  void become_ready();

  const Topology& topology_;
  int lanes_;
  FabricCore core_;
  std::vector<std::unique_ptr<SwitchCore>> switches_;  // index: node; null at endpoints
  std::vector<std::unique_ptr<Nic>> nics_;  // index: node; null at switches and nodes of other
                                            // processes
  std::vector<std::unique_ptr<SwitchControl>> controls_;  // index: node; null at endpoints
  EdgeObserver* observer_ = nullptr;
  sc_core::sc_time period_;       // rounded down to picoseconds
  sc_core::sc_time long_period_;  // period_ and one picosecond
  std::uint64_t fraction_ = 0;    // part of a picosecond owed to the next edges, in units of 1 /
                                  // clock_hz
  std::uint64_t later_ = 0;       // delay of the edge after the next, in edges
  std::uint64_t ahead_ = 0;       // edges that run at once; 0: one by one
  bool running_ = false;
  bool is_frozen_ = false;
  std::vector<PhaseProgram> phases_;
  std::optional<SwitchSetup> setup_;  // set-up in progress
  bool is_reset_ = false;             // reset since the last start()
  bool ready_ = false;
  sc_core::sc_event ready_event_;
  sc_core::sc_event start_;
  sc_core::sc_event attention_;
  std::function<bool()> hook_;
  std::exception_ptr failure_;
};

}  // namespace fredsim
