// SPDX-License-Identifier: Apache-2.0
// The fabric of a topology as a SystemC module: a NIC per endpoint, a control socket per switch,
// and one clock process that steps everything (fabric_core.h).
//
// Use: construct during elaboration; bind modules to nic(node).tx and nic(node).rx of the endpoints
//   that take part; then start(), before sc_start or from an SC_THREAD, and let time pass. That is all.
// Set-up: a started fabric first writes into its switches what unicasts need, through their register maps:
//   positions, rings, credits, the routing tables of a FRED tree. It takes an access per switch and cycle.
//   Packets may be handed to the NICs at any time; none leaves before the set-up is complete, at which
//   ready() becomes true. What is to be measured begins there: wait_until_ready().
//   In-switch flows (FRED tree): the rows of their phases, out of a plan, are given to load_phases() before
//   start(), and are part of the set-up. Later ones are written by a ControlPlane.
//   start(SetUp::kByHost) leaves all of this to a ControlPlane, or to whoever binds to control(node).registers;
//   NICs send from the first edge on.
// Processes: with a RankShare NICs and switches are those of this process's nodes (FabricCore::owns()); a register of another's
//   is accessed by all processes alike.
// Time: one clock edge per cycle of topology.clock_hz; edges fall on whole picoseconds, on average
//   exactly at the clock's rate. Only a started fabric costs anything.
// Errors: what a cycle throws stops the clock, is kept for rethrow_failure() and notifies
//   attention(); without a cycle hook, nobody would look: it is then reported as a SystemC error.
//   BadInput from start() for a FRED tree beyond its switches' routing tables.
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

// Makes the implementation of one switch; the second argument says its shape.
using SwitchFactory = std::function<std::unique_ptr<SwitchCore>(const Node&, const SwitchShape&)>;
// Every switch with an implementation of the same kind; Verilated ones share one context, so that they can be
// traced into one file.
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
  // By node, null at endpoints and at nodes of other processes.
  std::span<const std::unique_ptr<SwitchCore>> switches() const { return switches_; }
  FabricCore& core() { return core_; }

  // Writer of the switches' registers after a reset.
  enum class SetUp : std::uint8_t { kByFabric, kByHost };

  // Rows that the next set-ups write, too, in place of those of an earlier call.
  void load_phases(std::span<const PhaseProgram> programs);
  void reset();  // everything as after power-up, and construction; the clock may run or not
  void start(SetUp set_up = SetUp::kByFabric);  // or goes on where it was stopped
  void stop();
  bool ready() const { return ready_; }
  // Call from an SC_THREAD. Throws the failure when the set-up has failed.
  void wait_until_ready();

  // Called after every clock edge; attention() is notified whenever it returns true.
  void on_cycle(std::function<bool()> hook) { hook_ = std::move(hook); }
  const sc_core::sc_event& attention() const { return attention_; }
  // Out of the cycle hook: the next edge comes so many edges later, over which the core was idle or passed
  // over.
  void come_later(std::uint64_t edges) { later_ += edges; }
  // Out of the cycle hook: the next so many edges, 1 or more, come at once, at the time of the first of them, and the hook after
  // the last. In between nobody looks, no register is accessed, and NPUs are given nothing.
  void run_ahead(std::uint64_t edges) { ahead_ = edges; }
  // Edges come as ever, and the core does not tick at them: whoever says so knows what would happen.
  void stand_still(bool on) { stands_still_ = on; }
  void rethrow_failure();

  // Tells the observer, which outlives the fabric's last edge, of every edge from the next one on.
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
  std::vector<std::unique_ptr<SwitchCore>> switches_;  // by node, null at endpoints
  std::vector<std::unique_ptr<Nic>> nics_;  // by node, null at switches; both where it is here
  std::vector<std::unique_ptr<SwitchControl>> controls_;  // by node, null at endpoints
  EdgeObserver* observer_ = nullptr;
  sc_core::sc_time period_;       // rounded down to picoseconds
  sc_core::sc_time long_period_;  // one picosecond more
  std::uint64_t fraction_ = 0;    // part of a picosecond owed to the next edges, in units of 1 /
                                  // clock_hz
  std::uint64_t later_ = 0;       // edges, to the one after the next
  std::uint64_t ahead_ = 0;       // edges that come at once; 0: one by one
  bool running_ = false;
  bool stands_still_ = false;
  std::vector<PhaseProgram> phases_;
  std::optional<SwitchSetup> setup_;  // under way
  bool is_reset_ = false;             // and never started since
  bool ready_ = false;
  sc_core::sc_event ready_event_;
  sc_core::sc_event start_;
  sc_core::sc_event attention_;
  std::function<bool()> hook_;
  std::exception_ptr failure_;
};

}  // namespace fredsim
