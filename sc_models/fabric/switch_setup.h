// SPDX-License-Identifier: Apache-2.0
// Writes to a switch's registers before traffic flows (switch/register_map.h), for either writer: ControlPlane
// by TLM-2.0, one access after the other; SwitchSetup straight at the fabric's core, in all switches at the
// same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric_core.h"
#include "routing/online_routes.h"
#include "switch/phase_program.h"
#include "switch/switch_kind.h"

namespace fredsim {

// Writes that its kind wants (SwitchKind::setup_writes()), and credits of every connected output.
std::vector<RegisterWrite> setup_writes(const Topology& topology, const FabricCore& core,
                                        NodeId node);
// One switch's routing table for unicasts routed online: its destinations only.
std::vector<RegisterWrite> route_writes(const OnlineRoutes& routes);
// A row of a switch's phase store.
std::vector<RegisterWrite> phase_writes(const PhaseProgram& program);

// All that the switches of a fabric need for unicasts, an access per switch and cycle: identities read, then
// setup_writes() of every one of them and, where switches route by table, route_writes(), then the phase rows
// asked for.
// Use: begin(); while (!done()) { issue(); a tick of the core; check(); }
// Errors: BadInput for a FRED tree beyond the switches' routing tables (routing/online_routes.h).
class SwitchSetup {
 public:
  SwitchSetup(const Topology& topology, const FabricCore& core);
  void add(std::span<const PhaseProgram> programs);

  void begin() { next_ = 0; }
  bool done() const { return next_ == longest_; }
  void issue(FabricCore& core);  // gives every switch its next access, for the next tick
  // After that tick. RunFailed: a switch does not answer with its identity.
  void check(const FabricCore& core) const;

 private:
  void append(NodeId node, const std::vector<RegisterWrite>& writes);

  const Topology& topology_;
  std::vector<std::vector<RegisterRequest>> accesses_;  // by node, none at endpoints
  std::size_t longest_ = 0;
  std::size_t next_ = 0;
};

}  // namespace fredsim
