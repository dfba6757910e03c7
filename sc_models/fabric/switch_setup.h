// SPDX-License-Identifier: Apache-2.0
// Writes to a switch's registers before traffic flows (switch/register_map.h), for either writer:
// ControlPlane over TLM-2.0, one access after the other; SwitchSetup directly at the fabric's core,
// in all switches at the same time.
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

// Writes of the switch's kind (SwitchKind::setup_writes()), and credits of every connected output.
std::vector<RegisterWrite> setup_writes(const Topology& topology, const FabricCore& core,
                                        NodeId node);
// A row of a switch's phase store.
std::vector<RegisterWrite> phase_writes(const PhaseProgram& program);

// Set-up of a fabric's switches for unicasts, an access per switch and cycle: reads of identities,
// then the setup_writes() of every switch and, for switches that route by table, the destinations
// in the table (switch/route_table.h), then the phase rows asked for.
// Use: begin(); while (!done()) { issue(); a tick of the core; check(); }
// Errors: BadInput for a fabric beyond the switches' routing tables (table_contents()).
class SwitchSetup {
 public:
  SwitchSetup(const Topology& topology, const FabricCore& core);
  void add(std::span<const PhaseProgram> programs);

  void begin();
  bool done() const { return next_ == longest_; }
  void issue(FabricCore& core);  // gives every switch its next access, for the next tick
  // Checks the answers after that tick. RunFailed if a switch does not answer with its identity.
  void check(const FabricCore& core) const;

 private:
  // Accesses of a switch: a read of its identity, then these writes. Routes, the majority, stay in
  // the form of the table.
  struct Writes {
    std::vector<RegisterWrite> setup;
    OnlineRoutes routes;
    RouteTable table{};
    std::vector<RegisterWrite> rows;
    std::size_t next_setup = 0, next_destination = 0, next_row = 0;

    std::size_t count() const;
    std::optional<RegisterWrite> next();  // no value: all writes have been given
  };

  const Topology& topology_;
  std::vector<NodeId> switches_;       // switches of this process
  std::vector<Writes> writes_;         // index: as in switches_
  std::vector<int> index_;             // index: node; place in switches_, -1: another process's
                                       // node, or no switch
  std::vector<std::size_t> accesses_;  // index: node
  std::size_t longest_ = 0;            // maximum, in cycles
  std::size_t next_ = 0;
};

}  // namespace fredsim
