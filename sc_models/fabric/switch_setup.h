// SPDX-License-Identifier: Apache-2.0
// Writes to a switch's registers before traffic flows (switch/register_map.h), for either writer: ControlPlane
// by TLM-2.0, one access after the other; SwitchSetup straight at the fabric's core, in all switches at the
// same time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric_core.h"
#include "routing/online_routes.h"
#include "switch/phase_program.h"
#include "switch/route_table.h"
#include "switch/switch_kind.h"

namespace fredsim {

// Writes that its kind wants (SwitchKind::setup_writes()), and credits of every connected output.
std::vector<RegisterWrite> setup_writes(const Topology& topology, const FabricCore& core,
                                        NodeId node);
// A row of a switch's phase store.
std::vector<RegisterWrite> phase_writes(const PhaseProgram& program);

// All that the switches of a fabric need for unicasts, an access per switch and cycle: identities read, then
// setup_writes() of every one of them and, where switches route by table, the destinations in its table
// (switch/route_table.h), then the phase rows asked for.
// Use: begin(); while (!done()) { issue(); a tick of the core; check(); }
// Errors: BadInput for a fabric beyond the switches' routing tables (table_contents()).
class SwitchSetup {
 public:
  SwitchSetup(const Topology& topology, const FabricCore& core);
  void add(std::span<const PhaseProgram> programs);

  void begin();
  bool done() const { return next_ == longest_; }
  void issue(FabricCore& core);  // gives every switch its next access, for the next tick
  // After that tick. RunFailed: a switch does not answer with its identity.
  void check(const FabricCore& core) const;

 private:
  // Accesses of a switch: a read of its identity, then these. Routes are kept as in the table, since they are the most.
  struct Writes {
    std::vector<RegisterWrite> setup;
    OnlineRoutes routes;
    RouteTable table{};
    std::vector<RegisterWrite> rows;
    std::size_t next_setup = 0, next_destination = 0, next_row = 0;

    std::size_t count() const;
    std::optional<RegisterWrite> next();  // none: all have been given
  };

  const Topology& topology_;
  std::vector<NodeId> switches_;       // here
  std::vector<Writes> writes_;         // by index in switches_
  std::vector<int> index_;             // by node: index in switches_; -1: elsewhere, or no switch
  std::vector<std::size_t> accesses_;  // by node
  std::size_t longest_ = 0;            // cycles
  std::size_t next_ = 0;
};

}  // namespace fredsim
