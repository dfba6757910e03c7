// SPDX-License-Identifier: Apache-2.0
// Plan prepared for issue: its phases as sets of rows, and its use of the switches, from which
// conflicts between two operations are found.
//
// Rows: phase p of the plan is rows[p], node -> row. The rows identify a phase in any plan, so that
// equal phases of different operations are one phase in the switches. Start cycles of the specs are
// not part of a prepared plan: a communicator applies them at the issue.
// Conflicts: two operations must not be in flight at once where their packets could wait for each
// other in a circle:
//   in-switch trees of both cross a link on one virtual channel, and do not form one wave there
//   (collective/link_waves.h) with the same rows: joins could find packets of one operation first
//   at one input, and packets of the other first at another;
//   one has in-switch trees, the other has unicasts on the same virtual channel: unicasts would
//   wait behind operands that wait for a rank that has not begun.
// A plan whose parts wait for each other (Part::after) may be in conflict with itself: each
// repetition then waits for the one before.
// Operations of one wave follow each other without a gap: every rank sends the packets of the
// earlier operation first (npu/npu.h), and a flow that joins takes them in that order from all of
// its ports.
// Errors: errors of make_plan(); std::logic_error for a part that depends on a part outside the
// plan.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/state_digest.h"
#include "collective/link_waves.h"
#include "plan/collective_spec.h"
#include "plan/group_conflict.h"
#include "plan/plan.h"
#include "systems/system_plan.h"
#include "topology/topology.h"

namespace fredsim {

// Forms of a system's plan (systems/system_plan.h): expanded, for the exact engine, or as steps,
// for flows. Plans of fabrics have one form.
enum class SystemForm : std::uint8_t { kExpanded, kSteps };

using PhaseRows = std::map<NodeId, std::vector<std::uint32_t>>;

struct PreparedPlan {
  Plan plan;                    // starts at 0; only the simulated trees (engine/simulated_plans.h)
  std::vector<int> copies;      // by tree: number of equal trees in the whole plan; empty: one each
  std::uint64_t additions = 0;  // sum of additions_of() over its trees; 0 for steps of a system
  int streams = 0;              // stream numbers in use: trees of the whole plan
  StateDigest identity{0};      // equal for plans of one PlanCache entry, otherwise unique
  std::vector<PhaseRows> rows;
  std::vector<std::uint16_t> missing_bytes;  // by tree: missing bytes in its last flit
  bool needs_online_routes = false;
  // Steps on a system (systems/system_plan.h), for flows only; `plan` then has the collectives as
  // parts, and no trees.
  std::shared_ptr<const SystemPlan> system{};

  StateDigest rows_identity{0};   // equal for equal rows
  std::vector<LinkWave> links{};  // links of in-switch trees, ascending; on systems of all blocks
  unsigned tree_channels = 0,
           unicast_channels = 0;  // VCs of in-switch trees and of unicasts: a bit each

  std::uint64_t copies_of(std::size_t tree) const {
    return copies.empty() ? 1 : static_cast<std::uint64_t>(copies[tree]);
  }
};

// Missing bytes in the last flit of each tree.
std::vector<std::uint16_t> missing_bytes(const Plan& plan);

bool in_conflict(const PreparedPlan& a, const PreparedPlan& b);

// Bytes of results of one operation, summed over all ranks.
std::uint64_t result_bytes(const PreparedPlan& plan);

// Key with all fields of a spec that a plan depends on.
std::string key_of(const CollectiveSpec& spec);

// Prepares a plan with a unique identity, or with the given one.
std::shared_ptr<const PreparedPlan> prepare(const Topology& topology, Plan plan,
                                            std::vector<int> copies = {});
std::shared_ptr<const PreparedPlan> prepare(const Topology& topology, Plan plan,
                                            const StateDigest& identity);

// Prepares a system's plan as steps.
std::shared_ptr<const PreparedPlan> prepare(const Topology& system, SystemPlan plan);

// Cache of plans, keyed by collective, group, size, algorithm, priority, root and order; evicts the
// least recently used one above kPlans.
class PlanCache {
 public:
  static constexpr std::size_t kPlans = 64;
  explicit PlanCache(const Topology& topology) : topology_(topology) {}
  std::shared_ptr<const PreparedPlan> plan(std::span<const CollectiveSpec> work,
                                           OnConflict on_conflict);
  std::uint64_t hits() const { return hits_; }
  std::uint64_t made() const { return made_; }

 private:
  struct Entry {
    std::shared_ptr<const PreparedPlan> plan;
    std::uint64_t used = 0;
  };
  const Topology& topology_;
  std::map<std::string, Entry> plans_;
  std::uint64_t hits_ = 0, made_ = 0;
};

}  // namespace fredsim
